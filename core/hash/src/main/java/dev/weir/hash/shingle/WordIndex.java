package dev.weir.hash.shingle;

import java.util.Arrays;

/** An index that finds the words of a list that occurred before. For one thread. */
final class WordIndex {
    private static final int MOST_PROBES = 8;

    private final WordList words;
    /** Hash table with open addressing: one more than the number of a word, 0 for a free slot. At most half full. */
    private final int[] slots;

    WordIndex(WordList words) {
        this.words = words;
        this.slots = new int[Integer.highestOneBit(Math.max(1, words.size())) * 4];
    }

    /**
     * Returns the number of the first word that is equal to word {@code index}, or {@code index} if none is known. A
     * word beyond {@value #MOST_PROBES} others with the same place is forgotten, so that no choice of words is slow.
     */
    int firstLike(int index) {
        int hash = hash(index);
        for (int probe = 0; probe < MOST_PROBES; probe++) {
            int slot = (hash + probe) & (slots.length - 1);
            if (slots[slot] == 0) {
                slots[slot] = index + 1;
                return index;
            }
            if (areEqual(slots[slot] - 1, index)) {
                return slots[slot] - 1;
            }
        }
        return index;
    }

    private int hash(int index) {
        int hash = 0;
        for (int i = words.start(index); i < words.end(index); i++) {
            hash = 31 * hash + words.bytes[i];
        }
        return hash ^ (hash >>> 15);
    }

    private boolean areEqual(int one, int other) {
        return Arrays.equals(words.bytes, words.start(one), words.end(one), words.bytes, words.start(other),
                words.end(other));
    }
}
