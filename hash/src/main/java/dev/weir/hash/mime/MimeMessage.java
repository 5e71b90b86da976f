package dev.weir.hash.mime;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** A parsed mail: its parts, containers before their children, and the decoded subject. */
public final class MimeMessage {
    private final List<MimePart> parts;
    private final byte @Nullable [] subject;

    MimeMessage(List<MimePart> parts, byte @Nullable [] subject) {
        this.parts = List.copyOf(parts);
        this.subject = subject;
    }

    public List<MimePart> parts() {
        return parts;
    }

    /** Returns the first Subject header of the mail itself, decoded, in UTF-8; null if there is none. */
    public byte @Nullable [] subject() {
        return subject;
    }
}
