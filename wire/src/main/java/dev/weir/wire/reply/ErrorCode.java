package dev.weir.wire.reply;

/** What {@code value} means in a reply whose probability is 0.5 or less (docs/reference/protocol.md#error-codes). */
public final class ErrorCode {
    /** The digest is one that the storage is told to skip. */
    public static final int SKIPPED = 401;
    /** Over a rate limit. Releases before 3.10 also say so to writes that are not allowed and to missing encryption. */
    public static final int RATE_LIMITED = 403;
    /** An update failed in the backend (0.8 to 1.0 only). */
    public static final int UPDATE_FAILED = 404;
    /** Plaintext while the storage only takes encrypted requests. */
    public static final int ENCRYPTION_REQUIRED = 415;
    /** Internal error. */
    public static final int INTERNAL = 500;
    /** Not allowed: no permission, expired key, blocked source. */
    public static final int FORBIDDEN = 503;

    private ErrorCode() {}
}
