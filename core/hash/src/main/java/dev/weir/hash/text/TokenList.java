package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import dev.weir.hash.bytes.EightBytes;

/**
 * The tokens of one text in order: words in normal form, and empty tokens for URLs and for words with an empty normal
 * form. Nearly all words are short ASCII; each of those is packed into two numbers and needs no object.
 */
final class TokenList {
    /** Maximum length of a packed word in bytes. */
    static final int PACKED = 2 * EightBytes.WIDTH;
    /**
     * Value in {@link #high} that marks a word stored as an object; no byte of a packed word exceeds 0x7f. {@link #low}
     * holds its index.
     */
    private static final long OBJECT = Long.MIN_VALUE;

    private long[] low;
    private long[] high;
    private int size;
    private final List<Word> objects = new ArrayList<>();

    /**
     * @param expected expected number of tokens
     */
    TokenList(int expected) {
        low = new long[expected + 1];
        high = new long[expected + 1];
    }

    /**
     * Adds a word of up to 16 ASCII characters, none of them zero.
     *
     * @param first characters 1 to 8, the first in the lowest byte, padded with zeros
     * @param rest characters 9 to 16, likewise
     */
    void addPacked(long first, long rest) {
        if (size == low.length) {
            low = Arrays.copyOf(low, 2 * size);
            high = Arrays.copyOf(high, 2 * size);
        }
        low[size] = first;
        high[size++] = rest;
    }

    void addWord(Word word) {
        addPacked(objects.size(), OBJECT);
        objects.add(word);
    }

    void addEmpty() {
        addPacked(0, 0);
    }

    /**
     * Adds the normal form of an ASCII range.
     *
     * @return false if the range is not ASCII or its normal form is too long; nothing is added then
     */
    boolean addAscii(byte[] text, int from, int to) {
        long first = 0;
        long rest = 0;
        int length = 0;
        for (int i = from; i < to; i++) {
            byte c = text[i];
            if (c < 0) {
                return false;
            }
            long kept = WordForm.ofAscii(c);
            if (kept != 0) {
                if (length < EightBytes.WIDTH) {
                    first |= kept << (length * Byte.SIZE);
                } else {
                    rest |= kept << (length * Byte.SIZE);
                }
                length++;
            }
        }
        if (length > PACKED) {
            return false;
        }
        addPacked(first, rest);
        return true;
    }

    int size() {
        return size;
    }

    /** Returns the number of tokens that are words. */
    int words() {
        int words = 0;
        for (int i = 0; i < size; i++) {
            words += isEmpty(i) ? 0 : 1;
        }
        return words;
    }

    boolean isEmpty(int index) {
        return low[index] == 0 && high[index] == 0;
    }

    boolean isPacked(int index) {
        return high[index] != OBJECT;
    }

    long low(int index) {
        return low[index];
    }

    long high(int index) {
        return high[index];
    }

    /** Adds a word that cannot be packed. */
    Word object(int index) {
        return objects.get((int) low[index]);
    }

    /** Returns the normal forms of all tokens; a token that is no word is empty. */
    List<String> forms() {
        return new AbstractList<>() {
            @Override
            public String get(int index) {
                return isPacked(index) ? unpack(low[index], high[index]) : object(index).form();
            }

            @Override
            public int size() {
                return size;
            }
        };
    }

    /** Returns a packed word as a string. */
    static String unpack(long low, long high) {
        byte[] form = new byte[PACKED];
        EightBytes.put(form, 0, low);
        EightBytes.put(form, EightBytes.WIDTH, high);
        int length = 0;
        while (length < PACKED && form[length] != 0) {
            length++;
        }
        return new String(form, 0, length, StandardCharsets.ISO_8859_1);
    }
}
