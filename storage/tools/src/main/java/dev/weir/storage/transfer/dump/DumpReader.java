package dev.weir.storage.transfer.dump;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

import dev.weir.storage.StoredHash;
import org.jspecify.annotations.Nullable;

/**
 * Reads a dump from a stream, docs/reference/dump.md. Memory is bounded by the greatest block that the format allows,
 * whatever the stream holds; everything that is not as it should be is a {@link DumpException}.
 */
public final class DumpReader implements AutoCloseable {
    private final InputStream in;
    private final long id;
    private final MessageDigest content = DumpFormat.contentDigest();
    private final Inflater inflater = new Inflater(true);
    private long total;
    private boolean ended;

    private DumpReader(InputStream in, long id) {
        this.in = in;
        this.id = id;
    }

    /** Returns whether the bytes begin a dump. */
    public static boolean looksLike(byte[] beginning) {
        return beginning.length >= DumpFormat.MAGIC.length
                && Arrays.equals(beginning, 0, DumpFormat.MAGIC.length, DumpFormat.MAGIC, 0, DumpFormat.MAGIC.length);
    }

    /**
     * Reads the header.
     *
     * @throws DumpException if the stream is not a dump, is damaged, or has a later version
     */
    public static DumpReader begin(InputStream in) throws IOException {
        byte[] bytes = in.readNBytes(DumpFormat.HEADER);
        if (!looksLike(bytes)) {
            throw new DumpException("it does not begin like a dump");
        }
        if (bytes.length < DumpFormat.HEADER) {
            throw new DumpException("it ends in its header");
        }
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).position(DumpFormat.MAGIC.length);
        int version = header.getShort() & 0xffff;
        if (version < DumpFormat.OLDEST || version > DumpFormat.VERSION) {
            throw new DumpException("it is of version " + version + ", and this program knows " + DumpFormat.VERSION);
        }
        header.getShort();
        long id = header.getLong();
        // The time of creation is for other programs.
        header.getLong();
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, header.position());
        if ((int) crc.getValue() != header.getInt()) {
            throw new DumpException("its header is damaged");
        }
        return new DumpReader(in, id);
    }

    /** Returns the random number that identifies this dump. */
    public long id() {
        return id;
    }

    /**
     * Returns the hashes of the next block; null after the last one, when the end agrees with what was read.
     *
     * @throws DumpException if the block is damaged or missing, or the dump continues after its end
     */
    public @Nullable List<StoredHash> nextBlock() throws IOException {
        if (ended) {
            return null;
        }
        byte[] bytes = in.readNBytes(DumpFormat.BLOCK_HEADER);
        if (bytes.length < DumpFormat.BLOCK_HEADER) {
            throw cutOff();
        }
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        byte kind = header.get();
        byte method = header.get();
        int count = header.getInt();
        int raw = header.getInt();
        int size = header.getInt();
        if (raw < 0 || raw > DumpFormat.BLOCK_LIMIT || size < 0 || size > raw) {
            throw damaged();
        }
        byte[] stored = in.readNBytes(size);
        if (stored.length < size) {
            throw cutOff();
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, header.position());
        crc.update(stored);
        if ((int) crc.getValue() != header.getInt()) {
            throw damaged();
        }
        if (kind == DumpFormat.END) {
            end(stored);
            return null;
        }
        if (kind != DumpFormat.BLOCK) {
            throw new DumpException("the block after " + total + " hashes is of the unknown kind " + kind);
        }
        return records(unpack(method, stored, raw), count);
    }

    private DumpException cutOff() {
        return new DumpException("it ends after " + total + " hashes without an end mark: it was cut off");
    }

    private DumpException damaged() {
        return new DumpException("the block after " + total + " hashes is damaged");
    }

    private byte[] unpack(byte method, byte[] stored, int raw) throws DumpException {
        return switch (method) {
            case DumpFormat.PLAIN -> whole(stored, stored.length, raw);
            case DumpFormat.DEFLATED -> inflate(stored, raw);
            default -> throw new DumpException(
                    "the block after " + total + " hashes is packed in an unknown way " + method);
        };
    }

    private byte[] inflate(byte[] stored, int raw) throws DumpException {
        byte[] bytes = new byte[raw];
        inflater.reset();
        inflater.setInput(stored);
        try {
            return whole(bytes, inflater.inflate(bytes), raw);
        } catch (DataFormatException e) {
            throw damaged();
        }
    }

    private byte[] whole(byte[] bytes, int length, int expected) throws DumpException {
        if (length != expected) {
            throw damaged();
        }
        return bytes;
    }

    private List<StoredHash> records(byte[] bytes, int count) throws DumpException {
        content.update(bytes);
        RecordReader reader = new RecordReader(bytes, bytes.length);
        List<StoredHash> hashes = new ArrayList<>();
        while (reader.more()) {
            hashes.add(reader.next());
        }
        if (hashes.size() != count) {
            throw damaged();
        }
        total += hashes.size();
        return hashes;
    }

    private void end(byte[] stored) throws IOException {
        if (stored.length != DumpFormat.END_BYTES) {
            throw damaged();
        }
        ByteBuffer end = ByteBuffer.wrap(stored).order(ByteOrder.LITTLE_ENDIAN);
        if (end.getLong() != total
                || !MessageDigest.isEqual(content.digest(), Arrays.copyOfRange(stored, 8, stored.length))) {
            throw new DumpException(
                    "its end does not agree with the " + total + " hashes before it: blocks are missing");
        }
        if (in.read() >= 0) {
            throw new DumpException("data follows its end");
        }
        ended = true;
    }

    /** Releases native memory. The stream stays open. */
    @Override
    public void close() {
        inflater.end();
    }
}
