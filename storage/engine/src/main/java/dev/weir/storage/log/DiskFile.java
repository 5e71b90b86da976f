package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file of a {@link Disk}. Several threads may read while one writes. */
public interface DiskFile extends ReadableFile {
    /** Writes some of the remaining bytes at a position; returns how many. */
    int write(ByteBuffer source, long position) throws IOException;

    /** Writes all remaining bytes at a position. */
    default void writeFully(ByteBuffer source, long position) throws IOException {
        long at = position;
        while (source.hasRemaining()) {
            int count = write(source, at);
            if (count <= 0) {
                throw new IOException("nothing could be written");
            }
            at += count;
        }
    }

    /**
     * Writes all remaining bytes at a position after which the file contains nothing of use, and returns when they are
     * durable. Zeros may replace some of what follows. Other earlier writes may need a separate {@link #force}. After a
     * failure, the state of the written bytes is unknown, and the file should not be written to anymore.
     */
    default void writeForced(ByteBuffer source, long position) throws IOException {
        writeFully(source, position);
        force();
    }

    /** Truncates the file to {@code size} bytes. */
    void truncate(long size) throws IOException;

    /** Makes all earlier writes durable. After a failure, the state of the written bytes is unknown. */
    void force() throws IOException;
}
