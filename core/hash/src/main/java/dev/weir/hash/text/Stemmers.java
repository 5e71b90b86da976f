package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.tartarus.snowball.SnowballStemmer;
import org.tartarus.snowball.ext.ArabicStemmer;
import org.tartarus.snowball.ext.DanishStemmer;
import org.tartarus.snowball.ext.DutchStemmer;
import org.tartarus.snowball.ext.EnglishStemmer;
import org.tartarus.snowball.ext.FinnishStemmer;
import org.tartarus.snowball.ext.FrenchStemmer;
import org.tartarus.snowball.ext.GermanStemmer;
import org.tartarus.snowball.ext.GreekStemmer;
import org.tartarus.snowball.ext.HindiStemmer;
import org.tartarus.snowball.ext.HungarianStemmer;
import org.tartarus.snowball.ext.IndonesianStemmer;
import org.tartarus.snowball.ext.ItalianStemmer;
import org.tartarus.snowball.ext.LithuanianStemmer;
import org.tartarus.snowball.ext.NepaliStemmer;
import org.tartarus.snowball.ext.NorwegianStemmer;
import org.tartarus.snowball.ext.PortugueseStemmer;
import org.tartarus.snowball.ext.RomanianStemmer;
import org.tartarus.snowball.ext.RussianStemmer;
import org.tartarus.snowball.ext.SerbianStemmer;
import org.tartarus.snowball.ext.SpanishStemmer;
import org.tartarus.snowball.ext.SwedishStemmer;
import org.tartarus.snowball.ext.TamilStemmer;
import org.tartarus.snowball.ext.TurkishStemmer;

/**
 * The Snowball stemmers by two-letter code (docs/reference/hashing.md#stemming). A stemmer has state, so each text gets
 * its own.
 */
final class Stemmers {
    private static final Map<String, Supplier<SnowballStemmer>> BY_LANGUAGE = Map.ofEntries(
            Map.entry("ar", ArabicStemmer::new), Map.entry("da", DanishStemmer::new),
            Map.entry("nl", DutchStemmer::new),
            Map.entry("en", EnglishStemmer::new), Map.entry("fi", FinnishStemmer::new),
            Map.entry("fr", FrenchStemmer::new), Map.entry("de", GermanStemmer::new),
            Map.entry("el", GreekStemmer::new),
            Map.entry("hi", HindiStemmer::new), Map.entry("hu", HungarianStemmer::new),
            Map.entry("id", IndonesianStemmer::new), Map.entry("it", ItalianStemmer::new),
            Map.entry("lt", LithuanianStemmer::new), Map.entry("ne", NepaliStemmer::new),
            Map.entry("no", NorwegianStemmer::new), Map.entry("pt", PortugueseStemmer::new),
            Map.entry("ro", RomanianStemmer::new), Map.entry("ru", RussianStemmer::new),
            Map.entry("sr", SerbianStemmer::new), Map.entry("es", SpanishStemmer::new),
            Map.entry("sv", SwedishStemmer::new), Map.entry("ta", TamilStemmer::new),
            Map.entry("tr", TurkishStemmer::new));

    private Stemmers() {}

    /** Returns the stem of a word in UTF-8, or the word itself if its stem is empty. */
    static byte[] stem(SnowballStemmer stemmer, String word) {
        stemmer.setCurrent(word);
        stemmer.stem();
        String stem = stemmer.getCurrent();
        return (stem.isEmpty() ? word : stem).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns a new stemmer, or null for a language without one. */
    static @Nullable SnowballStemmer forLanguage(String language) {
        Supplier<SnowballStemmer> maker = BY_LANGUAGE.get(language);
        return maker == null ? null : maker.get();
    }
}
