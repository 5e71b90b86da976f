package dev.weir.storage;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The 64 bytes that name a hash exactly (a BLAKE2b-512 of the content; the storage never looks inside).
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
    @Override
    public String toString() {
        return HexFormat.of().formatHex(toBytes());
    }
}
