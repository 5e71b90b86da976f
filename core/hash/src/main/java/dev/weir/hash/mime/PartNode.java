package dev.weir.hash.mime;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.effort.Effort;
import dev.weir.hash.mime.content.ArchiveCheck;
import dev.weir.hash.mime.content.DetectedType;
import dev.weir.hash.mime.content.ImageSize;
import dev.weir.hash.mime.encoding.TransferEncoding;
import dev.weir.hash.mime.header.ContentType;
import dev.weir.hash.mime.header.Disposition;
import dev.weir.hash.mime.header.Headers;
import org.jspecify.annotations.Nullable;

/** A part under construction while the reader works on the mail. */
final class PartNode {
    private static final byte[] EMPTY = {};

    final @Nullable PartNode parent;
    final Headers headers;
    final ContentType type;
    final Disposition disposition;
    /** Encoding from this part's own header; {@link TransferEncoding#UNKNOWN} without one. */
    final TransferEncoding ownEncoding;
    /** Effective encoding, possibly inherited. */
    final TransferEncoding encoding;
    int children;
    /** Whether this part follows a delimiter that belongs to no multipart. Such a part is not counted as a child. */
    private boolean leftover;
    byte[] body = EMPTY;
    boolean declaredText;
    boolean message;
    boolean html;
    @Nullable
    DetectedType detected;
    @Nullable
    ImageSize imageSize;
    private PartKind kind = PartKind.OTHER;

    PartNode(@Nullable PartNode parent, Headers headers, @Nullable ContentType declared, Effort effort) {
        this.parent = parent;
        this.headers = headers;
        this.type = declared != null ? declared : ContentType.TEXT_PLAIN;
        this.disposition = this.type.isMultipart() ? Disposition.NONE : Disposition.of(headers, declared, effort);
        this.ownEncoding = TransferEncoding.ofHeaders(headers.all("content-transfer-encoding"));
        boolean own = headers.has("content-transfer-encoding");
        if (parent == null) {
            this.encoding = ownEncoding;
        } else {
            this.encoding = own ? ownEncoding : parent.ownEncoding;
            parent.children++;
        }
    }

    PartKind kind() {
        return kind;
    }

    /** Removes this part from the child count of its parent, from which it still inherits its encoding. */
    void leaveParent() {
        if (parent != null && !leftover) {
            leftover = true;
            parent.children--;
        }
    }

    /**
     * Returns the number of parts in the enclosing multipart, including this one; 0 if there is no multipart or this
     * part is not its child.
     */
    int siblings() {
        return parent != null && !leftover && parent.type.isMultipart() ? parent.children : 0;
    }

    boolean isEncrypted() {
        return parent != null && parent.type.is("multipart/encrypted");
    }

    boolean isAttachment() {
        return disposition.attachment()
                || (disposition.fileName() != null && kind != PartKind.IMAGE && !headers.has("content-id"));
    }

    /** Classifies the part once it is complete (docs/reference/hashing.md#part-classes). */
    void classify() {
        DetectedType found = detected;
        if (type.isMultipart()) {
            kind = PartKind.MULTIPART;
        } else if (message) {
            kind = PartKind.MESSAGE;
        } else if (found != null && ArchiveCheck.passes(body, found.id(), disposition.fileName())) {
            kind = PartKind.ARCHIVE;
        } else if (isSpecial()) {
            kind = PartKind.SPECIAL;
        } else if (found != null && found.category().equals("image") && measure(found.id())) {
            kind = PartKind.IMAGE;
        } else if ((declaredText || (found != null && found.isText())) && (found == null || !found.noText())) {
            kind = PartKind.TEXT;
            html = type.subtype().equals("html") || type.subtype().equals("xhtml") || DetectedType.is(found, "html");
        }
    }

    private boolean measure(String id) {
        imageSize = ImageSize.read(body, id);
        return imageSize != null;
    }

    /** Whether the body has a line {@code NAME:...} or {@code NAME;...}, the syntax of calendars and business cards. */
    private boolean hasProperty() {
        boolean lineStart = true;
        for (int i = 0; i < body.length; i++) {
            byte b = body[i];
            if (lineStart && (b == ':' || b == ';') && i > 0 && isNameChar(body[i - 1])) {
                return true;
            }
            lineStart = Ascii.isBreak(b) || (lineStart && (isNameChar(b) || b < 0 || b == 0x20));
        }
        return false;
    }

    private static boolean isNameChar(byte b) {
        return Ascii.isAlphanumeric(b) || b == '-';
    }

    private boolean isSpecial() {
        if (type.is("application/pdf")) {
            return body.length > 0;
        }
        boolean textual = type.type().equals("text") || type.type().equals("application");
        if (textual && (type.subtype().equals("calendar") || type.subtype().equals("vcard"))) {
            return hasProperty();
        }
        return DetectedType.is(detected, "ics") || DetectedType.is(detected, "vcf")
                || DetectedType.is(detected, "pdf");
    }
}
