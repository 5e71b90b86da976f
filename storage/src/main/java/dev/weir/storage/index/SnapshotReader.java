package dev.weir.storage.index;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;

/** A reader of the format of {@link SnapshotWriter}. The data is valid only after {@link #finish} succeeds. */
final class SnapshotReader {
    private final FileChannel source;
    private final LongConsumer progress;
    private final CRC32C sum = new CRC32C();
    private final ByteBuffer number = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());

    /**
     * Creates a reader of a whole file.
     *
     * @param progress receives the number of bytes read from time to time
     */
    SnapshotReader(FileChannel source, LongConsumer progress) {
        this.source = source;
        this.progress = progress;
    }

    long number() throws IOException {
        number.clear();
        read(number);
        return number.getLong(0);
    }

    /**
     * Reads a number that must be in a range.
     *
     * @throws IOException if it is not, because the file is damaged
     */
    long number(long least, long most) throws IOException {
        long value = number();
        if (value < least || value > most) {
            throw new IOException(value + " is not between " + least + " and " + most);
        }
        return value;
    }

    /** Returns the number of remaining bytes. */
    long remaining() throws IOException {
        return source.size() - source.position();
    }

    void memory(long address, long bytes) throws IOException {
        for (long done = 0; done < bytes; done += SnapshotWriter.AT_ONCE) {
            read(OffHeapArena.buffer(address + done, (int) Math.min(SnapshotWriter.AT_ONCE, bytes - done)));
            progress.accept(source.position());
        }
    }

    /**
     * Compares the checksum.
     *
     * @throws IOException if the checksum differs, or data follows it
     */
    void finish() throws IOException {
        long expected = sum.getValue();
        if (number() != expected || remaining() != 0) {
            throw new IOException("the checksum does not match");
        }
    }

    private void read(ByteBuffer target) throws IOException {
        ByteBuffer whole = target.duplicate();
        while (target.hasRemaining()) {
            if (source.read(target) < 0) {
                throw new EOFException("the file ends too early");
            }
        }
        sum.update(whole);
    }
}
