package dev.weir.storage.server;

/** What a storage counts. Every datagram is in {@link #RECEIVED} and then in exactly one answer or drop. */
public enum Counter {
    /** Datagrams that arrived. */
    RECEIVED("datagrams received"),
    /** Replies that were handed to the network. */
    ANSWERED("replies sent"),
    /** Requests that came in a box that could be opened. */
    ENCRYPTED("encrypted requests"),
    /** Checks that were looked up. */
    CHECKS("checks"),
    /** Checks whose digest was there. */
    EXACT_HITS("checks answered by an equal digest"),
    /** Checks that were answered by a similar signature. */
    SIMILAR_HITS("checks answered by a similar signature"),
    /** Writes that were queued. */
    WRITES("writes accepted"),
    /** Deletes that were queued. */
    DELETES("deletes accepted"),
    /** Renewals that strong matches asked for. */
    REFRESHES("renewals asked for by strong matches"),
    /** Renewals that were left for the next match, because many updates wait. */
    REFRESHES_SKIPPED("renewals put off: update queue busy"),
    /** Questions for the number of hashes. */
    STATS("stat requests"),
    /** Pings. */
    PINGS("pings"),
    /** Commands without a meaning, acknowledged and thrown away. */
    UNKNOWN_COMMANDS("unknown commands acknowledged"),
    /** Requests refused because their source or key may not write or delete. */
    FORBIDDEN("refused: not allowed to write"),
    /** Writes refused because nobody may learn their digest. */
    SKIPPED("refused: digest on the skip list"),
    /** Checks refused because their network or key asked too much. */
    RATE_LIMITED("refused: over a rate limit"),
    /** Checks refused because their key is expired. */
    KEY_EXPIRED("refused: key expired"),
    /** Checks refused because their key is not for reading. */
    KEY_CANNOT_READ("refused: key may not read"),
    /** Requests refused over a connection whose source was blocked since. */
    BLOCKED("refused: source blocked"),
    /** Checks whose match is on the skip list. */
    MATCHES_SKIPPED("matches on the skip list"),
    /** Checks that found only what is kept back for a while. */
    DELAYED("matches kept back for a while"),
    /** Replies whose flag the client may not see. */
    HIDDEN("replies with a hidden flag"),
    /** Plain datagrams that were answered with more bytes than they had. */
    AMPLIFIED("plain requests answered with more bytes than they had"),
    /** Requests refused because they were not encrypted. */
    ENCRYPTION_REQUIRED("refused: not encrypted"),
    /** Updates refused because too many wait. */
    QUEUE_FULL("refused: update queue full"),
    /** Dropped unread: from a blocked source. */
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
    /** Dropped: encrypted and damaged, or for another key. */
    DROPPED_MAC("dropped: wrong authenticator"),
    /** Requests that hit a defect of this program; the first one is logged. */
    DROPPED_INTERNAL("dropped: internal error"),
    /** Replies that the system refused to send. */
    SEND_FAILED("replies that could not be sent"),
    /** Failures to receive that were not a datagram. */
    RECEIVE_FAILED("failures to receive");

    private final String description;

    Counter(String description) {
        this.description = description;
    }

    /** A few words for people. */
    public String description() {
        return description;
    }

    /** Whether it counts datagrams that got no reply because something was wrong with them. */
    public boolean isDrop() {
        return name().startsWith("DROPPED_");
    }
}
