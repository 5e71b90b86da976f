package dev.weir.hash.text;

import org.jspecify.annotations.Nullable;

/**
 * The words met lately that are not short ASCII, which {@link StemCache} knows: to stem a word costs more than all else
 * that is done with it. Two words have the same two places, from which the one that was met first goes; so memory is
 * bounded (some 4 MB) and a flood of odd words costs no more than no cache. Words are immutable but for the stem that
 * they remember, and a race loses a word at most. Thread-safe.
 */
final class WordCache {
    private static final int PLACES = 1 << 15;
    /** Longer normal forms, in UTF-16 units, are not kept. */
    private static final int LONGEST = 32;

    private final @Nullable Word[] words = new Word[PLACES];

    /** The word with a normal form that is not empty. */
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
