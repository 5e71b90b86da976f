package dev.weir.hash.text;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

import com.ibm.icu.lang.UCharacter;

/**
 * A detector that distinguishes the languages of one script by the trigrams of some words
 * (docs/reference/hashing.md#language), used if stop words are not decisive. The digest of the part selects the words.
 */
final class Trigrams {
    /** Number of words examined. */
    private static final int SAMPLE = 80;
    /** A candidate this many bits behind the best one is dropped. */
    private static final double MARGIN = 1.0;
    private static final double LEAST_BITS = -8.0;
    /** Mean deviation, as a share of the mean, below which candidates are too close to separate by score. */
    private static final double CLOSE = 0.25;
    private static final String ENGLISH = "en";
    private static final Set<String> FREQUENT = Set.of("fr", "it", "de", "es", "nl", "pt", "ru", "pl", "tk", "th",
            "ar");

    private final List<Language> languages;
    /**
     * Trigrams as numbers (see {@link #key}), a hash table with open addressing and linear probing, at most half full;
     * 0 for a free slot.
     */
    private final long[] keys;
    /** Probability of each of {@link #keys} in each language. */
    private final float[][] shares;

    Trigrams(List<Language> languages, Map<String, LanguageData.Profile> profiles) {
        this.languages = List.copyOf(languages);
        Map<Long, float[]> found = new HashMap<>();
        for (int l = 0; l < languages.size(); l++) {
            LanguageData.Profile profile = profiles.get(languages.get(l).code());
            if (profile == null || profile.total() <= 0) {
                continue;
            }
            int index = l;
            boolean latin = languages.get(l).script() == Script.LATIN;
            profile.counts().forEach((trigram, count) -> {
                // Latin trigrams in the profile of another script come from foreign words in its sources.
                if (trigram.length() == 3 && (latin || !isAscii(trigram))) {
                    long key = key(trigram.charAt(0), trigram.charAt(1), trigram.charAt(2));
                    found.computeIfAbsent(key, k -> new float[languages.size()])[index] = (float) ((double) count
                            / profile.total());
                }
            });
        }
        this.keys = new long[Math.max(2, Integer.highestOneBit(found.size()) * 4)];
        this.shares = new float[keys.length][];
        found.forEach((key, share) -> {
            int place = place(key);
            keys[place] = key;
            shares[place] = share;
        });
    }

    private static long key(char first, char second, char third) {
        return (long) first << 32 | (long) second << 16 | third;
    }

    /** Returns the slot of a trigram, or the slot in which it would be. */
    private int place(long key) {
        int place = (int) ((key * 0x9e3779b97f4a7c15L) >>> 32) & (keys.length - 1);
        while (keys[place] != 0 && keys[place] != key) {
            place = (place + 1) & (keys.length - 1);
        }
        return place;
    }

    /**
     * Returns the language whose trigrams fit best, or English if none fits.
     *
     * @param words normalized words; a token that is no word is empty
     * @param seed selects the words
     */
    String best(List<String> words, long seed) {
        double[] sums = new double[languages.size()];
        for (String word : sample(words, seed)) {
            add(word, sums);
        }
        return choose(sums);
    }

    private static boolean isAscii(String s) {
        return s.chars().allMatch(c -> c < 0x80);
    }

    private static List<String> sample(List<String> words, long seed) {
        List<String> usable = new ArrayList<>();
        for (String word : words) {
            if (word.length() >= 3) {
                usable.add(word);
            }
        }
        if (usable.size() <= SAMPLE) {
            return usable;
        }
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < SAMPLE; i++) {
            int j = i + random.nextInt(usable.size() - i);
            String swap = usable.get(i);
            usable.set(i, usable.get(j));
            usable.set(j, swap);
        }
        return usable.subList(0, SAMPLE);
    }

    /** Adds the shares of a word's trigrams, including one leading and one trailing space. */
    private void add(String word, double[] sums) {
        int letters = 0;
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            letters += (c < 0x80 ? (c | 0x20) >= 'a' && (c | 0x20) <= 'z' : UCharacter.isLetter(c)) ? 1 : 0;
        }
        if (letters < 3) {
            return;
        }
        char first = ' ';
        char second = word.charAt(0);
        for (int i = 1; i <= word.length(); i++) {
            char third = i == word.length() ? ' ' : word.charAt(i);
            int place = place(key(first, second, third));
            if (keys[place] != 0) {
                float[] found = shares[place];
                for (int l = 0; l < sums.length; l++) {
                    sums[l] += found[l];
                }
            }
            first = second;
            second = third;
        }
    }

    private String choose(double[] sums) {
        double[] bits = new double[sums.length];
        double best = LEAST_BITS;
        for (int l = 0; l < sums.length; l++) {
            bits[l] = Math.log(sums[l]) / Math.log(2);
            best = Math.max(best, bits[l]);
        }
        List<Integer> candidates = new ArrayList<>();
        double mean = 0;
        for (int l = 0; l < sums.length; l++) {
            if (bits[l] >= LEAST_BITS && bits[l] >= best - MARGIN) {
                candidates.add(l);
                mean += bits[l];
            }
        }
        if (candidates.isEmpty()) {
            return ENGLISH;
        }
        mean /= candidates.size();
        double deviation = 0;
        for (int l : candidates) {
            deviation += Math.abs(bits[l] - mean);
        }
        deviation /= candidates.size();
        boolean close = candidates.size() > 1 && deviation < CLOSE * Math.abs(mean);
        String chosen = ENGLISH;
        double chosenBits = Double.NEGATIVE_INFINITY;
        for (int l : candidates) {
            String code = languages.get(l).code();
            double b = bits[l] + (close ? bonus(code) : 0);
            if (b > chosenBits) {
                chosen = code;
                chosenBits = b;
            }
        }
        return chosen;
    }

    /**
     * Chooses between close candidates. Rspamd also adds a bonus for how often the process has seen each language,
     * which is not reproducible. As most mail is English, the English bonus stands for that too.
     */
    private static double bonus(String code) {
        if (code.equals(ENGLISH)) {
            return 0.9 * MARGIN;
        }
        return FREQUENT.contains(code) ? 0.1 : 0;
    }
}
