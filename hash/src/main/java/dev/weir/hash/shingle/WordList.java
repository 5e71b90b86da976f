package dev.weir.hash.shingle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;

/**
 * The words of a text one behind the other in one array: to hash them is to run through it, and no object is made for
 * any of them. Immutable and thread-safe; {@link #get} gives copies.
 */
public final class WordList extends AbstractList<byte[]> implements RandomAccess {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** Bytes of a word that is handed over as two numbers, at most; as much room is behind the last word. */
    private static final int PACKED = 2 * Long.BYTES;

    final byte[] bytes;
    private final int[] ends;
    private final int size;

    private WordList(byte[] bytes, int[] ends, int size) {
        this.bytes = bytes;
        this.ends = ends;
        this.size = size;
    }

    /** These words. */
    public static WordList of(List<byte[]> words) {
        if (words instanceof WordList list) {
            return list;
        }
        Builder builder = new Builder(words.size());
        words.forEach(builder::add);
        return builder.build();
    }

    /** Where a word begins in {@link #bytes}. */
    int start(int index) {
        return index == 0 ? 0 : ends[index - 1];
    }

    /** Where it ends. */
    int end(int index) {
        return ends[index];
    }

    /** Bytes of all words together. */
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

    /** Puts words one behind the other. For one thread and one list. */
    public static final class Builder {
        private byte[] bytes;
        private int[] ends;
        private int size;
        private int length;

        /** @param words how many there will be, more or less */
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
         * Adds a word of up to 16 bytes, none of them zero.
         *
         * @param low its first eight bytes, the first in the lowest byte; zeros behind the last
         * @param high those after them
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

        /** The words that were added. */
        public WordList build() {
            return new WordList(bytes, ends, size);
        }
    }
}
