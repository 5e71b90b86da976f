package dev.weir.load.query;

/** By which rule a storage finds what is nearly the same, and so what is right for it to answer. */
public enum Rule {
    /**
     * The best hash with more than 16 equal shingles; the probability is their number by 32. Weir, Rspamd with Redis.
     */
    COUNT(0),

    /**
     * One equal shingle is not counted, so that 17 do not suffice
     * (docs/reference/storage.md#similar-signatures-in-sqlite). Rspamd with SQLite.
     */
    RSPAMD_SQLITE(1);

    private static final int SUFFICIENT = 17;
    private static final float ALL = 32;

    private final int uncounted;

    Rule(int uncounted) {
        this.uncounted = uncounted;
    }

    /** Returns whether so many equal shingles are a match. */
    boolean matches(int equal) {
        return equal - uncounted >= SUFFICIENT;
    }

    /** Returns the probability of a match. */
    float probability(int equal) {
        return (equal - uncounted) / ALL;
    }
}
