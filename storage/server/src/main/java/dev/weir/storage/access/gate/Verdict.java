package dev.weir.storage.access.gate;

/** The decision on how to treat a command. */
public enum Verdict {
    /** Look up the hash. */
    CHECK,
    /** Reply with the number of hashes. */
    STAT,
    /** Echo the ping. */
    PING,
    /** Apply the write or delete. */
    UPDATE,
    /** Refuse an unknown command with 501; its client may write (docs/reference/protocol.md#commands). */
    UNKNOWN_COMMAND,
    /** Refuse a check or update with 400, because it states another count of shingles than 0 or 32. */
    WRONG_SHINGLES,
    /** Drop a ping or stat command over the rate limit of its network. */
    DROP_LIMITED,
    /** Drop a plain datagram because its reply would be longer. */
    DROP_AMPLIFYING,
    /** Refuse a check over a rate limit, with 403 and flag 0. */
    RATE_LIMITED,
    /** Refuse a plain request with 415, because encryption is required. */
    ENCRYPTION_REQUIRED,
    /** Refuse with 503, because the source was blocked after it connected. */
    BLOCKED,
    /** Refuse with 503, because the key has expired. */
    KEY_EXPIRED,
    /** Refuse with 503, because the key does not permit reading. */
    KEY_CANNOT_READ,
    /** Refuse with 503, because this source or key may not write or delete. */
    FORBIDDEN,
    /** Refuse a write of a skipped digest with 401. */
    SKIPPED
}
