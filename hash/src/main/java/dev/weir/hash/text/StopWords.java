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

    private final List<Language> languages;
    /** First run of letters of a stop word → the stop words that begin with it. */
    private final Map<String, List<Entry>> byFirstRun = new HashMap<>();
    private final int entries;
    private final int longestRun;

    StopWords(List<Language> languages, Map<String, List<String>> words) {
        this.languages = List.copyOf(languages);
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
            int to = runEnd(text, from);
            if (to > from && to - from <= longestRun) {
                List<Entry> candidates = byFirstRun.get(text.substring(from, to).toLowerCase(Locale.ROOT));
                if (candidates != null) {
                    done = count(candidates, text, from, hits, seen);
                }
            }
            from = to + 1;
        }
        return winner(hits);
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
