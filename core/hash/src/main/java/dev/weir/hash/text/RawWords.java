package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A splitter for text in an unknown charset, byte by byte (docs/reference/hashing.md#raw-text). ASCII delimiters
 * separate words, ASCII letters become lower case, and other bytes stay unchanged.
 */
final class RawWords {
    /** Maximum length of a word in bytes; longer ones are skipped. */
    private static final int MAX_WORD = 40;
    /** Cost of one word, in units of {@code Effort.spend}. */
    private static final int STEPS = 32;
    private static final boolean[] DELIMITER = new boolean[256];

    static {
        for (char c : "\t\n\r \"#$%&()*+,-./:;<=>?[\\]^_`{|}~".toCharArray()) {
            DELIMITER[c] = true;
        }
    }

    private RawWords() {}

    /**
     * Adds the words as strings of one character per byte. An exception interrupts the scan, even between words, and
     * the next scan starts after it. The first byte of a scan never belongs to a word, so lines lose their first byte.
     */
    static void collect(byte[] text, List<TextException> exceptions, Decay decay, TextBudget budget, TokenList tokens) {
        // At the same position, a URL comes before a line end.
        List<TextException> cuts = new ArrayList<>(exceptions);
        cuts.sort(Comparator.comparingInt(TextException::position).thenComparing(e -> e.length() == 0));
        int next = 0;
        int at = 0;
        int length = text.length;
        while (at < length) {
            budget.effort().spend(STEPS);
            // An exception before this position overlaps the previous one. It is never reached, and it hides all later
            // exceptions.
            int cut = next < cuts.size() && cuts.get(next).position() >= at
                    ? cuts.get(next).position()
                    : Integer.MAX_VALUE;
            int from = cut == at ? at : at + 1;
            while (from < length && from < cut && DELIMITER[text[from] & 0xff]) {
                from++;
            }
            int to = from;
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
                tokens.addWord(new Word(lower(text, from, to)));
            }
            if (to == cut) {
                TextException exception = cuts.get(next++);
                if (tokens.size() > 0) {
                    tokens.addEmpty();
                }
                at = to + exception.length();
            } else {
                at = to;
            }
        }
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
