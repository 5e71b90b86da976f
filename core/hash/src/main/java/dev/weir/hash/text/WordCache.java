package dev.weir.hash.text;

import org.jspecify.annotations.Nullable;

/**
 * A cache of recent words other than short ASCII words, which {@link StemCache} holds. Stemming a word costs more than
 * all other steps for it. A word has two possible slots, which it shares with others; a new word evicts the older of
 * the two. Memory is therefore bounded, and a flood of rare words costs no more than having no cache. Words are
 * immutable except for the stem that they store, and a race loses at most one word. Thread-safe.
 */
final class WordCache {
    private static final int PLACES = 1 << 15;
    /** Maximum length of a cached normal form in UTF-16 units. */
    private static final int LONGEST = 32;

    private final @Nullable Word[] words = new Word[PLACES];

    /** Returns the word with a normal form that is not empty. */
    Word of(String form) {
        if (form.length() > LONGEST) {
            return new Word(form);
        }
        int place = place(form.hashCode());
        for (int either = 0; either < 2; either++) {
            Word word = words[place ^ either];
            if (word != null && word.form().equals(form)) {
                return word;
            }
        }
        Word word = new Word(form);
        words[place ^ 1] = words[place];
        words[place] = word;
        return word;
    }

    private static int place(int hash) {
        return (hash * 0x9e3779b9) >>> (Integer.SIZE - Integer.numberOfTrailingZeros(PLACES));
    }
}
