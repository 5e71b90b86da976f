package dev.weir.storage.server.stats;

/**
 * The counters of a storage. Each datagram and frame counts in {@link #RECEIVED} and in exactly one answer or drop.
 * Each decodable one also counts in exactly one generation.
 */
public enum Counter {
    /** Datagrams and frames received. */
    RECEIVED("requests received"),
    /** Frames among {@link #RECEIVED}. */
    FRAMES("requests received over connections"),
    /** Replies handed to the network or to a connection. */
    ANSWERED("replies sent"),
    /** Encrypted requests that were decrypted. */
    ENCRYPTED("encrypted requests"),
    /** Requests in the text form. */
    GENERATION_0_6("requests of generation 0.6"),
    /** Requests of version 2. */
    GENERATION_0_8("requests of generation 0.8"),
    /** Plain requests of version 3. */
    GENERATION_0_9("requests of generation 0.9"),
    /** Encrypted requests of version 3. */
    GENERATION_1_0("requests of generation 1.0"),
    /** Requests of version 4. */
    GENERATION_1_7("requests of generation 1.7"),
    /** Requests of version 5, or 4 with the bit for several flags. */
    GENERATION_4_0("requests of generation 4.0"),
    /** Checks that reached the index. */
    CHECKS("checks looked up"),
    /** Checks whose digest is stored. */
    EXACT_HITS("checks answered by an equal digest"),
    /** Checks answered by a similar signature. */
    SIMILAR_HITS("checks answered by a similar signature"),
    /** Checks answered because many others asked for a similar mail that is not stored. */
    WAVE_HITS("checks answered by a wave"),
    /** Queued writes. */
    WRITES("writes accepted"),
    /** Queued deletes. */
    DELETES("deletes accepted"),
    /** Renewals that strong matches requested. */
    REFRESHES("renewals by strong matches"),
    /** Renewals postponed to the next match because the update queue is busy. */
    REFRESHES_SKIPPED("renewals skipped: update queue busy"),
    /** Requests for the number of hashes. */
    STATS("stat requests"),
    /** Pings. */
    PINGS("pings"),
    /** Unknown commands, acknowledged and ignored. */
    UNKNOWN_COMMANDS("unknown commands refused"),
    /** Commands that state another count of shingles than 0 or 32. */
    WRONG_SHINGLES("refused: another count of shingles than 32"),
    /** Hashes whose shingles have nothing in common with those stored for their digest; of exact hits, a sample. */
    OTHER_SHINGLES("equal digests with shingles of another algorithm or key (checks: one of 64)"),
    /** Requests refused because their source or key may not write or delete. */
    FORBIDDEN("refused: not allowed to write"),
    /** Writes refused because their digest is on the skip list. */
    SKIPPED("refused: digest on the skip list"),
    /** Checks refused because their network or key exceeded a rate limit. */
    RATE_LIMITED("refused: over a rate limit"),
    /** Checks refused because their key has expired. */
    KEY_EXPIRED("refused: key expired"),
    /** Checks refused because their key has no read permission. */
    KEY_CANNOT_READ("refused: key may not read"),
    /** Requests answered by a script. */
    HOOK_ANSWERED("answered by a handler"),
    /** Requests refused because a script failed. */
    HOOK_FAILED("refused: a handler failed"),
    /** Refusals that no handler heard of, because too many came at once. */
    HOOK_DROPPED("refusals that handlers were not told of: too many at once"),
    /** Requests refused because their source was blocked after it connected. */
    BLOCKED("refused: source blocked"),
    /** Checks whose match is on the skip list. */
    MATCHES_SKIPPED("matches on the skip list"),
    /** Checks whose only match is younger than the configured delay. */
    DELAYED("matches withheld during the delay"),
    /** Replies without a flag hidden from the client. */
    HIDDEN("replies with a withheld flag"),
    /** Plain datagrams with a longer reply. */
    AMPLIFIED("plain requests with a longer reply"),
    /** Requests refused because they were not encrypted. */
    ENCRYPTION_REQUIRED("refused: not encrypted"),
    /** Updates refused because the update queue is full. */
    QUEUE_FULL("refused: update queue full"),
    /** Dropped unread because the source is blocked. */
    DROPPED_BLOCKED("dropped: source blocked"),
    /** Dropped: a ping or stat command over the rate limit of its network. */
    DROPPED_LIMITED("dropped: over a rate limit"),
    /** Dropped: a plain datagram whose reply would be longer. */
    DROPPED_AMPLIFYING("dropped: reply longer than request"),
    /** Dropped: shorter than any request. */
    DROPPED_TOO_SHORT("dropped: too short"),
    /** Dropped: an unsupported version. */
    DROPPED_VERSION("dropped: unknown version"),
    /** Dropped: too long for its version. */
    DROPPED_LENGTH("dropped: wrong length"),
    /** Dropped: announces shingles but contains none. */
    DROPPED_SHINGLES("dropped: shingles missing"),
    /** Dropped: malformed extensions. */
    DROPPED_EXTENSION("dropped: bad extension"),
    /** Dropped: encrypted for an unknown key. */
    DROPPED_NO_KEY("dropped: unknown key"),
    /** Dropped: encrypted with a new client key when too many new keys arrived. */
    DROPPED_NEW_KEYS("dropped: too many new client keys"),
    /** Dropped: encrypted with a client key of low order. */
    DROPPED_WEAK_KEY("dropped: weak client key"),
    /** Dropped: an encrypted reply of this storage, sent back as a request. */
    DROPPED_ECHO("dropped: own reply sent back"),
    /** Dropped: encrypted but damaged, or encrypted for another key. */
    DROPPED_MAC("dropped: wrong authenticator"),
    /** Requests that triggered an internal error; the first one is logged. */
    DROPPED_INTERNAL("dropped: internal error"),
    /** Replies that the system refused to send. */
    SEND_FAILED("replies that could not be sent"),
    /** Failed receive calls. */
    RECEIVE_FAILED("receive calls that failed"),
    /** Accepted connections. */
    CONNECTIONS("connections accepted"),
    /** Connections refused because their address is blocked. */
    CONNECTION_BLOCKED("connections refused: blocked address"),
    /** Connections refused because all open connections, as many as permitted, have already sent a request. */
    CONNECTION_NO_ROOM("connections refused: too many"),
    /**
     * Connections refused because all open connections of their address, as many as permitted, have already sent a
     * request.
     */
    CONNECTION_TOO_MANY("connections refused: too many from one address"),
    /** Connections closed to make room for another one before they sent a request. */
    CONNECTION_DISPLACED("connections closed: displaced before the first request"),
    /** Connections closed because they sent no data in time. */
    CONNECTION_SILENT("connections closed: sent nothing"),
    /** Connections closed after the idle time. */
    CONNECTION_IDLE("connections closed: idle"),
    /** Connections closed because they did not complete a frame in time. */
    CONNECTION_SLOW_REQUEST("connections closed: frame not completed in time"),
    /** Connections closed because the client did not read its replies in time. */
    CONNECTION_SLOW_READER("connections closed: replies not read"),
    /** Connections closed because of an invalid frame length. */
    CONNECTION_BAD_FRAME("connections closed: wrong frame length"),
    /** Connections closed because the buffers of all connections exceed their limit. */
    CONNECTION_MEMORY("connections closed: buffer limit reached"),
    /** Connections that ended with a network error. */
    CONNECTION_LOST("connections lost"),
    /** Failures to accept a connection. */
    ACCEPT_FAILED("failures to accept a connection"),
    /** Connections that began with HTTP and were passed on, to a slave's intake for its masters. */
    CONNECTION_PUSH("connections passed on: pushed updates of a master"),
    /** Replies that were ready after their connection had been closed. */
    LATE_DISCARDED("replies discarded: connection already closed"),
    /** Configurations and lists that failed to reload. */
    RELOAD_FAILED("configurations and lists that could not be loaded"),
    /** Runs of a periodic task that failed. */
    TASK_FAILED("periodic tasks that failed");

    private final String description;

    Counter(String description) {
        this.description = description;
    }

    /** Returns a short description for operators. */
    public String description() {
        return description;
    }

    /** Returns whether this counts requests answered with an error. */
    public boolean isRefusal() {
        return description.startsWith("refused: ");
    }

    /** Returns whether this counts dropped requests. */
    public boolean isDrop() {
        return name().startsWith("DROPPED_");
    }
}
