package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;
import org.tartarus.snowball.SnowballStemmer;

/**
 * Stems, kept for the words met lately: most words of a mail are in nearly every mail, and stemming is among the dearest
 * steps. Each word has one place, where the word met last stays, so that memory is bounded (2 MB, at most 4) and a flood of odd
 * words costs no more than no cache. Entries are immutable, and a race loses an entry at most. Thread-safe.
 */
final class StemCache {
    private static final int PLACES = 1 << 14;
    /** Longer words, in UTF-16 units, are not kept. */
    private static final int LONGEST = 32;

    private final AtomicReferenceArray<@Nullable Entry> entries = new AtomicReferenceArray<>(PLACES);

    private static final class Entry {
        final String language;
        final String word;
        final byte[] stem;

        Entry(String language, String word, byte[] stem) {
            this.language = language;
            this.word = word;
            this.stem = stem;
        }
    }

    /**
     * The stem of a word in UTF-8, not to be changed.
     *
     * @param stemmer  of {@code language}
     * @param language code of the language
     */
    byte[] stem(SnowballStemmer stemmer, String language, String word) {
        if (word.length() > LONGEST) {
            return stem(stemmer, word);
        }
        int hash = word.hashCode() * 31 + language.hashCode();
        int place = (hash ^ (hash >>> 16)) & (PLACES - 1);
        Entry entry = entries.getPlain(place);
        if (entry != null && entry.word.equals(word) && entry.language.equals(language)) {
            return entry.stem;
        }
        byte[] stem = stem(stemmer, word);
        entries.setPlain(place, new Entry(language, word, stem));
        return stem;
    }

    private static byte[] stem(SnowballStemmer stemmer, String word) {
        stemmer.setCurrent(word);
        stemmer.stem();
        String stem = stemmer.getCurrent();
        return (stem.isEmpty() ? word : stem).getBytes(StandardCharsets.UTF_8);
    }
}
