package dev.weir.bench;

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
 * through a file that was filled with zeros and synced before, so that no sync has to write the file's length or blocks.
 * No program that syncs before it acknowledges can be faster than this.
 */
final class Disk {
    /** What one learn with shingles takes in a log, in bytes. */
    static final int RECORD = 416;

    private static final int FILE_BYTES = 32 << 20;

    private Disk() {}

    /**
     * What a disk did.
     *
     * @param records learns that each sync covered
     * @param perSecond syncs a second
     * @param latency of one write with its sync, in nanoseconds
     */
    record Rate(int records, double perSecond, Histogram latency) {
        /** The learns a second that such syncs permit. */
        double learns() {
            return records * perSecond;
        }
    }

    /** Syncs so many records at a time, in a file of its own in the folder. */
    static Rate measure(Path folder, int records, Duration duration) throws IOException {
        final Path file = Files.createTempFile(folder, "disk", ".bin");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            final ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 20);
            for (long at = 0; at < FILE_BYTES; at += zeros.capacity()) {
                channel.write(zeros.clear(), at);
            }
            channel.force(true);
            final ByteBuffer bytes = ByteBuffer.allocateDirect(records * RECORD);
            while (bytes.hasRemaining()) {
                bytes.put((byte) (bytes.position() * 31 + 7));
            }
            final Histogram latency = new Histogram(TimeUnit.MINUTES.toNanos(10), 3);
            final long start = System.nanoTime();
            long now = start;
            for (long at = 0; now - start < duration.toNanos(); at = (at + bytes.capacity()) % (FILE_BYTES - bytes
                    .capacity())) {
                channel.write(bytes.clear(), at);
                channel.force(false);
                final long done = System.nanoTime();
                latency.recordValue(done - now);
                now = done;
            }
            return new Rate(records, latency.getTotalCount() / ((now - start) / 1e9), latency);
        } finally {
            Files.delete(file);
        }
    }
}
