package dev.weir.storage.stats;

/**
 * Request outcomes of a client or a flag.
 *
 * @param checked answered checks
 * @param matched checks that found a hash visible to the client
 * @param added stored writes
 * @param deleted completed deletes
 * @param errors requests of any kind answered with an error code
 */
public record Counts(long checked, long matched, long added, long deleted, long errors) {
    /** All counts zero. */
    public static final Counts NONE = new Counts(0, 0, 0, 0, 0);

    static final int CHECKED = 0;
    static final int MATCHED = 1;
    static final int ADDED = 2;
    static final int DELETED = 3;
    static final int ERRORS = 4;

    /** The number of counts. */
    static final int FIELDS = 5;

    static Counts read(Cells cells, int at) {
        return new Counts(cells.get(at + CHECKED), cells.get(at + MATCHED), cells.get(at + ADDED),
                cells.get(at + DELETED), cells.get(at + ERRORS));
    }

    /** Returns the sum of these counts and others. */
    public Counts plus(Counts other) {
        return new Counts(checked + other.checked, matched + other.matched, added + other.added,
                deleted + other.deleted, errors + other.errors);
    }
}
