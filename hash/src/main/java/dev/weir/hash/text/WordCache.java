package dev.weir.hash.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * The words met lately: most words of a mail are in nearly every mail, and to bring a word to its normal form and stem it
 * costs more than all else that is done with it. Two words have the same two places, from which the one that was met
 * first goes; so memory is bounded (some 4 MB) and a flood of odd words costs no more than no cache. Words are immutable
 * but for the stem that they remember, and a race loses a word at most. Thread-safe.
 */
final class WordCache {
    private static final int PLACES = 1 << 15;
    /** Words of ASCII up to this length are found by their bytes, without making a string. */
    private static final int PACKED = 2 * Long.BYTES;
    /** Longer normal forms, in UTF-16 units, are not kept. */
    private static final int LONGEST = 32;
    /** Marks what is no packed word: those have no byte over 0x7f. */
    private static final long BY_HASH = Long.MIN_VALUE;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final @Nullable Word[] words = new Word[PLACES];

    /**
     * The word that a stretch of UTF-8 is, if it is of ASCII and short enough.
     *
     * @return null for what has to be brought to its normal form otherwise
     */
    @Nullable
    Word ofAscii(byte[] text, int from, int to) {
        int length = to - from;
        if (length > WordForm.MAX_UNITS) {
            return null;
        }
        if (length > 0 && length <= PACKED && to <= text.length - PACKED) {
            long low = AsciiWord.lower((long) LONG.get(text, from), Math.min(length, Long.BYTES));
            long high = length <= Long.BYTES
                    ? 0
                    : AsciiWord.lower((long) LONG.get(text, from + Long.BYTES), length - Long.BYTES);
            if (low != AsciiWord.OTHER && high != AsciiWord.OTHER) {
                return packed(low, high, length);
            }
        }
        return byteByByte(text, from, to);
    }

    private @Nullable Word byteByByte(byte[] text, int from, int to) {
        long low = 0;
        long high = 0;
        int length = 0;
        for (int i = from; i < to; i++) {
            byte c = text[i];
            if (c < 0) {
                return null;
            }
            long kept = WordForm.ofAscii(c);
            if (kept != 0) {
                if (length < Long.BYTES) {
                    low |= kept << (length * Byte.SIZE);
                } else {
                    high |= kept << (length * Byte.SIZE);
                }
                length++;
            }
        }
        if (length > PACKED) {
            return null;
        }
        return length == 0 ? Word.NONE : packed(low, high, length);
    }

    private Word packed(long low, long high, int length) {
        int place = place(low, high);
        Word word = words[place];
        if (word != null && word.low == low && word.high == high) {
            return word;
        }
        word = words[place ^ 1];
        return word != null && word.low == low && word.high == high
                ? word
                : put(place, new Word(unpack(low, high, length), low, high));
    }

    /** The word with a normal form. */
    Word of(String form) {
        if (form.isEmpty()) {
            return Word.NONE;
        }
        if (form.length() > LONGEST) {
            return new Word(form);
        }
        long hash = form.hashCode();
        int place = place(hash, BY_HASH);
        for (int either = 0; either < 2; either++) {
            Word word = words[place ^ either];
            if (word != null && word.low == hash && word.high == BY_HASH && word.form().equals(form)) {
                return word;
            }
        }
        return put(place, new Word(form, hash, BY_HASH));
    }

    private Word put(int place, Word word) {
        words[place ^ 1] = words[place];
        words[place] = word;
        return word;
    }

    private static int place(long low, long high) {
        long hash = (low * 0x9e3779b97f4a7c15L) ^ (high * 0xc2b2ae3d27d4eb4fL);
        hash = (hash ^ (hash >>> 32)) * 0x9e3779b97f4a7c15L;
        return (int) (hash >>> 40) & (PLACES - 1);
    }

    private static String unpack(long low, long high, int length) {
        byte[] form = new byte[length];
        for (int i = 0; i < length; i++) {
            form[i] = (byte) ((i < Long.BYTES ? low : high) >>> (i * Byte.SIZE));
        }
        return new String(form, StandardCharsets.ISO_8859_1);
    }
}
