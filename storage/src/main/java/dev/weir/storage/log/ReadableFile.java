package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file of the log as its readers see it. Several threads may read. */
public interface ReadableFile extends Closeable {
    /** Length in bytes. */
    long size() throws IOException;

    /** Reads some bytes from a position on; returns how many, -1 at the end. */
    int read(ByteBuffer target, long position) throws IOException;

    /** Reads from a position until the target is full or the file ends. */
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
