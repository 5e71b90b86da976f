package dev.weir.storage.log;

/**
 * The claim of one consumer to the updates after a revision. Any thread may move it. {@link UpdateLog#has} tells
 * whether the updates are there.
 */
public final class LogClaim {
    /** In place of a revision: the consumer needs no update. */
    public static final long NOTHING = Long.MAX_VALUE - 1;

    private final String name;
    private final Retention retention;
    private volatile long revision;

    /** How long a log keeps updates that a consumer lacks. */
    public enum Policy {
        /** Whatever happens: the log refuses updates rather than delete one. */
        MUST_KEEP,
        /** While they take no more than a number of bytes, and while the log does not need their space. */
        BOUNDED,
        /** While the log does not need their space. */
        MAY_LOSE
    }

    /**
     * A policy with its limit.
     *
     * @param maxBytes the size of the updates from which on they are deleted all the same
     */
    public record Retention(Policy policy, long maxBytes) {
        public static final Retention MUST_KEEP = new Retention(Policy.MUST_KEEP, Long.MAX_VALUE);
        public static final Retention MAY_LOSE = new Retention(Policy.MAY_LOSE, Long.MAX_VALUE);

        /** Returns the policy to keep updates up to a size. */
        public static Retention upTo(long maxBytes) {
            return new Retention(Policy.BOUNDED, maxBytes);
        }
    }

    /**
     * Creates a claim for a log that is not open yet.
     *
     * @param name the consumer in a word or two, such as {@code store}
     * @param revision the last revision that the consumer does not need
     */
    public LogClaim(String name, Retention retention, long revision) {
        this.name = name;
        this.retention = retention;
        this.revision = revision;
    }

    /** Gives up the updates up to a revision. */
    public void moveTo(long last) {
        revision = last;
    }

    /** Returns the last revision that the consumer does not need. */
    public long revision() {
        return revision;
    }

    /** Returns how long the log keeps what the consumer lacks. */
    public Retention retention() {
        return retention;
    }

    /** Returns the consumer in a word or two. */
    public String name() {
        return name;
    }
}
