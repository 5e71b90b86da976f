package dev.weir.hash.mime;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** A parsed mail: its parts, containers before their children, and the decoded subject. */
public final class MimeMessage {
    private final List<MimePart> parts;
    private final byte @Nullable [] subject;

    private final @Nullable Alternative alternative;

    MimeMessage(List<MimePart> parts, byte @Nullable [] subject, @Nullable Alternative alternative) {
        this.parts = List.copyOf(parts);
        this.subject = subject;
        this.alternative = alternative;
    }

    public List<MimePart> parts() {
        return parts;
    }

    /** Returns the first Subject header of the mail itself, decoded, in UTF-8; null if there is none. */
    public byte @Nullable [] subject() {
        return subject;
    }

    /** Returns the last HTML text that has a plain text as its alternative, with that text; null if there is none. */
    public @Nullable Alternative alternative() {
        return alternative;
    }
}
