package dev.weir.storage.stats;

/**
 * Outcomes of the requests of a client, or of those about a flag.
 *
 * @param checked checks that were answered
 * @param matched those of them that found something that the client may see
 * @param added writes that were stored
 * @param deleted deletes that were done
 * @param errors requests of any kind that were answered with an error code
 */
public record Counts(long checked, long matched, long added, long deleted, long errors) {
    /** Nothing yet. */
    public static final Counts NONE = new Counts(0, 0, 0, 0, 0);

    static final int CHECKED = 0;
    static final int MATCHED = 1;
    static final int ADDED = 2;
    static final int DELETED = 3;
    static final int ERRORS = 4;

    /** How many numbers there are. */
    static final int FIELDS = 5;

    static Counts read(Cells cells, int at) {
        return new Counts(cells.get(at + CHECKED), cells.get(at + MATCHED), cells.get(at + ADDED),
                cells.get(at + DELETED), cells.get(at + ERRORS));
    }

    /** Returns the sum of these and others. */
    public Counts plus(Counts other) {
        return new Counts(checked + other.checked, matched + other.matched, added + other.added,
                deleted + other.deleted, errors + other.errors);
    }
}
