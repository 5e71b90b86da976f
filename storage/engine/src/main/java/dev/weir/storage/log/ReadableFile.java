package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file of the log, for reading. Several threads may read. */
public interface ReadableFile extends Closeable {
    /** Returns the length in bytes. */
    long size() throws IOException;

    /** Reads some bytes at a position. Returns their number, or -1 at the end. */
    int read(ByteBuffer target, long position) throws IOException;

    /** Reads at a position until the target is full or the file ends. */
    default void readFully(ByteBuffer target, long position) throws IOException {
        long at = position;
        while (target.hasRemaining()) {
            int count = read(target, at);
            if (count < 0) {
                return;
            }
            at += count;
        }
    }
}
