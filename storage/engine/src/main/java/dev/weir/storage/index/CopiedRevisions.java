package dev.weir.storage.index;

/**
 * The last update in each page of a loaded checkpoint. A checkpoint is copied page by page while the storage runs, so a
 * later page has later updates, and a replay must leave these out.
 */
final class CopiedRevisions {
    private final int pageRecords;
    private final int[] bounds;
    private final long[][] revisions;

    CopiedRevisions(int pageRecords, int plainBound, int signedBound) {
        this.pageRecords = pageRecords;
        this.bounds = new int[]{plainBound, signedBound};
        this.revisions = new long[][]{new long[pages(plainBound)], new long[pages(signedBound)]};
    }

    private int pages(int bound) {
        return (bound - 1 + pageRecords - 1) / pageRecords;
    }

    /** Remembers the last update of the page that begins with the record {@code first}. */
    void set(boolean signed, int first, long revision) {
        revisions[signed ? 1 : 0][(first - 1) / pageRecords] = revision;
    }

    /** Returns whether the record of a hash was loaded with an update. A record that is newer was not. */
    boolean has(int number, long revision) {
        int id = IndexTables.recordId(number);
        int table = IndexTables.isSimilar(number) ? 1 : 0;
        return number != IndexTables.NONE && id < bounds[table]
                && revision <= revisions[table][(id - 1) / pageRecords];
    }
}
