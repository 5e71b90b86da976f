package dev.weir.storage.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.util.zip.CRC32C;

/** A writer of numbers and memory in the byte order of the machine, with a checksum at the end. */
final class SnapshotWriter {
    /** Bytes per step. A step is small enough to stay in the cache between the checksum and the write. */
    static final int AT_ONCE = 1 << 20;

    private final WritableByteChannel target;
    private final CRC32C sum = new CRC32C();
    private final ByteBuffer number = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());

    SnapshotWriter(WritableByteChannel target) {
        this.target = target;
    }

    void number(long value) throws IOException {
        number.clear().putLong(value).flip();
        write(number);
    }

    void memory(long address, long bytes) throws IOException {
        for (long done = 0; done < bytes; done += AT_ONCE) {
            write(OffHeapArena.buffer(address + done, (int) Math.min(AT_ONCE, bytes - done)));
        }
    }

    /** Writes the checksum of everything before it. */
    void finish() throws IOException {
        number(sum.getValue());
    }

    private void write(ByteBuffer bytes) throws IOException {
        sum.update(bytes.duplicate());
        while (bytes.hasRemaining()) {
            target.write(bytes);
        }
    }
}
