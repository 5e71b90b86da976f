package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.hash.bytes.EightBytes;
import org.jspecify.annotations.Nullable;

/**
 * A detector that distinguishes the languages of one script by their stop words (docs/reference/hashing.md#language).
 */
final class StopWords {
    /** Number of distinct stop words of one language after which the search may stop. */
    private static final int ENOUGH = 80;
    private static final int LEAST = 4;
    /** Number of hits that English needs if a language with diacritics has a hit too. */
    private static final int LEAST_FOR_ASCII = 10;

    /** Result of {@link #letterOf} for a boundary. */
    private static final int BOUNDARY = 0;
    /** Maximum length of a character in bytes. */
    private static final int WIDEST = 4;
    private static final int FILTER_BITS = 1 << 16;
    /** Class of each byte: a lower-case letter, or another character that is no boundary. */
    private static final byte[] LETTERS = letters();

    /**
     * @param ascii the word in bytes if it is ASCII
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Entry(String word, byte @Nullable [] ascii, int index, int language) {}

    /** The stop words that start with the same run of letters, which {@code letters} holds in UTF-8. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Run(byte[] letters, int index, List<Entry> entries) {}

    /** The hits in one text. */
    private final class Tally {
        /** Number of distinct stop words found per language. */
        private final int[] hits = new int[languages.size()];
        private final BitSet seen = new BitSet(entries);
        /** Runs whose stop words were all found; counting them again changes nothing. */
        private final BitSet spent = new BitSet(distinctRuns);
        /** Set if the next hit of some language ends the search. */
        private boolean enough;

        /**
         * Counts the stop words of {@code run} at {@code from}.
         *
         * @return whether the search may stop
         */
        boolean count(Run run, byte[] text, int from) {
            if (spent.get(run.index()) && !enough) {
                return false;
            }
            boolean all = true;
            for (Entry e : run.entries()) {
                if (!isAt(e, run, text, from)) {
                    all &= seen.get(e.index());
                    continue;
                }
                if (hits[e.language()] > ENOUGH) {
                    return true;
                }
                if (!seen.get(e.index())) {
                    seen.set(e.index());
                    enough |= ++hits[e.language()] > ENOUGH;
                }
            }
            spent.set(run.index(), all);
            return false;
        }
    }

    private final List<Language> languages;
    /**
     * The runs by their first eight letters, a hash table with open addressing and linear probing. It looks up the
     * words of a text in place and creates nothing for the many words that are no stop words.
     */
    private final @Nullable Run[] runs;
    /** The keys of {@link #runs}, slot by slot; 0 for a free slot. */
    private final long[] keys;
    /** A bit filter over {@link #keys} that rejects most other words without a memory access that misses the cache. */
    private final long[] filter = new long[FILTER_BITS / Long.SIZE];
    private final int entries;
    private final int distinctRuns;
    private final int longestRun;

    StopWords(List<Language> languages, Map<String, List<String>> words) {
        this.languages = List.copyOf(languages);
        Map<String, List<Entry>> byFirstRun = new HashMap<>();
        int n = 0;
        int longest = 0;
        for (int l = 0; l < languages.size(); l++) {
            Set<String> distinct = new HashSet<>();
            for (String word : words.getOrDefault(languages.get(l).code(), List.of())) {
                String lower = word.strip().toLowerCase(Locale.ROOT);
                int run = runEnd(lower, 0);
                if (run > 0 && distinct.add(lower)) {
                    byFirstRun.computeIfAbsent(lower.substring(0, run), k -> new ArrayList<>(1))
                            .add(new Entry(lower, ascii(lower), n++, l));
                    longest = Math.max(longest, utf8(lower.substring(0, run)).length);
                }
            }
        }
        this.entries = n;
        this.distinctRuns = byFirstRun.size();
        this.longestRun = longest;
        this.runs = table(byFirstRun);
        this.keys = new long[runs.length];
        for (int i = 0; i < runs.length; i++) {
            Run run = runs[i];
            if (run != null) {
                keys[i] = key(run.letters(), 0, run.letters().length);
                int bit = bit(hash(keys[i]));
                filter[bit / Long.SIZE] |= 1L << bit;
            }
        }
    }

    private static @Nullable Run[] table(Map<String, List<Entry>> byFirstRun) {
        // At most a quarter full, so that most other words hit a free slot at once.
        @Nullable
        Run[] table = new Run[Math.max(2, Integer.highestOneBit(byFirstRun.size()) * 8)];
        AtomicInteger number = new AtomicInteger();
        byFirstRun.forEach((letters, entries) -> {
            byte[] bytes = utf8(letters);
            int place = place(hash(key(bytes, 0, bytes.length)), table.length);
            while (table[place] != null) {
                place = (place + 1) & (table.length - 1);
            }
            table[place] = new Run(bytes, number.getAndIncrement(), List.copyOf(entries));
        });
        return table;
    }

    private static int place(int hash, int places) {
        return hash & (places - 1);
    }

    private static int hash(long key) {
        return (int) ((key * 0x9e3779b97f4a7c15L) >>> 32);
    }

    /** Returns the bit of a hash in {@link #filter}. */
    private static int bit(int hash) {
        return hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(FILTER_BITS));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte @Nullable [] ascii(String word) {
        byte[] bytes = utf8(word);
        return bytes.length == word.length() ? bytes : null;
    }

