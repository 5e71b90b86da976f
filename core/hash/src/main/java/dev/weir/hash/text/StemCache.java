package dev.weir.hash.text;

import dev.weir.hash.bytes.EightBytes;
import dev.weir.hash.shingle.WordList;
import org.tartarus.snowball.SnowballStemmer;

/**
 * A cache of stems of recent words in one language. Most words of a mail occur in nearly every mail, and stemming a
 * word costs more than all other steps for it. The cache holds only words and stems of up to 16 ASCII characters, so a
 * row is four numbers, and one memory access finds a word with its stem. A word has two possible rows, which it shares
 * with others; a new word evicts the older of the two. Memory is therefore bounded, and a flood of rare words costs no
 * more than having no cache.
 *
 * <p>Thread-safe without a lock. Rows are written in no particular order, and a row stores its word mixed with the
 * stem. A row written half by one thread and half by another therefore matches no word, except with a probability of
 * one in 2⁶⁴.
 */
final class StemCache {
    private static final int ROWS = 1 << 15;
    /** Rows of four numbers: the mixed word and its stem, two numbers each. */
    private static final int WIDTH = 4;

    private final long[] rows = new long[ROWS * WIDTH];

    /**
     * Appends the stem of a word to the stems of a text.
     *
     * @param low characters 1 to 8 of an ASCII word, see {@link TokenList#addPacked}; not zero
     * @param high characters 9 to 16
     * @param stemmer stemmer for the language of this cache
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

    /** Returns the position of the first of the two rows of a word. */
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
