package dev.weir.hash.kind;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.ibm.icu.lang.UCharacter;
import dev.weir.hash.effort.Effort;

/**
 * The kind {@code source1}: runs of four words of the HTML source. Campaigns change the text that a reader sees, but
 * rarely the template. Random words are left out: long ones, and those that mix letters and digits.
 */
final class SourceKind {
    static final int LEAST = 20;
    private static final int WINDOW = 4;
    private static final int LONGEST_WORD = 24;
    private static final char[] ASCII = ascii();

    private SourceKind() {}

    /**
     * Adds the windows of a source to {@code grams}.
     *
     * @param key the key of the hashes
     */
    static void read(Markup markup, long key, Grams grams, Effort effort) {
        effort.spend(markup.source().length());
        char[] source = markup.source().toCharArray();
        long[] window = new long[WINDOW];
        String[] words = new String[WINDOW];
        int count = 0;
        int at = 0;
        while (at < source.length && !grams.isFull()) {
            int from = at;
            long hash = key;
            int changes = 0;
            int last = 0;
            while (at < source.length) {
                char c = lower(source[at]);
                if (c == 0) {
                    break;
                }
                int digit = c <= '9' ? 1 : 0;
                changes += digit ^ last;
                last = digit;
                hash = Grams.step(hash, c);
                at++;
            }
            int length = at - from;
            if (length == 0) {
                at++;
                continue;
            }
            // The first character is no change.
            changes -= source[from] >= '0' && source[from] <= '9' ? 1 : 0;
            // Two changes mean a letter between digits or a digit between letters.
            if (length > LONGEST_WORD || changes > 1) {
                continue;
            }
            if (grams.isExplained()) {
                words[count % WINDOW] = new String(source, from, length);
            }
            window[count++ % WINDOW] = hash;
            if (count >= WINDOW) {
                long gram = 0;
                for (int i = 0; i < WINDOW; i++) {
                    gram = Long.rotateLeft(gram, 17) * 0x2545f4914f6cdd1dL + window[(count + i) % WINDOW];
                }
                if (grams.add(gram) && grams.isExplained()) {
                    grams.text(IntStream.range(count, count + WINDOW).mapToObj(i -> words[i % WINDOW])
                            .collect(Collectors.joining(" ")));
                }
            }
        }
    }

    /** Returns a letter or digit in lower case, and 0 for all other characters. */
    private static char lower(char c) {
        if (c < 0x80) {
            return ASCII[c];
        }
        return Character.isSurrogate(c) || UCharacter.isLetterOrDigit(c) ? (char) UCharacter.toLowerCase(c) : 0;
    }

    private static char[] ascii() {
        char[] lower = new char[0x80];
        for (char c = 0; c < lower.length; c++) {
            lower[c] = Character.isLetterOrDigit(c) ? Character.toLowerCase(c) : 0;
        }
        return lower;
    }
}
