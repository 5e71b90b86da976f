package dev.weir.hash.text;

import dev.weir.hash.bytes.EightBytes;
import dev.weir.hash.shingle.WordList;
import org.tartarus.snowball.SnowballStemmer;

/**
 * The stems of the words of one language met lately: most words of a mail are in nearly every mail, and to stem one
 * costs more than all else that is done with it. Only for words and stems of up to 16 characters of ASCII, so that a
 * row is four numbers and one access to memory finds a word with its stem. Two words have the same two rows, from which
 * the one that was met first goes: memory is bounded (1 MB) and a flood of odd words costs no more than no cache.
 *
 * <p>Thread-safe without a lock: rows are written without order, and the word in a row is stored mixed with its stem.
 * So a row that two threads have written half each holds no word at all, but for a chance of one in 2⁶⁴.
 */
final class StemCache {
    private static final int ROWS = 1 << 15;
    /** The word, mixed, and its stem: two numbers each. */
    private static final int WIDTH = 4;

    private final long[] rows = new long[ROWS * WIDTH];

    /**
     * Adds the stem of a word to the stems of a text.
     *
     * @param low the first eight characters of a word of ASCII, see {@link TokenList#addPacked}; not none
     * @param high those after them
     * @param stemmer of the language of this cache
     */
    void addStem(long low, long high, SnowballStemmer stemmer, WordList.Builder stems) {
        int row = row(low, high);
        for (int either = 0; either < 2; either++, row += WIDTH) {
            long first = rows[row + 2];
            long rest = rows[row + 3];
            long mixed = mix(first, rest);
            if ((rows[row] ^ mixed) == low && (rows[row + 1] ^ Long.rotateLeft(mixed, 32)) == high) {
                stems.add(first, rest);
                return;
            }
        }
        byte[] stem = Stemmers.stem(stemmer, TokenList.unpack(low, high));
        if (stem.length <= TokenList.PACKED && isAscii(stem)) {
            long first = pack(stem, 0);
            long rest = pack(stem, EightBytes.WIDTH);
            put(row - 2 * WIDTH, low, high, first, rest);
        }
        stems.add(stem);
    }

    private void put(int row, long low, long high, long first, long rest) {
        System.arraycopy(rows, row, rows, row + WIDTH, WIDTH);
        long mixed = mix(first, rest);
        rows[row] = low ^ mixed;
        rows[row + 1] = high ^ Long.rotateLeft(mixed, 32);
        rows[row + 2] = first;
        rows[row + 3] = rest;
    }

    /** Where the first of the two rows of a word begins. */
    private static int row(long low, long high) {
        return (int) (mix(low, high) >>> 40) & (ROWS - 2) * WIDTH;
    }

    private static long mix(long a, long b) {
        long mixed = (a * 0x9e3779b97f4a7c15L) ^ (b * 0xc2b2ae3d27d4eb4fL);
        return (mixed ^ (mixed >>> 32)) * 0x9e3779b97f4a7c15L;
    }

    private static boolean isAscii(byte[] stem) {
        for (byte c : stem) {
            if (c < 0) {
                return false;
            }
        }
        return true;
    }

    private static long pack(byte[] stem, int from) {
        long packed = 0;
        for (int i = from; i < Math.min(stem.length, from + EightBytes.WIDTH); i++) {
            packed |= (long) stem[i] << ((i - from) * Byte.SIZE);
        }
        return packed;
    }
}