    /** Returns the first eight letters in lower case, the first in the lowest byte, padded with zeros. */
    private static long key(byte[] text, int from, int to) {
        long key = 0;
        for (int i = 0; i < Math.min(to - from, EightBytes.WIDTH); i++) {
            key |= (letterOf(text[from + i]) & 0xffL) << (i * Byte.SIZE);
        }
        return key;
    }

    /**
     * Returns the language with the most stop words in {@code text}, or null if no language has enough.
     *
     * @param text text in UTF-8
     */
    @Nullable
    String best(byte[] text) {
        if (entries == 0) {
            return null;
        }
        Tally tally = new Tally();
        boolean done = false;
        int from = 0;
        while (from < text.length && !done) {
            int to = from;
            long key = 0;
            if (from < text.length - EightBytes.WIDTH) {
                long eight = EightBytes.lower(EightBytes.at(text, from));
                int letters = EightBytes.run(eight);
                to += letters;
                key = letters == 0 ? 0 : EightBytes.first(eight, letters);
            }
            if (letterOf(text[to]) == BOUNDARY) {
                if (to > from) {
                    Run run = run(key, text, from, to);
                    done = run != null && tally.count(run, text, from);
                }
            } else {
                to = end(text, to);
                Run run = anyRun(text, from, to);
                done = run != null && tally.count(run, text, from);
            }
            from = to + 1;
        }
        return winner(tally.hits);
    }

    /** Returns the next boundary, or the end of the text. */
    private static int end(byte[] text, int from) {
        int to = from;
        while (to < text.length && letterOf(text[to]) != BOUNDARY) {
            to++;
        }
        return to;
    }

    /** Looks up a run of characters without a boundary. Characters outside ASCII have their own case rules. */
    private @Nullable Run anyRun(byte[] text, int from, int to) {
        // A character may be shorter in lower case, but not by more than this.
        if (to - from > WIDEST * longestRun) {
            return null;
        }
        for (int i = from; i < to; i++) {
            if (text[i] < 0) {
                byte[] lower = utf8(new String(text, from, to - from, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT));
                return run(key(lower, 0, lower.length), lower, 0, lower.length);
            }
        }
        return run(key(text, from, to), text, from, to);
    }

    /** Returns the run that equals a range of text, ignoring ASCII case. */
    private @Nullable Run run(long key, byte[] text, int from, int to) {
        int hash = hash(key);
        int bit = bit(hash);
        if ((filter[bit / Long.SIZE] & 1L << bit) == 0) {
            return null;
        }
        for (int place = place(hash, runs.length);; place = (place + 1) & (runs.length - 1)) {
            if (keys[place] == key) {
                Run run = runs[place];
                if (run == null || (run.letters().length == to - from && isAt(run.letters(), 0, text, from))) {
                    return run;
                }
            } else if (keys[place] == 0) {
                return null;
            }
        }
    }

    /** Whether the text continues like {@code letters} from a given letter on, ignoring ASCII case. */
    private static boolean isAt(byte[] letters, int first, byte[] text, int from) {
        if (letters.length > text.length - from) {
            return false;
        }
        for (int i = first; i < letters.length; i++) {
            if (letters[i] != lower(text[from + i])) {
                return false;
            }
        }
        return true;
    }

    /** Whether a stop word matches the text at the position of its first run. */
    private static boolean isAt(Entry e, Run run, byte[] text, int from) {
        byte[] ascii = e.ascii();
        if (ascii != null) {
            int end = from + ascii.length;
            return isAt(ascii, run.letters().length, text, from)
                    && (end == text.length || letterOf(text[end]) == BOUNDARY);
        }
        int length = e.word().length();
        String there = new String(text, from, Math.min(text.length - from, WIDEST * (length + 1)),
                StandardCharsets.UTF_8);
        return there.regionMatches(true, 0, e.word(), 0, length)
                && (length == there.length() || isBoundary(there.charAt(length)));
    }

    private @Nullable String winner(int[] hits) {
        boolean diacritics = false;
        for (int l = 0; l < hits.length; l++) {
            diacritics |= hits[l] > 0 && languages.get(l).diacritics();
        }
        String best = null;
        double bestShare = 0;
        for (int l = 0; l < hits.length; l++) {
            Language language = languages.get(l);
            int least = language.ascii() && diacritics ? LEAST_FOR_ASCII : LEAST;
            if (hits[l] >= least && language.stopWords() > 0) {
                double share = (double) hits[l] / language.stopWords();
                if (share > bestShare) {
                    bestShare = share;
                    best = language.code();
                }
            }
        }
        return best;
    }

    private static int runEnd(String text, int from) {
        int i = from;
        while (i < text.length() && !isBoundary(text.charAt(i))) {
            i++;
        }
        return i;
    }

    private static byte[] letters() {
        byte[] letters = new byte[0x100];
        for (int b = 0; b < letters.length; b++) {
            letters[b] = isBoundary((char) b) ? BOUNDARY : (byte) lower((byte) b);
        }
        // Not a boundary, like other control characters; no stop word contains them.
        letters[0] = 1;
        return letters;
    }

    private static int letterOf(byte b) {
        return LETTERS[b & 0xff];
    }

    private static int lower(byte b) {
        return b >= 'A' && b <= 'Z' ? b + 32 : b;
    }

    /** Whether the byte is ASCII white space or punctuation. */
    private static boolean isBoundary(char c) {
        if (c <= ' ') {
            return c == ' ' || (c >= 9 && c <= 13);
        }
        return c < 0x7f && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z');
    }
}
