package dev.weir.hash.text;

import org.jspecify.annotations.Nullable;

/** A word in its normal form, with its stem in the language that last asked for it. Thread-safe. */
final class Word {
    private final String form;

    /** Immutable, so that racing threads always see one complete stem. */
    private @Nullable Stem stem;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Stem(String language, byte[] bytes) {}

    Word(String form) {
        this.form = form;
    }

    /** Returns the normal form, which is not empty. */
    String form() {
        return form;
    }

    /** Returns the stem in UTF-8, or null if no stem in this language is stored. Do not modify the array. */
    byte @Nullable [] stemIn(String language) {
        Stem known = stem;
        return known != null && known.language.equals(language) ? known.bytes : null;
    }

    void keepStem(String language, byte[] bytes) {
        stem = new Stem(language, bytes);
    }
}
