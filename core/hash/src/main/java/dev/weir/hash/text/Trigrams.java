package dev.weir.hash.text;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import com.ibm.icu.lang.UCharacter;
import dev.weir.hash.bytes.Ascii;

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
    private static final double ENGLISH_BONUS = 19.2;
    private static final double FREQUENT_BONUS = 1.6;
    /** Number of languages up to which a trigram is typical of them, and its weight then. */
    private static final int FEW = 3;
    private static final double TYPICAL = 4;
    private static final String ENGLISH = "en";
    private static final Set<String> FREQUENT = Set.of("fr", "it", "de", "es", "nl", "pt", "ru", "pl", "tk", "th",
            "ar");

    private final List<Language> languages;
    /**
     * Trigrams as numbers (see {@link #key}), a hash table with open addressing and linear probing, at most half full;
     * 0 for a free slot.
     */
    private final long[] keys;
    /** The languages of each of {@link #keys}, in the order in which Rspamd has them, and their probabilities. */
    private final Shares[] shares;
    /** Hash of the name of each language. */
    private final int[] hashes;

    private static final class Shares {
        final int[] languages;
        final double[] values;

        Shares(int[] languages, double[] values) {
            this.languages = languages;
            this.values = values;
        }
    }

    Trigrams(List<Language> languages, Map<String, LanguageData.Profile> profiles) {
        // The order decides which of many languages of a trigram count, see #weigh.
        this.languages = languages.stream().sorted(Comparator.comparing(Language::code)).toList();
        this.hashes = this.languages.stream().mapToInt(language -> CandidateTable.hash(language.code())).toArray();
        Map<Long, double[]> found = new HashMap<>();
        for (int l = 0; l < this.languages.size(); l++) {
            LanguageData.Profile profile = profiles.get(this.languages.get(l).code());
            if (profile != null) {
                addProfile(found, l, profile.counts());
            }
        }
        this.keys = new long[Math.max(2, Integer.highestOneBit(found.size()) * 4)];
        this.shares = new Shares[keys.length];
        found.forEach((key, share) -> {
            int place = place(key);
            keys[place] = key;
            shares[place] = weigh(share);
        });
    }

    private void addProfile(Map<Long, double[]> found, int language, Map<String, Long> counts) {
        List<String> trigrams = counts.keySet().stream().filter(trigram -> trigram.length() == 3).toList();
        long ascii = trigrams.stream().filter(Ascii::isAscii).count();
        // ASCII trigrams in the profile of another script come from foreign words in its sources.
        boolean latin = ascii >= trigrams.size() / 3;
        List<String> used = trigrams.stream().filter(trigram -> latin || !Ascii.isAscii(trigram)).toList();
        double total = used.stream().mapToLong(trigram -> counts.getOrDefault(trigram, 0L)).sum();
        for (String trigram : used) {
            String lower = UCharacter.toLowerCase(Locale.ROOT, trigram);
            if (lower.length() == 3) {
                found.computeIfAbsent(key(lower.charAt(0), lower.charAt(1), lower.charAt(2)),
                        unseen -> new double[languages.size()])[language] += counts.getOrDefault(trigram, 0L) / total;
            }
        }
    }

    /**
     * Weighs the languages of a trigram. One of three languages or less is typical of them and weighs more; of more
     * languages those below the mean are removed. Rspamd moves the last language to the place of a removed one without
     * a look at it, so some of them stay.
     */
    private static Shares weigh(double[] shares) {
        int[] places = IntStream.range(0, shares.length).filter(l -> shares[l] > 0).toArray();
        int count = places.length;
        if (count <= FEW) {
            return new Shares(places, IntStream.of(places).mapToDouble(l -> shares[l] * TYPICAL).toArray());
        }
        double mean = 0;
        for (int i = 0; i < count; i++) {
            mean += (shares[places[i]] - mean) / (i + 1);
        }
        for (int i = 0; i < count; i++) {
            if (shares[places[i]] < mean) {
                places[i] = places[--count];
            }
        }
        int[] kept = Arrays.copyOf(places, count);
        return new Shares(kept, IntStream.of(kept).mapToDouble(l -> shares[l]).toArray());
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
        CandidateTable candidates = new CandidateTable(hashes);
        for (int index : sample(words, seed)) {
            add(words.get(index), sums, candidates);
        }
        return choose(sums, candidates);
    }

    /**
     * Returns the indexes of the words to look at: one out of each part of the text, all parts having the same length.
     * Words that do not begin and end with a letter are avoided. The last index is always 0, as in Rspamd.
     */
    private static int[] sample(List<String> words, long seed) {
        int size = words.size();
        int[] chosen = new int[Math.min(size, SAMPLE)];
        int step = size / chosen.length;
        WyRand random = new WyRand(seed);
        random.below(1);
        int part = 0;
        for (int from = step + size % chosen.length; from < size; from += step) {
            int index = from + random.below(step);
            for (int tries = 1; !isUsable(words.get(index)) && tries <= size; tries++) {
                index = tries < step ? from + random.below(step) : random.below(size);
            }
            chosen[part++] = index;
        }
        return chosen;
    }

    private static boolean isUsable(String word) {
        return word.length() >= 2 && UCharacter.isLetter(word.codePointAt(0))
                && UCharacter.isLetter(word.codePointBefore(word.length()));
    }

    /** The pseudo-random numbers with which Rspamd selects words. */
    private static final class WyRand {
        private long state;

        WyRand(long seed) {
            state = seed;
        }

        int below(int bound) {
            state += 0xa0761d6478bd642fL;
            long other = state ^ 0xe7037ed1a0b428dbL;
            return (int) Long.remainderUnsigned(Math.unsignedMultiplyHigh(state, other) ^ (state * other), bound);
        }
    }

    /** Adds the shares of a word's trigrams, with a space before and after it but without its first three letters. */
    private void add(String word, double[] sums, CandidateTable candidates) {
        if (word.length() < 3) {
            return;
        }
        add(key(' ', word.charAt(0), word.charAt(1)), sums, candidates);
        for (int i = 1; i + 1 < word.length(); i++) {
            char third = i + 2 == word.length() ? ' ' : word.charAt(i + 2);
            add(key(word.charAt(i), word.charAt(i + 1), third), sums, candidates);
        }
    }

    private void add(long key, double[] sums, CandidateTable candidates) {
        int place = place(key);
        if (keys[place] != 0) {
            Shares found = shares[place];
            for (int i = 0; i < found.languages.length; i++) {
                int language = found.languages[i];
                candidates.add(language);
                sums[language] += found.values[i];
            }
        }
    }

    private String choose(double[] sums, CandidateTable table) {
        double[] bits = new double[sums.length];
        double best = LEAST_BITS;
        for (int l = 0; l < sums.length; l++) {
            bits[l] = Math.log(sums[l]) / Math.log(2);
            best = Math.max(best, bits[l]);
        }
        double margin = best - MARGIN;
        int[] candidates = IntStream.of(table.languages()).filter(l -> bits[l] >= LEAST_BITS && bits[l] >= margin)
                .toArray();
        if (candidates.length == 0) {
            return ENGLISH;
        }
        double mean = IntStream.of(candidates).mapToDouble(l -> bits[l]).sum() / candidates.length;
        double deviation = IntStream.of(candidates).mapToDouble(l -> Math.abs(bits[l] - mean)).sum()
                / candidates.length;
        double[] bonuses = new double[bits.length];
        if (candidates.length > 1 && deviation < CLOSE * Math.abs(mean)) {
            for (int l : candidates) {
                bonuses[l] = deviation * bonus(languages.get(l).code());
            }
        }
        return languages.get(sorted(candidates, bits, bonuses)[0]).code();
    }

    /** Sorts candidates by merging, best first. Each comparison adds their bonuses to both of the compared ones. */
    private static int[] sorted(int[] candidates, double[] bits, double[] bonuses) {
        int count = candidates.length;
        if (count < 2) {
            return candidates;
        }
        int[] left = sorted(Arrays.copyOf(candidates, count / 2), bits, bonuses);
        int[] right = sorted(Arrays.copyOfRange(candidates, count / 2, count), bits, bonuses);
        int[] merged = new int[count];
        int l = 0;
        int r = 0;
        for (int i = 0; i < count; i++) {
            if (l < left.length && r < right.length) {
                bits[left[l]] += bonuses[left[l]];
                bits[right[r]] += bonuses[right[r]];
                merged[i] = bits[left[l]] >= bits[right[r]] ? left[l++] : right[r++];
            } else {
                merged[i] = l < left.length ? left[l++] : right[r++];
            }
        }
        return merged;
    }

    /**
     * Returns what a comparison of close candidates adds for a language, in mean deviations. Rspamd also adds up to 0.8
     * for how often it has met each of two languages, which matters little.
     */
    private static double bonus(String code) {
        return code.equals(ENGLISH) ? ENGLISH_BONUS : FREQUENT.contains(code) ? FREQUENT_BONUS : 0;
    }
}
