package dev.weir.storage.server.stats;

/**
 * What a storage counts. Every datagram and every frame is in {@link #RECEIVED} and then in exactly one answer or drop;
 * those that can be read are in exactly one generation.
 */
public enum Counter {
    /** Datagrams and frames received. */
    RECEIVED("requests received"),
    /** Frames among {@link #RECEIVED}. */
    FRAMES("requests received over connections"),
    /** Replies handed to the network or to a connection. */
    ANSWERED("replies sent"),
    /** Encrypted requests that could be opened. */
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
    /** Writes that were queued. */
    WRITES("writes accepted"),
    /** Deletes that were queued. */
    DELETES("deletes accepted"),
    /** Renewals that strong matches requested. */
    REFRESHES("renewals by strong matches"),
    /** Renewals left to the next match because many updates wait. */
    REFRESHES_SKIPPED("renewals skipped: update queue busy"),
    /** Requests for the number of hashes. */
    STATS("stat requests"),
    /** Pings. */
    PINGS("pings"),
    /** Unknown commands, acknowledged and ignored. */
    UNKNOWN_COMMANDS("unknown commands acknowledged"),
    /** Requests refused because their source or key may not write or delete. */
    FORBIDDEN("refused: not allowed to write"),
    /** Writes refused because their digest is blocked. */
    SKIPPED("refused: digest on the skip list"),
    /** Checks refused because their network or key exceeded a rate limit. */
    RATE_LIMITED("refused: over a rate limit"),
    /** Checks refused because their key is expired. */
    KEY_EXPIRED("refused: key expired"),
    /** Checks refused because their key has no read permission. */
    KEY_CANNOT_READ("refused: key may not read"),
    /** Requests answered by a script. */
    HOOK_ANSWERED("answered by a handler"),
    /** Requests refused because a script failed. */
    HOOK_FAILED("refused: a handler failed"),
    /** Requests refused because the source of their connection has been blocked since. */
    BLOCKED("refused: source blocked"),
    /** Checks whose match is on the skip list. */
    MATCHES_SKIPPED("matches on the skip list"),
    /** Checks whose only match is younger than the configured delay. */
    DELAYED("matches withheld during their delay"),
    /** Replies without a flag that the client may not see. */
    HIDDEN("replies with a withheld flag"),
    /** Plain datagrams whose reply was longer. */
    AMPLIFIED("plain requests with a longer reply"),
    /** Requests refused because they were not encrypted. */
    ENCRYPTION_REQUIRED("refused: not encrypted"),
    /** Updates refused because too many wait. */
    QUEUE_FULL("refused: update queue full"),
    /** Dropped unread because the source is blocked. */
    DROPPED_BLOCKED("dropped: source blocked"),
    /** Dropped: a ping or a stat over the rate limit of its network. */
    DROPPED_LIMITED("dropped: over a rate limit"),
    /** Dropped: plain, and its reply would have been longer than itself. */
    DROPPED_AMPLIFYING("dropped: reply longer than request"),
    /** Dropped: shorter than any request. */
    DROPPED_TOO_SHORT("dropped: too short"),
    /** Dropped: a version that is not spoken here. */
    DROPPED_VERSION("dropped: unknown version"),
    /** Dropped: too long for its version. */
    DROPPED_LENGTH("dropped: wrong length"),
    /** Dropped: announces shingles and has none. */
    DROPPED_SHINGLES("dropped: shingles missing"),
    /** Dropped: extensions that cannot be read. */
    DROPPED_EXTENSION("dropped: bad extension"),
    /** Dropped: encrypted for a key that is not here. */
    DROPPED_NO_KEY("dropped: no key"),
    /** Dropped: encrypted with a client key not seen before, and too many of those came at once. */
    DROPPED_NEW_KEYS("dropped: too many new client keys"),
    /** Dropped: encrypted with a client key of low order. */
    DROPPED_WEAK_KEY("dropped: weak client key"),
    /** Dropped: an encrypted reply of this storage that was sent back as if it were a request. */
    DROPPED_ECHO("dropped: own reply sent back"),
    /** Dropped: encrypted and damaged, or for another key. */
    DROPPED_MAC("dropped: wrong authenticator"),
    /** Requests that hit a defect of this program; the first one is logged. */
    DROPPED_INTERNAL("dropped: internal error"),
    /** Replies that the system refused to send. */
    SEND_FAILED("replies that could not be sent"),
    /** Failures to receive that were not a datagram. */
    RECEIVE_FAILED("receive calls that failed"),
    /** Connections that were taken. */
    CONNECTIONS("connections accepted"),
    /** Connections refused because their address may not ask. */
    CONNECTION_BLOCKED("connections refused: blocked address"),
    /** Connections refused because there are too many, all of which have asked something. */
    CONNECTION_NO_ROOM("connections refused: too many"),
    /** Connections refused because there are too many of one address, all of which have asked something. */
    CONNECTION_TOO_MANY("connections refused: too many of one address"),
    /** Connections that never asked anything and made room for another one. */
    CONNECTION_DISPLACED("connections closed: never asked, made room"),
    /** Connections that sent nothing at all in time. */
    CONNECTION_SILENT("connections closed: sent nothing"),
    /** Connections that sent nothing more for the idle time. */
    CONNECTION_IDLE("connections closed: idle"),
    /** Connections that began a frame and did not end it in time. */
    CONNECTION_SLOW_REQUEST("connections closed: frame not completed in time"),
    /** Connections whose client did not read its replies in time. */
    CONNECTION_SLOW_READER("connections closed: replies not read"),
    /** Connections with a frame of an impossible length. */
    CONNECTION_BAD_FRAME("connections closed: wrong frame length"),
    /** Connections closed because all of them together keep too many bytes waiting. */
    CONNECTION_MEMORY("connections closed: memory for connections used up"),
    /** Connections that ended with an error of the network. */
    CONNECTION_LOST("connections lost"),
    /** Failures to take a connection. */
    ACCEPT_FAILED("failures to accept a connection"),
    /** Replies that were ready after their connection had been closed. */
    LATE_DISCARDED("replies discarded: connection closed before"),
    /** Configurations and lists that were read again and could not be used. */
    RELOAD_FAILED("configurations and lists that could not be loaded"),
    /** Runs of a periodic task that ended with a defect. */
    TASK_FAILED("periodic tasks that failed");

    private final String description;

    Counter(String description) {
        this.description = description;
    }

    /** Returns a few words for people. */
    public String description() {
        return description;
    }

    /** Returns whether it counts datagrams that got no reply because something was wrong with them. */
    public boolean isDrop() {
        return name().startsWith("DROPPED_");
    }
}
