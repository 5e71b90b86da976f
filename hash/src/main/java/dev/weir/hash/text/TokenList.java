package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import dev.weir.hash.bytes.EightBytes;

/**
 * The tokens of one text in order: words in their normal form, and empty ones for URLs and for words of which nothing
 * is left. Nearly all words are short and of ASCII: those are two numbers each, and no objects.
 */
final class TokenList {
    /** Bytes of a word that is two numbers, at most. */
    static final int PACKED = 2 * EightBytes.WIDTH;
    /**
     * Marks, in {@link #high}, a word that is an object: a packed one has no byte over 0x7f. Its number is in
     * {@link #low}.
     */
    private static final long OBJECT = Long.MIN_VALUE;

    private long[] low;
    private long[] high;
    private int size;
    private final List<Word> objects = new ArrayList<>();

    /** @param expected how many there will be, more or less */
    TokenList(int expected) {
        low = new long[expected + 1];
        high = new long[expected + 1];
    }

    /**
     * Adds a word of up to 16 characters of ASCII, none of them zero.
     *
     * @param first the first eight, the first in the lowest byte; zeros behind the last
     * @param rest those after them
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
     * Adds the normal form of a stretch of ASCII.
     *
     * @return false, and nothing is added, if it is not of ASCII or its normal form is too long
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

    /** A word that is not packed. */
    Word object(int index) {
        return objects.get((int) low[index]);
    }

    /** The normal forms of all tokens, empty where one is no word. */
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

    /** The string that a packed word is. */
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
