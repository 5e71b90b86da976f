package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file of a {@link Disk}. Several threads may read while one writes. */
public interface DiskFile extends ReadableFile {
    /** Writes some of the remaining bytes at a position; returns how many. */
    int write(ByteBuffer source, long position) throws IOException;

    /** Writes all of the remaining bytes at a position. */
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
     * Writes all of the remaining bytes at a position behind which the file holds zeros, and returns when they last.
     * What was written otherwise before may need a {@link #force} of its own. After a failure nothing is known about
     * what was written, and the file should not be written to any more.
     */
    default void writeForced(ByteBuffer source, long position) throws IOException {
        writeFully(source, position);
        force();
    }

    /** Cuts off what is behind {@code size} bytes. */
    void truncate(long size) throws IOException;

    /** Returns when what was written before lasts. After a failure nothing is known about what was written. */
    void force() throws IOException;
}
