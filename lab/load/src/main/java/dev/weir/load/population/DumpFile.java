package dev.weir.load.population;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;

import dev.weir.wire.Protocol;

/**
 * A writer of a population as a dump (docs/reference/dump.md) for {@code weir import}, the fastest way to fill a
 * storage. The dump is not compressed, because random data does not compress.
 */
public final class DumpFile {
    private static final byte[] MAGIC = "WEIRDUMP".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 1;
    private static final int HEADER = 28;
    private static final int BLOCK_HEADER = 14;
    private static final byte PLAIN = 0;
    private static final int BLOCK = 256 * 1024;
    private static final int MAX_RECORD = 512;
    private static final int BUFFER = 1 << 20;

    private final OutputStream out;
    private final MessageDigest content;
    private final ByteBuffer records = ByteBuffer.allocate(BLOCK + MAX_RECORD).order(ByteOrder.LITTLE_ENDIAN);
    private int inBlock;
    private long total;

    private DumpFile(OutputStream out) {
        this.out = out;
        try {
            this.content = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /**
     * Writes all hashes of a population to a file. The file appears when it is complete.
     *
     * @param shingles whether the hashes have signatures
     * @param time time of learning, in seconds since the epoch
     * @param progress receives the number of written hashes
     */
    public static void write(Path file, Population population, boolean shingles, long time, LongConsumer progress)
            throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(part), BUFFER)) {
            new DumpFile(out).write(population, shingles, time, progress);
        }
        Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private void write(Population population, boolean shingles, long time, LongConsumer progress) throws IOException {
        byte[] header = new byte[HEADER + Integer.BYTES];
        ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).put(MAGIC).putShort((short) VERSION).putShort((short) 0)
                .putLong(population.stream(0)).putLong(time);
        checked(header, new byte[0], 0);
        long[] signature = new long[Protocol.SHINGLES];
        for (long number = 0; number < population.size(); number++) {
            put(population, number, shingles, time, signature);
            if (records.position() >= BLOCK) {
                flush();
                progress.accept(total);
            }
        }
        if (inBlock > 0) {
            flush();
        }
        ByteBuffer end = ByteBuffer.allocate(Long.BYTES + content.getDigestLength()).order(ByteOrder.LITTLE_ENDIAN);
        end.putLong(total).put(content.digest());
        block((byte) 'E', 0, end.array(), end.capacity());
        progress.accept(total);
    }

    private void put(Population population, long number, boolean shingles, long time, long[] signature) {
        population.digest(number, records.array(), records.position());
        records.position(records.position() + Protocol.DIGEST);
        varint(1);
        zigzag(population.flag(number));
        zigzag(population.value(number));
        zigzag(time);
        zigzag(0);
        records.put((byte) (shingles ? 1 : 0));
        if (shingles) {
            population.shingles(number, signature);
            records.putInt(-1);
            for (long shingle : signature) {
                records.putLong(shingle);
            }
        }
        inBlock++;
    }

    private void zigzag(long value) {
        varint((value << 1) ^ (value >> 63));
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            records.put((byte) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        records.put((byte) rest);
    }

    private void flush() throws IOException {
        content.update(records.array(), 0, records.position());
        block((byte) 'B', inBlock, records.array(), records.position());
        total += inBlock;
        inBlock = 0;
        records.clear();
    }

    private void block(byte kind, int count, byte[] bytes, int length) throws IOException {
        byte[] header = new byte[BLOCK_HEADER + Integer.BYTES];
        ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).put(kind).put(PLAIN).putInt(count).putInt(length)
                .putInt(length);
        checked(header, bytes, length);
    }

    /** Writes a header, the data, and the checksum of both. */
    private void checked(byte[] header, byte[] bytes, int length) throws IOException {
        int end = header.length - Integer.BYTES;
        CRC32C crc = new CRC32C();
        crc.update(header, 0, end);
        crc.update(bytes, 0, length);
        ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).putInt(end, (int) crc.getValue());
        out.write(header);
        out.write(bytes, 0, length);
    }
}
