package dev.weir.model;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The 64 bytes that name a hash exactly: a BLAKE2b-512 of the content. Immutable.
 *
 * <p>Kept as eight little-endian words because that is how everything here compares and hashes it.
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
     * @throws IllegalArgumentException if there are not 64
     */
    public static Digest of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a digest has 64 bytes, not " + bytes.length);
        }
        return read(bytes, 0);
    }

    /** Reads 128 hexadecimal digits of either case; nothing else is a digest. */
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
     * Copies a digest out of a byte array.
     *
     * @throws IndexOutOfBoundsException if fewer than 64 bytes are there
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

    /** Reads 64 bytes into eight words without making an object. */
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

    /** Word {@code i} of 0..7, little endian. */
    public long word(int i) {
        return words[i];
    }

    /** Copies the eight words. */
    public void copyTo(long[] target, int offset) {
        System.arraycopy(words, 0, target, offset, WORDS);
    }

    /** A fresh array with the 64 bytes. */
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

    /** 128 lower-case hexadecimal digits, as Rspamd writes digests. */
    public String hex() {
        return HexFormat.of().formatHex(toBytes());
    }

    @Override
    public String toString() {
        return hex();
    }
}
