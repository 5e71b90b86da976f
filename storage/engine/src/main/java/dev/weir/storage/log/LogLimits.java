package dev.weir.storage.log;

import java.time.Duration;

/**
 * The size limits of a log.
 *
 * @param segmentBytes maximum length of a segment; a full segment is followed by a new one
 * @param maxBytes total length at which updates are refused until the store has caught up
 * @param reserveBytes space that the log leaves free on the disk, so that the store can catch up on a full disk
 * @param retain how long applied updates are kept for the audit trail, within {@code retainBytes}
 * @param retainBytes maximum size of applied updates; beside a small store it is less ({@link #historyBytes})
 * @param repeats how long applied updates that clients asked for are kept whatever the size of the history, while they
 *            take less than half of {@code maxBytes}: a start must recognize their repetitions
 */
public record LogLimits(int segmentBytes, long maxBytes, long reserveBytes, Duration retain, long retainBytes,
        Duration repeats) {
    /** The minimum length of a segment: a header and some records. */
    public static final int MIN_SEGMENT = 4_096;

    /** The maximum length of a segment. Positions are ints. */
    public static final int MAX_SEGMENT = 1 << 30;

    /** The 30 seconds in which clients may repeat a request, and a margin. */
    public static final Duration REPEATS = Duration.ofSeconds(40);

    /**
     * The maximum length in milliseconds that a pause between two updates counts where the log tells the age of a
     * request. The clock may have been set in it, and more than once while a client repeats a request: the log shows
     * that only when a storage takes the new time. So a request after longer pauses counts as younger than it is.
     */
    public static final long LONGEST_PAUSE = 1_000;

    /**
     * Bytes of a store for each byte of history. With the segment in use and the next one, the log thus takes 10 bytes
     * for each of ten million hashes without shingles, whose slots and votes take 88.
     */
    private static final int STORE_FOR_HISTORY = 16;

    /**
     * Up to 32 MiB for each segment (about 80,000 updates), 4 GiB in total, 256 MiB left free; a week of history in up
     * to 384 MiB.
     */
    public static final LogLimits DEFAULT = new LogLimits(32 << 20, 4L << 30, 256L << 20, Duration.ofDays(7),
            384L << 20, REPEATS);

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if there is no room for two segments
     */
    public LogLimits {
        if (segmentBytes < MIN_SEGMENT || segmentBytes > MAX_SEGMENT || segmentBytes % 8 != 0) {
            throw new IllegalArgumentException("a segment has " + MIN_SEGMENT + " to " + MAX_SEGMENT
                    + " bytes, a multiple of 8, not " + segmentBytes);
        }
        if (maxBytes < 2L * segmentBytes) {
            throw new IllegalArgumentException("the log needs room for two segments of " + segmentBytes + " bytes");
        }
    }

    /** Returns the maximum size of applied updates beside a store of some size: a sixteenth of it, or one segment. */
    public long historyBytes(long storeBytes) {
        return Math.min(retainBytes, Math.max(segmentBytes, storeBytes / STORE_FOR_HISTORY));
    }

    /** Returns a copy without a maximum size. */
    LogLimits withoutEnd() {
        return new LogLimits(segmentBytes, Long.MAX_VALUE / 2, 0, retain, Long.MAX_VALUE / 2, repeats);
    }

    /** Returns a copy with another total size. The size of the history shrinks with it. */
    public LogLimits withMost(long bytes) {
        return new LogLimits(segmentBytes, bytes, reserveBytes, retain, Math.min(retainBytes, bytes / 4),
                repeats);
    }
}
