package dev.weir.hash.mime;

import dev.weir.hash.mime.charset.TextConverter;
import dev.weir.hash.mime.content.DetectedType;
import dev.weir.hash.mime.content.ImageSize;
import dev.weir.hash.mime.header.ContentType;
import dev.weir.hash.mime.header.Disposition;
import org.jspecify.annotations.Nullable;

/** A part of a mail as hashing sees it. Immutable; callers must not change the returned arrays. */
public final class MimePart {
    private static final byte[] EMPTY_DIGEST = new byte[64];

    private final int number;
    private final PartKind kind;
    private final ContentType type;
    private final Disposition disposition;
    private final boolean attachment;
    private final byte[] body;
    /** Computed on first use, because most text parts never need it. */
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

    /** Returns the index in the list of parts, from 0; containers count. */
    public int number() {
        return number;
    }

    public PartKind kind() {
        return kind;
    }

    /** Returns the declared {@code type/subtype} in lower case. */
    public String mediaType() {
        return type.mediaType();
    }

    /** Returns the charset parameter of Content-Type, or null. */
    public @Nullable String charset() {
        return type.parameter("charset");
    }

    /** Returns the media type detected from the content, or null if detection found none. */
    public @Nullable String detectedMediaType() {
        return detected == null ? null : detected.mediaType();
    }

    /** Returns the decoded file name, or null. */
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

    /** Returns the body after transfer decoding; empty for containers. */
    public byte[] body() {
        return body;
    }

    /** Returns the 64-byte part digest: BLAKE2b-512 of the body under a fixed key; all zeros for an empty body. */
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
     * Returns the number of parts in the enclosing multipart, including this one; 0 without an enclosing multipart. A
     * delimiter may belong to no multipart, for example the line of dashes before a footer after the end of the mail. A
     * part after such a delimiter is not counted, and its own number is 0.
     */
    public int siblings() {
        return siblings;
    }

    /**
     * Returns the text of a {@link PartKind#TEXT} part in UTF-8, or null if it cannot be converted (a raw part). If
     * only a few bytes are invalid UTF-8, the result is the unchanged body, including those bytes.
     */
    public byte @Nullable [] utf8() {
        return TextConverter.toUtf8(body, charset());
    }

    @Override
    public String toString() {
        return number + " " + kind + " " + mediaType() + " " + body.length + " bytes";
    }
}
