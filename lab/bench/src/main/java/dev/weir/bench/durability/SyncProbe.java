package dev.weir.bench.durability;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Histogram;

/**
 * The sync rate of a disk: {@code pwrite} and {@code fdatasync} in turn. The file was filled with zeros and synced
 * before,
 * so a sync writes neither its length nor block allocations. No program that syncs before it acknowledges can be
 * faster.
 */
final class SyncProbe implements AutoCloseable {
    /** Size of the log record of a hash with shingles, in bytes. */
    static final int RECORD = 416;

    private static final int MOST_RECORDS = 1024;
    private static final int FILE_BYTES = 32 << 20;

    private final Path file;
    private final FileChannel channel;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(MOST_RECORDS * RECORD);
    private long at;

    private SyncProbe(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
        while (bytes.hasRemaining()) {
            bytes.put((byte) (bytes.position() * 31 + 7));
        }
    }

    /** Creates a temporary file in the folder; {@link #close} deletes it. */
    static SyncProbe open(Path folder) throws IOException {
        Path file = Files.createTempFile(folder, "disk", ".bin");
        SyncProbe disk = new SyncProbe(file, FileChannel.open(file, StandardOpenOption.WRITE));
        ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 20);
        for (long at = 0; at < FILE_BYTES; at += zeros.capacity()) {
            disk.channel.write(zeros.clear(), at);
        }
        disk.channel.force(true);
        return disk;
    }

    /**
     * A measured rate.
     *
     * @param records number of records per sync
     * @param perSecond syncs per second
     * @param latency of one write with its sync, in nanoseconds
     */
    record Rate(int records, double perSecond, Histogram latency) {
        /** Returns the learn requests per second that this rate permits. */
        double learns() {
            return records * perSecond;
        }
    }

    /** Appends records and waits until they are on disk. */
    void keep(int records) throws IOException {
        int length = Math.min(records, MOST_RECORDS) * RECORD;
        if (at + length > FILE_BYTES) {
            at = 0;
        }
        channel.write(bytes.clear().limit(length), at);
        channel.force(false);
        at += length;
    }

    /** Appends batches of this many records for a period. */
    Rate measure(int records, Duration duration) throws IOException {
        Histogram latency = new Histogram(TimeUnit.MINUTES.toNanos(10), 3);
        long start = System.nanoTime();
        long now = start;
        while (now - start < duration.toNanos()) {
            keep(records);
            long done = System.nanoTime();
            latency.recordValue(done - now);
            now = done;
        }
        return new Rate(records, latency.getTotalCount() / ((now - start) / 1e9), latency);
    }

    @Override
    public void close() throws IOException {
        channel.close();
        Files.delete(file);
    }
}
