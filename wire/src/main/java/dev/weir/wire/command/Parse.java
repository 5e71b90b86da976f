package dev.weir.wire.command;

/**
 * The outcome of reading a command. Everything but {@link #OK} means: drop the request without a reply
 * (docs/reference/protocol.md#dropped-requests).
 */
public enum Parse {
    /** A command; the view's getters may be used. */
    OK,
    /** Shorter than any command. */
    TOO_SHORT,
    /** The version byte belongs to no generation. */
    BAD_VERSION,
    /** The generation exists but is not among the accepted ones. */
    NOT_ACCEPTED,
    /** A length that this version does not have. */
    BAD_LENGTH,
    /** Shingles are announced and not there. */
    MISSING_SHINGLES,
    /** An extension is cut off, of an unknown kind, or of a wrong length (docs/reference/protocol.md#extensions). */
    BAD_EXTENSION
}
