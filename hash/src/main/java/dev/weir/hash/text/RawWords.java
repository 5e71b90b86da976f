package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Words of a text in no known charset, byte by byte (hashing spec 2.6): ASCII delimiters cut, ASCII letters become small,
 * the other bytes stay.
 */
final class RawWords {
    /** Longest word, in bytes; longer ones are passed over. */
    private static final int MAX_WORD = 40;
    private static final boolean[] DELIMITER = new boolean[256];

    static {
        for (char c : "\t\n\r \"#$%&()*+,-./:;<=>?[\\]^_`{|}~".toCharArray()) {
            DELIMITER[c] = true;
        }
    }

    private RawWords() {}

    /** Adds the words as strings of one character per byte. */
    static void collect(byte[] text, List<TextException> exceptions, Decay decay, TextBudget budget, TokenList tokens) {
        int next = 0;
        int at = 0;
        int length = text.length;
        while (at < length) {
            // The first byte of each scan is never part of a word.
            int from = at + 1;
            while (from < length && DELIMITER[text[from] & 0xff]) {
                from++;
            }
            while (next < exceptions.size() && end(exceptions.get(next)) <= from) {
                next++;
            }
            int to = from;
            int cut = next < exceptions.size() ? exceptions.get(next).position() : Integer.MAX_VALUE;
            while (to < length && to < cut && !DELIMITER[text[to] & 0xff]) {
                to++;
            }
            if (to >= length) {
                return; // a word that touches the end is lost
            }
            int bytes = to - from;
            if (bytes > 0 && bytes <= MAX_WORD && decay.keeps(text, from, to, tokens.size(), to)) {
                if (!budget.takeToken(bytes)) {
                    return;
                }
                tokens.addWord(lower(text, from, to));
            }
            if (to == cut) {
                TextException exception = exceptions.get(next++);
                if (exception.length() > 0) {
                    tokens.addOther();
                }
                at = Math.max(to, end(exception)) - (end(exception) > to ? 1 : 0);
            } else {
                at = to;
            }
        }
    }

    private static int end(TextException e) {
        return e.position() + e.length();
    }

    private static String lower(byte[] text, int from, int to) {
        byte[] word = new byte[to - from];
        for (int i = from; i < to; i++) {
            byte b = text[i];
            word[i - from] = b >= 'A' && b <= 'Z' ? (byte) (b + 32) : b;
        }
        return new String(word, StandardCharsets.ISO_8859_1);
    }
}
