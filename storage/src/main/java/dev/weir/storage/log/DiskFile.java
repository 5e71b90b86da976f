package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file of a {@link Disk}. Several threads may read while one writes. */
public interface DiskFile extends Closeable {
    /** Length in bytes. */
    long size() throws IOException;

    /** Reads some bytes from a position on; returns how many, -1 at the end. */
    int read(ByteBuffer target, long position) throws IOException;

    /** Writes some of the remaining bytes at a position; returns how many. */
    int write(ByteBuffer source, long position) throws IOException;

    /** Cuts off what is behind {@code size} bytes. */
    void truncate(long size) throws IOException;

    /** Returns when what was written before lasts. After a failure nothing is known about what was written. */
    void force() throws IOException;
}
