package dev.weir.hash.text;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

import com.ibm.icu.lang.UCharacter;
import org.jspecify.annotations.Nullable;

/**
 * Tells the languages of one script apart by the trigrams of some of the words (hashing spec 2.7, step 4): the way out where
 * stop words say too little. Which words are looked at depends on the digest of the part.
 */
final class Trigrams {
    /** Words that are looked at. */
    private static final int SAMPLE = 80;
    /** A candidate this many bits behind the best is out. */
    private static final double MARGIN = 1.0;
    private static final double LEAST_BITS = -8.0;
    private static final Set<String> FREQUENT = Set.of("fr", "it", "de", "es", "nl", "pt", "ru", "pl", "tk", "th",
            "ar");

    private final List<Language> languages;
    /** Trigram → probability in each language. */
    private final Map<String, float[]> shares = new HashMap<>();

    Trigrams(List<Language> languages, Map<String, LanguageData.Profile> profiles) {
        this.languages = List.copyOf(languages);
        for (int l = 0; l < languages.size(); l++) {
            LanguageData.Profile profile = profiles.get(languages.get(l).code());
            if (profile == null || profile.total() <= 0) {
                continue;
            }
            int index = l;
            profile.counts().forEach((trigram,
                    count) -> shares.computeIfAbsent(trigram,
                            k -> new float[languages.size()])[index] = (float) ((double) count
                                    / profile.total()));
        }
    }

    /**
     * The language whose trigrams fit best; English if none does.
     *
     * @param words normalised words, empty ones where a token is no word
     * @param seed  what the choice of words depends on
     */
    String best(List<String> words, long seed) {
        double[] sums = new double[languages.size()];
        int looked = 0;
        for (String word : sample(words, seed)) {
            looked += add(word, sums);
        }
        if (looked == 0) {
            return "en";
        }
        return choose(sums, looked);
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

    /** Adds the shares of a word's trigrams; returns how many were looked at. */
    private int add(String word, double[] sums) {
        int letters = 0;
        for (int i = 0; i < word.length(); i++) {
            if (UCharacter.isLetter(word.charAt(i))) {
                letters++;
            }
        }
        if (letters < 3) {
            return 0;
        }
        String padded = " " + word + " ";
        int looked = 0;
        for (int i = 0; i + 3 <= padded.length(); i++) {
            looked++;
            float[] found = shares.get(padded.substring(i, i + 3));
            if (found != null) {
                for (int l = 0; l < sums.length; l++) {
                    sums[l] += found[l];
                }
            }
        }
        return looked;
    }

    private String choose(double[] sums, int looked) {
        double best = Double.NEGATIVE_INFINITY;
        double[] bits = new double[sums.length];
        for (int l = 0; l < sums.length; l++) {
            bits[l] = sums[l] > 0 ? Math.log(sums[l] / looked) / Math.log(2) : Double.NEGATIVE_INFINITY;
            best = Math.max(best, bits[l]);
        }
        String chosen = null;
        double chosenBits = Double.NEGATIVE_INFINITY;
        for (int l = 0; l < sums.length; l++) {
            double b = bits[l] + bonus(languages.get(l).code());
            if (bits[l] >= LEAST_BITS && bits[l] >= best - MARGIN && b > chosenBits) {
                chosen = languages.get(l).code();
                chosenBits = b;
            }
        }
        return orEnglish(chosen);
    }

    private static double bonus(String code) {
        if (code.equals("en")) {
            return 0.2;
        }
        return FREQUENT.contains(code) ? 0.1 : 0;
    }

    private static String orEnglish(@Nullable String code) {
        return code == null ? "en" : code;
    }
}
