package dev.weir.hash.kind;

import dev.weir.hash.effort.Effort;

/**
 * The kind {@code chars1}: runs of seven characters of the visible text, as {@link Folding} reduces it. It needs no
 * words, so it also takes short texts, and texts in scripts without spaces.
 */
final class CharsKind {
    static final int LEAST = 30;
    private static final int WINDOW = 7;
    private static final int MOST_CHARS = 1 << 17;

    private CharsKind() {}

    /**
     * Adds the windows of a visible text to {@code grams}.
     *
     * @param key the key of the hashes
     */
    static void read(String visible, long key, Grams grams, Effort effort) {
        char[] text = Folding.fold(visible.length() <= MOST_CHARS ? visible : visible.substring(0, MOST_CHARS),
                effort).toCharArray();
        effort.spend(2 * text.length);
        for (int at = 0; at + WINDOW <= text.length && !grams.isFull(); at++) {
            long hash = key;
            for (int i = at; i < at + WINDOW; i++) {
                hash = Grams.step(hash, text[i]);
            }
            if (grams.add(hash) && grams.isExplained()) {
                grams.text(new String(text, at, WINDOW));
            }
        }
    }
}
