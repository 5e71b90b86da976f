package dev.weir.load.query;

/** The rules by which storages find near duplicates, which determine the right answers. */
public enum Rule {
    /**
     * The best hash with more than 16 equal shingles. The probability is their number divided by 32. Used by Weir, and
     * by Rspamd with Redis.
     */
    COUNT(0),

    /**
     * One equal shingle does not count, so 17 are not enough (docs/reference/storage.md#similar-signatures-in-sqlite).
     * Used by Rspamd with SQLite.
     */
    RSPAMD_SQLITE(1);

    private static final int SUFFICIENT = 17;
    private static final float ALL = 32;

    private final int uncounted;

    Rule(int uncounted) {
        this.uncounted = uncounted;
    }

    /** Returns whether a number of equal shingles is a match. */
    boolean matches(int equal) {
        return equal - uncounted >= SUFFICIENT;
    }

    /** Returns the probability of a match. */
    float probability(int equal) {
        return (equal - uncounted) / ALL;
    }
}
