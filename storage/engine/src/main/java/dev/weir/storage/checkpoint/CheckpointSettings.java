package dev.weir.storage.checkpoint;

import java.time.Duration;

/**
 * The sizes of a store.
 *
 * @param bufferBytes size of a buffer for slots, and about the size of a write to an image
 * @param buffers the most buffers that wait for the disk; when all are full, updates wait
 * @param pageRecords records in a page of an image
 * @param logBytes bytes of log behind the last checkpoint that cause the next one, if the image is small
 * @param interval time after which changes cause a checkpoint
 * @param threads threads that load the index at a start; with 1, the starting thread does everything
 */
public record CheckpointSettings(int bufferBytes, int buffers, int pageRecords, long logBytes, Duration interval,
        int threads) {
    /** 32 MiB of buffers, pages of 1,024 records, a checkpoint after 256 MiB of log or ten minutes; all processors. */
    public static final CheckpointSettings DEFAULT = new CheckpointSettings(1 << 20, 32, 1_024, 256L << 20,
            Duration.ofMinutes(10), Runtime.getRuntime().availableProcessors());

    /** Sizes of a store that one thread loads. */
    public CheckpointSettings(int bufferBytes, int buffers, int pageRecords, long logBytes, Duration interval) {
        this(bufferBytes, buffers, pageRecords, logBytes, interval, 1);
    }
}
