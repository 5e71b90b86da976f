package dev.weir.hash.mime;

import dev.weir.hash.mime.charset.TextConverter;
import dev.weir.hash.mime.content.DetectedType;
import dev.weir.hash.mime.content.ImageSize;
import dev.weir.hash.mime.header.ContentType;
import dev.weir.hash.mime.header.Disposition;
import org.jspecify.annotations.Nullable;

/** One part of a mail as the hashing sees it. Immutable; the arrays that it hands out must not be changed. */
public final class MimePart {
    private static final byte[] EMPTY_DIGEST = new byte[64];

    private final int number;
    private final PartKind kind;
    private final ContentType type;
    private final Disposition disposition;
    private final boolean attachment;
    private final byte[] body;
    /** Made when it is first asked for: of most texts nobody does. */
    private volatile byte @Nullable [] digest;
    private final @Nullable DetectedType detected;
    private final @Nullable ImageSize imageSize;
    private final boolean html;
    private final int siblings;

    MimePart(int number, PartNode node) {
        this.number = number;
        this.kind = node.kind();
        this.type = node.type;
        this.disposition = node.disposition;
        this.attachment = node.isAttachment();
        this.body = node.body;
        this.detected = node.detected;
        this.imageSize = node.imageSize;
        this.html = node.html;
        this.siblings = node.siblings();
    }

    /** Place in the list of parts, from 0; containers count. */
    public int number() {
        return number;
    }

    public PartKind kind() {
        return kind;
    }

    /** Declared {@code type/subtype}, lower case. */
    public String mediaType() {
        return type.mediaType();
    }

    /** The charset parameter of Content-Type, or null. */
    public @Nullable String charset() {
        return type.parameter("charset");
    }

    /** Media type that the content itself suggests, or null if nothing was recognised. */
    public @Nullable String detectedMediaType() {
        return detected == null ? null : detected.mediaType();
    }

    /** Decoded file name, or null. */
    public @Nullable String fileName() {
        return disposition.fileName();
    }

    /** Whether the part may be hashed as an attachment. */
    public boolean isAttachment() {
        return attachment;
    }

    /** Whether a {@link PartKind#TEXT} part is HTML. */
    public boolean isHtml() {
        return html;
    }

    /** Body after transfer decoding; empty for containers. */
    public byte[] body() {
        return body;
    }

    /** The 64-byte part digest: BLAKE2b-512 of the body under a fixed key; all zero for an empty body. */
    public byte[] digest() {
        byte[] made = digest;
        if (made == null) {
            made = body.length == 0 ? EMPTY_DIGEST : PartDigest.of(body);
            digest = made;
        }
        return made;
    }

    /** Pixels, 0 unless this is a {@link PartKind#IMAGE}. */
    public long width() {
        return imageSize == null ? 0 : imageSize.width();
    }

    /** Pixels, 0 unless this is a {@link PartKind#IMAGE}. */
    public long height() {
        return imageSize == null ? 0 : imageSize.height();
    }

    /**
     * How many parts the enclosing multipart has, this one included; 0 without an enclosing multipart. Parts behind
     * delimiters that no multipart claimed, such as a footer that begins with two dashes behind the end, have none and
     * count in none.
     */
    public int siblings() {
        return siblings;
    }

    /**
     * The text of a {@link PartKind#TEXT} part in UTF-8, or null if no conversion to UTF-8 is possible (a raw part). A
     * text that is UTF-8 but for a few bytes is the body as it is, with those.
     */
    public byte @Nullable [] utf8() {
        return TextConverter.toUtf8(body, charset());
    }

    @Override
    public String toString() {
        return number + " " + kind + " " + mediaType() + " " + body.length + " bytes";
    }
}
