package dev.weir.storage.access.gate;

/** What is to become of a command. */
public enum Verdict {
    /** To be looked up. */
    CHECK,
    /** To be answered with the number of hashes. */
    STAT,
    /** To be echoed. */
    PING,
    /** A write or a delete that is allowed. */
    UPDATE,
    /**
     * A command without a meaning from a client that may write: acknowledged without effect
     * (docs/reference/protocol.md#commands).
     */
    IGNORE,
    /** Dropped: a ping or a stat over the rate limit of its network. */
    DROP_LIMITED,
    /** Dropped: a plain datagram whose reply would be longer than itself, where that is not wanted. */
    DROP_AMPLIFYING,
    /** Refused with 403 and flag 0: a check over a rate limit. */
    RATE_LIMITED,
    /** Refused with 415: plain, where only encrypted requests are taken. */
    ENCRYPTION_REQUIRED,
    /** Refused with 503: a source that is blocked, on a connection that it already had. */
    BLOCKED,
    /** Refused with 503: the key is expired. */
    KEY_EXPIRED,
    /** Refused with 503: the key is not for reading. */
    KEY_CANNOT_READ,
    /** Refused with 503: this source or key may not write or delete. */
    FORBIDDEN,
    /** Refused with 401: a write of a blocked digest. */
    SKIPPED
}
