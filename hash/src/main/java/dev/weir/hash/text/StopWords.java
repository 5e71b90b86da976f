package dev.weir.hash.text;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** Tells the languages of one script apart by their stop words (hashing spec 2.7, step 3). */
final class StopWords {
    /** Distinct stop words of one language after which the search may end. */
    private static final int ENOUGH = 80;
    private static final int LEAST = 4;
    /** What English needs where a language with diacritics has a hit too. */
    private static final int LEAST_FOR_ASCII = 10;

    private record Entry(String word, int index, int language) {}

    /** The stop words that begin with the same run of letters. */
    private record Run(String letters, List<Entry> entries) {}

    private final List<Language> languages;
    /**
     * The runs by the hash of their letters, an open hash table with linear probing: so the words of a text are looked up
     * where they stand, and nothing is made for the many that are no stop words.
     */
    private final @Nullable Run[] runs;
    /** Hashes of {@link #runs}, place by place: most words are turned away without a look at the strings. */
    private final int[] hashes;
    private final int entries;
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
                            .add(new Entry(lower, n++, l));
                    longest = Math.max(longest, run);
                }
            }
        }
        this.entries = n;
        this.longestRun = longest;
        this.runs = table(byFirstRun);
        this.hashes = new int[runs.length];
        for (int i = 0; i < runs.length; i++) {
            Run run = runs[i];
            hashes[i] = run == null ? 0 : run.letters().hashCode();
        }
    }

    private static @Nullable Run[] table(Map<String, List<Entry>> byFirstRun) {
        // At most a quarter full, so that most other words meet an empty place at once.
        @Nullable
        Run[] table = new Run[Math.max(2, Integer.highestOneBit(byFirstRun.size()) * 8)];
        byFirstRun.forEach((letters, entries) -> {
            int place = place(letters.hashCode(), table.length);
            while (table[place] != null) {
                place = (place + 1) & (table.length - 1);
            }
            table[place] = new Run(letters, List.copyOf(entries));
        });
        return table;
    }

    private static int place(int hash, int places) {
        return (hash ^ (hash >>> 15)) & (places - 1);
    }

    /** The language whose stop words stand in {@code text} the most; null if none has enough of them. */
    @Nullable
    String best(String text) {
        if (entries == 0) {
            return null;
        }
        int[] hits = new int[languages.size()];
        boolean[] seen = new boolean[entries];
        boolean done = false;
        int length = text.length();
        for (int from = 0; from < length && !done;) {
            int to = from;
            int hash = 0;
            boolean ascii = true;
            for (; to < length && !isBoundary(text.charAt(to)); to++) {
                char c = text.charAt(to);
                ascii &= c < 0x80;
                // As a String would hash the run in lower case.
                hash = 31 * hash + lower(c);
            }
            if (to > from && to - from <= longestRun) {
                Run run = ascii ? run(text, from, to, hash) : run(text.substring(from, to).toLowerCase(Locale.ROOT));
                if (run != null) {
                    done = count(run.entries(), text, from, hits, seen);
                }
            }
            from = to + 1;
        }
        return winner(hits);
    }

    private @Nullable Run run(String lower) {
        return run(lower, 0, lower.length(), lower.hashCode());
    }

    /** The run that a stretch of text is, ASCII letters being compared without case. */
    private @Nullable Run run(String text, int from, int to, int hash) {
        for (int place = place(hash, runs.length);; place = (place + 1) & (runs.length - 1)) {
            int found = hashes[place];
            if (found == hash || found == 0) {
                Run run = runs[place];
                if (run == null || (found == hash && isRun(run.letters(), text, from, to))) {
                    return run;
                }
            }
        }
    }

    private static boolean isRun(String letters, String text, int from, int to) {
        if (letters.length() != to - from) {
            return false;
        }
        for (int i = 0; i < letters.length(); i++) {
            if (letters.charAt(i) != lower(text.charAt(from + i))) {
                return false;
            }
        }
        return true;
    }

    private static char lower(char c) {
        return c >= 'A' && c <= 'Z' ? (char) (c + 32) : c;
    }

    private static boolean count(List<Entry> candidates, String text, int from, int[] hits, boolean[] seen) {
        for (Entry e : candidates) {
            int end = from + e.word().length();
            if (!text.regionMatches(true, from, e.word(), 0, e.word().length())
                    || (end < text.length() && !isBoundary(text.charAt(end)))) {
                continue;
            }
            if (hits[e.language()] > ENOUGH) {
                return true;
            }
            if (!seen[e.index()]) {
                seen[e.index()] = true;
                hits[e.language()]++;
            }
        }
        return false;
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

    /** ASCII white space or punctuation. */
    private static boolean isBoundary(char c) {
        if (c <= ' ') {
            return c == ' ' || (c >= 9 && c <= 13);
        }
        return c < 0x7f && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z');
    }
}
