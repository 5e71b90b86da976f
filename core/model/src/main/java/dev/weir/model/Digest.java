package dev.weir.model;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The 64 bytes that identify a hash: a BLAKE2b-512 of the content. Immutable.
 *
 * <p>Stored as eight little-endian words, the form in which all modules compare and hash digests.
 */
public final class Digest {
    /** Length in bytes. */
    public static final int BYTES = 64;

    /** Length in 64-bit words. */
    public static final int WORDS = BYTES / Long.BYTES;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long[] words;

    private Digest(long[] words) {
        this.words = words;
    }

    /**
     * Copies 64 bytes.
     *
     * @throws IllegalArgumentException if the length is not 64
     */
    public static Digest of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a digest has 64 bytes, not " + bytes.length);
        }
        return read(bytes, 0);
    }

    /** Parses exactly 128 hexadecimal digits of either case. Returns empty for other text. */
    public static Optional<Digest> parse(String hex) {
        if (hex.length() != 2 * BYTES) {
            return Optional.empty();
        }
        try {
            return Optional.of(read(HexFormat.of().parseHex(hex), 0));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * Copies a digest from a byte array.
     *
     * @throws IndexOutOfBoundsException if the array ends before the 64 bytes do
     */
    public static Digest read(byte[] source, int offset) {
        long[] words = new long[WORDS];
        readWords(source, offset, words);
        return new Digest(words);
    }

    /** Copies eight words from {@code source}. */
    public static Digest ofWords(long[] source, int offset) {
        return new Digest(Arrays.copyOfRange(source, offset, offset + WORDS));
    }

    /** Reads 64 bytes into eight words without allocating. */
    public static void readWords(byte[] source, int offset, long[] target) {
        for (int i = 0; i < WORDS; i++) {
            target[i] = (long) LONG.get(source, offset + i * Long.BYTES);
        }
    }

    /** Writes eight words as 64 bytes. */
    public static void writeWords(long[] source, byte[] target, int offset) {
        for (int i = 0; i < WORDS; i++) {
            LONG.set(target, offset + i * Long.BYTES, source[i]);
        }
    }

    /** Returns word {@code i} of 0..7, read as little endian. */
    public long word(int i) {
        return words[i];
    }

    /** Copies the eight words. */
    public void copyTo(long[] target, int offset) {
        System.arraycopy(words, 0, target, offset, WORDS);
    }

    /** Returns the 64 bytes in a new array. */
    public byte[] toBytes() {
        byte[] bytes = new byte[BYTES];
        writeWords(words, bytes, 0);
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Digest that && Arrays.equals(words, that.words);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(words);
    }

    /** Returns 128 lower-case hexadecimal digits, the form that Rspamd prints. */
    public String hex() {
        return HexFormat.of().formatHex(toBytes());
    }

    @Override
    public String toString() {
        return hex();
    }
}
