package dev.weir.storage.transfer.dump;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;

import dev.weir.storage.StoredHash;

/**
 * A writer of a dump to a stream (docs/reference/dump.md). Before {@link #finish} the dump is incomplete, and a reader
 * detects that.
 */
public final class DumpWriter implements AutoCloseable {
    /**
     * The compression level. Hashes are random and do not compress; adjacent near duplicates share most shingles, which
     * the fastest level finds.
     */
    private static final int LEVEL = Deflater.BEST_SPEED;

    private final OutputStream out;
    private final RecordWriter records = new RecordWriter();
    private final MessageDigest content = DumpFormat.contentDigest();
    private final Deflater deflater = new Deflater(LEVEL, true);
    private int inBlock;
    private long total;

    private DumpWriter(OutputStream out) {
        this.out = out;
    }

    /**
     * Writes the header.
     *
     * @param id a random number that identifies the dump
     * @param time seconds since the epoch
     */
    public static DumpWriter begin(OutputStream out, long id, long time) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(DumpFormat.HEADER).order(ByteOrder.LITTLE_ENDIAN);
        header.put(DumpFormat.MAGIC).putShort((short) DumpFormat.VERSION).putShort((short) 0).putLong(id).putLong(time);
        CRC32C crc = new CRC32C();
        crc.update(header.array(), 0, header.position());
        header.putInt((int) crc.getValue());
        out.write(header.array());
        return new DumpWriter(out);
    }

    /** Appends a hash. */
    public void write(StoredHash hash) throws IOException {
        records.put(hash);
        inBlock++;
        if (records.length() >= DumpFormat.BLOCK_TARGET) {
            flushBlock();
        }
    }

    /** Writes the current block and the end. The stream stays open and is not flushed. */
    public void finish() throws IOException {
        if (inBlock > 0) {
            flushBlock();
        }
        ByteBuffer end = ByteBuffer.allocate(DumpFormat.END_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        end.putLong(total).put(content.digest());
        writeBlock(DumpFormat.END, DumpFormat.PLAIN, 0, end.capacity(), end.array(), end.capacity());
    }

    private void flushBlock() throws IOException {
        content.update(records.buffer(), 0, records.length());
        byte[] packed = new byte[records.length()];
        deflater.reset();
        deflater.setInput(records.buffer(), 0, records.length());
        deflater.finish();
        int size = deflater.deflate(packed);
        if (deflater.finished() && size < records.length()) {
            writeBlock(DumpFormat.BLOCK, DumpFormat.DEFLATED, inBlock, records.length(), packed, size);
        } else {
            writeBlock(DumpFormat.BLOCK, DumpFormat.PLAIN, inBlock, records.length(), records.buffer(),
                    records.length());
        }
        total += inBlock;
        inBlock = 0;
        records.clear();
    }

    private void writeBlock(byte kind, byte method, int count, int raw, byte[] stored, int size) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(DumpFormat.BLOCK_HEADER).order(ByteOrder.LITTLE_ENDIAN);
        header.put(kind).put(method).putInt(count).putInt(raw).putInt(size);
        CRC32C crc = new CRC32C();
        crc.update(header.array(), 0, header.position());
        crc.update(stored, 0, size);
        header.putInt((int) crc.getValue());
        out.write(header.array());
        out.write(stored, 0, size);
    }

    /** Releases native memory. The stream stays open. */
    @Override
    public void close() {
        deflater.end();
    }
}
