package dev.weir.hash.shingle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;

/**
 * The words of a text, stored back to back in one array. Hashing reads the array in one pass and creates no object per
 * word. Immutable and thread-safe; {@link #get} returns copies.
 */
public final class WordList extends AbstractList<byte[]> implements RandomAccess {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** Maximum length of a packed word in bytes, and the free space kept after the last word. */
    private static final int PACKED = 2 * Long.BYTES;

    final byte[] bytes;
    private final int[] ends;
    private final int size;

    private WordList(byte[] bytes, int[] ends, int size) {
        this.bytes = bytes;
        this.ends = ends;
        this.size = size;
    }

    /** Returns a list of these words. */
    public static WordList of(List<byte[]> words) {
        if (words instanceof WordList list) {
            return list;
        }
        Builder builder = new Builder(words.size());
        words.forEach(builder::add);
        return builder.build();
    }

    /** Returns the start of a word in {@link #bytes}. */
    int start(int index) {
        return index == 0 ? 0 : ends[index - 1];
    }

    /** Returns the end of a word in {@link #bytes}. */
    int end(int index) {
        return ends[index];
    }

    /** Returns the total length of all words in bytes. */
    int length() {
        return start(size);
    }

    @Override
    public byte[] get(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException("word " + index + " of " + size);
        }
        return Arrays.copyOfRange(bytes, start(index), end(index));
    }

    @Override
    public int size() {
        return size;
    }

    /** A builder that appends words. For one thread and one list. */
    public static final class Builder {
        private byte[] bytes;
        private int[] ends;
        private int size;
        private int length;

        /**
         * @param words expected number of words
         */
        public Builder(int words) {
            bytes = new byte[8 * words + PACKED];
            ends = new int[words];
        }

        /** Adds a word. */
        public void add(byte[] word) {
            reserve(word.length);
            System.arraycopy(word, 0, bytes, length, word.length);
            end(word.length);
        }

        /**
         * Adds a word of up to 16 bytes that contains no zero byte.
         *
         * @param low bytes 1 to 8, the first in the lowest byte, padded with zeros
         * @param high bytes 9 to 16, likewise
         */
        public void add(long low, long high) {
            reserve(PACKED);
            LONG.set(bytes, length, low);
            LONG.set(bytes, length + Long.BYTES, high);
            end(PACKED - (high == 0
                    ? Long.BYTES + Long.numberOfLeadingZeros(low) / Byte.SIZE
                    : Long.numberOfLeadingZeros(high) / Byte.SIZE));
        }

        private void reserve(int more) {
            if (length + more + PACKED > bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * (length + more + PACKED));
            }
            if (size == ends.length) {
                ends = Arrays.copyOf(ends, 2 * size + 1);
            }
        }

        private void end(int added) {
            length += added;
            ends[size++] = length;
        }

        /** Builds the list. */
        public WordList build() {
            return new WordList(bytes, ends, size);
        }
    }
}
