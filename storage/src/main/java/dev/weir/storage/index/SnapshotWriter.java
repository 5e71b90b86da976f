package dev.weir.storage.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.util.zip.CRC32C;

/** Writes numbers and memory one behind the other, in the byte order of the machine, and a checksum at the end. */
final class SnapshotWriter {
    /** So much is summed up and written at once: what was just read for the one is still near for the other. */
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
            write(OffHeap.buffer(address + done, (int) Math.min(AT_ONCE, bytes - done)));
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
