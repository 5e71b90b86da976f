package dev.weir.storage.history;

/** The figures that the history keeps. The order is that of the file: append new ones only. */
public enum Series {
    /** Checks looked up. */
    CHECKS(true),
    /** Checks with a match. */
    HITS(true),
    /** Writes accepted. */
    LEARNS(true),
    /** Deletes accepted. */
    DELETES(true),
    /** Requests answered with an error. */
    REFUSED(true),
    /** Requests without an answer. */
    DROPPED(true),
    /** Stored hashes. */
    HASHES(false),
    /** Updates that wait for the disk. */
    QUEUED(false),
    /** Updates that the database or store lacks. */
    PENDING(false),
    /** Bytes of the update log. */
    LOG_BYTES(false),
    /** Time within which half of the checks were answered, in nanoseconds. */
    P50(false),
    /** Time within which 99 % of the checks were answered, in nanoseconds. */
    P99(false),
    /** Time within which 99.9 % of the checks were answered, in nanoseconds. */
    P999(false);

    private final boolean counted;

    Series(boolean counted) {
        this.counted = counted;
    }

    /** Returns whether values add up over time; otherwise a value describes a moment. */
    public boolean isCounted() {
        return counted;
    }
}
