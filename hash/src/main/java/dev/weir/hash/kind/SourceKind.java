package dev.weir.hash.kind;

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

    private SourceKind() {}

    /**
     * Adds the windows of a source to {@code grams}.
     *
     * @param key the key of the hashes
     */
    static void read(Markup markup, long key, Grams grams, Effort effort) {
        String source = markup.source();
        effort.spend(source.length());
        long[] window = new long[WINDOW];
        String[] words = new String[WINDOW];
        int count = 0;
        int at = 0;
        while (at < source.length() && !grams.isFull()) {
            int from = at;
            long hash = key;
            int changes = 0;
            boolean digit = false;
            while (at < source.length()) {
                char c = source.charAt(at);
                if (c >= 'A' && c <= 'Z') {
                    c = (char) (c | 0x20);
                } else if (c >= 0x80) {
                    if (!isWordChar(c)) {
                        break;
                    }
                    c = (char) UCharacter.toLowerCase(c);
                } else if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) {
                    break;
                }
                boolean nowDigit = c >= '0' && c <= '9';
                if (nowDigit != digit && at > from) {
                    changes++;
                }
                digit = nowDigit;
                hash = Grams.step(hash, c);
                at++;
            }
            int length = at - from;
            if (length == 0) {
                at++;
                continue;
            }
            // Two changes mean a letter between digits or a digit between letters.
            if (length > LONGEST_WORD || changes > 1) {
                continue;
            }
            if (grams.isExplained()) {
                words[count % WINDOW] = source.substring(from, at);
            }
            window[count++ % WINDOW] = hash;
            if (count >= WINDOW) {
                long gram = 0;
                for (int i = 0; i < WINDOW; i++) {
                    gram = Long.rotateLeft(gram, 17) * 0x2545f4914f6cdd1dL + window[(count + i) % WINDOW];
                }
                if (grams.add(gram) && grams.isExplained()) {
                    StringBuilder text = new StringBuilder();
                    for (int i = 0; i < WINDOW; i++) {
                        text.append(i == 0 ? "" : " ").append(words[(count + i) % WINDOW]);
                    }
                    grams.text(text.toString());
                }
            }
        }
    }

    private static boolean isWordChar(char c) {
        return Character.isSurrogate(c) || UCharacter.isLetterOrDigit(c);
    }
}
