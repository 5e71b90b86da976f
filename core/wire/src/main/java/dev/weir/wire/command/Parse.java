package dev.weir.wire.command;

/**
 * The outcome of reading a command. For every outcome except {@link #OK}, the server drops the request without a reply
 * (docs/reference/protocol.md#dropped-requests).
 */
public enum Parse {
    /** The command is valid, and the getters of the view may be used. */
    OK,
    /** The request is shorter than any command. */
    TOO_SHORT,
    /** The version byte belongs to no generation. */
    BAD_VERSION,
    /** The generation is not among the accepted ones. */
    NOT_ACCEPTED,
    /** The length is invalid for this version. */
    BAD_LENGTH,
    /** The command declares shingles but does not contain them. */
    MISSING_SHINGLES,
    /** An extension is truncated, of an unknown kind, or of a wrong length (docs/reference/protocol.md#extensions). */
    BAD_EXTENSION
}
