package dev.weir.storage.log;

import java.time.Duration;

/**
 * How large a log may become.
 *
 * @param segmentBytes length of one file; a new one is made when it is full
 * @param maxBytes high-water mark: at this length of all files, updates are refused until the backend has caught up
 * @param reserveBytes what the log leaves free on the disk, so that the backend can catch up on a disk that is full
 * @param retain how long applied updates are kept for the audit trail, as far as {@code retainBytes} go
 * @param retainBytes the most that applied updates may take
 */
public record LogLimits(int segmentBytes, long maxBytes, long reserveBytes, Duration retain, long retainBytes) {
    /** The smallest segment: header and some records. */
    public static final int MIN_SEGMENT = 4_096;

    /** The largest segment: records are found by an int. */
    public static final int MAX_SEGMENT = 1 << 30;

    /**
     * 64 MiB a file (some 160,000 learns), 4 GiB in all, 256 MiB left free; a week of history in up to 512 MiB.
     */
    public static final LogLimits DEFAULT = new LogLimits(64 << 20, 4L << 30, 256L << 20, Duration.ofDays(7),
            512L << 20);

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if the limits do not leave room for two segments
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

    /** Returns a copy with another largest size in all; what is kept for readers shrinks with it. */
    public LogLimits withMost(long bytes) {
        return new LogLimits(segmentBytes, bytes, reserveBytes, retain, Math.min(retainBytes, bytes / 4));
    }
}
