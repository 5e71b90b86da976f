package dev.weir.hash.text;

import org.jspecify.annotations.Nullable;

/** A word in its normal form, with its stem in the language in which it was met last. Thread-safe. */
final class Word {
    private final String form;

    /** Immutable, so that threads that race for this field see one of their stems whole. */
    private @Nullable Stem stem;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Stem(String language, byte[] bytes) {}

    Word(String form) {
        this.form = form;
    }

    /** The normal form, not empty. */
    String form() {
        return form;
    }

    /** The stem in UTF-8, not to be changed; null if another language was met last, or none. */
    byte @Nullable [] stemIn(String language) {
        Stem known = stem;
        return known != null && known.language.equals(language) ? known.bytes : null;
    }

    void keepStem(String language, byte[] bytes) {
        stem = new Stem(language, bytes);
    }
}
