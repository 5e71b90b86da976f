package dev.weir.wire.reply;

/**
 * An error number: {@code value} in a reply with a probability of at most 0.5 (docs/reference/protocol.md#error-codes).
 */
public final class ErrorCode {
    /** The command has another count of shingles than 0 or 32. Not a code of Rspamd, which accepts such commands. */
    public static final int WRONG_SHINGLES = 400;
    /** The configuration of the storage excludes the digest. */
    public static final int SKIPPED = 401;
    /**
     * Rate limit exceeded. Releases before 3.10 also send this code for forbidden updates and for missing encryption.
     */
    public static final int RATE_LIMITED = 403;
    /** An update failed in the backend (0.8 to 1.0 only). */
    public static final int UPDATE_FAILED = 404;
    /** The request is not encrypted, but the storage accepts only encrypted requests. */
    public static final int ENCRYPTION_REQUIRED = 415;
    /** Internal error. Weir's storage could not store the update; a later attempt may succeed. */
    public static final int INTERNAL = 500;
    /** The command is unknown. Not a code of Rspamd, which acknowledges such commands. */
    public static final int UNKNOWN_COMMAND = 501;
    /** Not allowed: no permission, expired key, blocked source. */
    public static final int FORBIDDEN = 503;
    /** The update is stored, but not enough other nodes confirmed it in time. Not a code of Rspamd. */
    public static final int UNCONFIRMED = 504;

    private ErrorCode() {}
}
