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
 * How often a disk can be made to keep something: {@code pwrite} and {@code fdatasync} in turn, one after the other
 * through a file that was filled with zeros and synced before, so that no sync has to write the file's length or
 * blocks. No program that syncs before it acknowledges can be faster than this.
 */
final class SyncProbe implements AutoCloseable {
    /** What one learn with shingles takes in a log, in bytes. */
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

    /** Returns a file of its own in the folder, which is gone after {@link #close}. */
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
     * What a disk did.
     *
     * @param records learns that each sync covered
     * @param perSecond syncs a second
     * @param latency of one write with its sync, in nanoseconds
     */
    record Rate(int records, double perSecond, Histogram latency) {
        /** Returns the learns a second that such syncs permit. */
        double learns() {
            return records * perSecond;
        }
    }

    /** Writes so many records behind those before, and waits until they are on the disk. */
    void keep(int records) throws IOException {
        int length = Math.min(records, MOST_RECORDS) * RECORD;
        if (at + length > FILE_BYTES) {
            at = 0;
        }
        channel.write(bytes.clear().limit(length), at);
        channel.force(false);
        at += length;
    }

    /** Keeps so many records at a time, again and again. */
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
