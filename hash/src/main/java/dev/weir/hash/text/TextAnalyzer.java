package dev.weir.hash.text;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.shingle.WordList;
import dev.weir.hash.url.FoundUrl;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.UrlFinder;
import dev.weir.hash.url.UrlSearch;
import org.tartarus.snowball.SnowballStemmer;

/**
 * From the text of a part to the stems that are hashed: joins lines, sets URLs aside, breaks into words, brings them to
 * a normal form, thins out long texts, guesses the language and stems (docs/reference/hashing.md#line-breaks). Time is
 * linear in the text.
 *
 * <p>Thread-safe; what it remembers is words and their stems, and that changes no result.
 */
public final class TextAnalyzer {
    /** The locale that ICU takes for a process without LANG, as services and containers run. */
    public static final String DEFAULT_LOCALE = "en_US_POSIX";
    /** {@code words_decay} as shipped, in words. */
    public static final int DEFAULT_WORDS_DECAY = 600;

    /** A word of English and its space have a little more. */
    private static final int BYTES_PER_WORD = 5;
    /** Longer texts are thinned out; where they are not, a list grows. */
    private static final int MOST_EXPECTED = 1024;

    /** What one stem costs, counted as {@link Effort#spend} does. */
    private static final int STEPS_A_STEM = 16;

    private final int wordsDecay;
    private final UrlFinder urls;
    private final LanguageDetector languages;
    private final WordBoundaries.Rules boundaries;
    private final WordCache words = new WordCache();
    /** By language; there are as many as there are stemmers at most. */
    private final Map<String, StemCache> stems = new ConcurrentHashMap<>();

    /**
     * @param wordsDecay tokens after which words are dropped more and more; 0 keeps all
     * @param locale whose word boundaries are used, in ICU's notation: {@link #DEFAULT_LOCALE}, or {@code en_US} and
     * the like for a reference that runs with a LANG set
     * @param languages what languages are told apart by
     * @param suffixes what bare domains are known by
     */
    public TextAnalyzer(int wordsDecay, String locale, LanguageData languages, PublicSuffixes suffixes) {
        if (wordsDecay < 0) {
            throw new IllegalArgumentException("words_decay must not be negative: " + wordsDecay);
        }
        this.wordsDecay = wordsDecay;
        this.urls = new UrlFinder(suffixes);
        this.languages = new LanguageDetector(languages);
        this.boundaries = new WordBoundaries.Rules(locale);
    }

    /** With shipped data and defaults. */
    public static TextAnalyzer standard() {
        return new TextAnalyzer(DEFAULT_WORDS_DECAY, DEFAULT_LOCALE, LanguageData.standard(),
                PublicSuffixes.standard());
    }

    /**
     * Analyses one text part.
     *
     * @param utf8 converted text; for HTML the visible text
     * @param raw the text could not be converted to UTF-8: words are made of bytes and not stemmed
     * @param html the part is HTML
     * @param search how eagerly to look for URLs
     * @param displayedUrls stretches of {@code utf8} known to be URLs, sorted by position
     * @param partDigest gives the digest of the part, 64 bytes, of which depends from which words the language is
     * guessed where nothing else tells it
     * @param budget what the mail may still spend
     */
    public AnalyzedText analyze(byte[] utf8, boolean raw, boolean html, UrlSearch search,
            List<TextException> displayedUrls, Supplier<byte[]> partDigest, TextBudget budget) {
        StrippedText stripped = NewlineStripper.strip(utf8, html, !raw, budget.newlinesLeft());
        budget.spendNewlines(stripped.newlines().length);
        byte[] text = stripped.bytes();
        List<TextException> exceptions = exceptions(stripped, search, displayedUrls, budget);
        Decay decay = new Decay(wordsDecay, text.length);
        TokenList tokens = new TokenList(Math.min(MOST_EXPECTED, text.length / BYTES_PER_WORD));
        if (raw) {
            RawWords.collect(text, exceptions, decay, budget, tokens);
            return new AnalyzedText(text, encode(tokens, StandardCharsets.ISO_8859_1),
                    languages.detect(text, Utf8Text.of(text), tokens, partDigest));
        }
        Utf8Text chars = Utf8Text.of(text);
        new WordBreaker(text, chars, boundaries.of(chars.chars()), exceptions, decay, budget, words, tokens).collect();
        String language = languages.detect(text, chars, tokens, partDigest);
        return new AnalyzedText(text, stems(tokens, language, budget.effort()), language);
    }

    private List<TextException> exceptions(StrippedText stripped, UrlSearch search, List<TextException> displayedUrls,
            TextBudget budget) {
        List<FoundUrl> found = urls.find(stripped.bytes(), stripped.bytes().length, stripped.newlines(), search,
                budget.urlsLeft(), budget.effort());
        budget.spendUrls(found.size());
        List<TextException> all = new ArrayList<>(displayedUrls.size() + stripped.newlines().length + found.size());
        // What is found in the text goes before what is displayed there, and both before a joint: the sort is stable.
        for (FoundUrl url : found) {
            all.add(new TextException(url.position(), url.length(), url.domain()));
        }
        all.addAll(displayedUrls);
        for (int newline : stripped.newlines()) {
            all.add(new TextException(newline, 0, null));
        }
        all.sort(Comparator.comparingInt(TextException::position));
        return all;
    }

    private WordList stems(TokenList tokens, String language, Effort effort) {
        SnowballStemmer stemmer = Stemmers.forLanguage(language);
        if (stemmer == null) {
            return encode(tokens, StandardCharsets.UTF_8);
        }
        StemCache cache = stems.computeIfAbsent(language, any -> new StemCache());
        WordList.Builder stemmed = new WordList.Builder(tokens.size());
        for (int i = 0; i < tokens.size(); i++) {
            effort.spend(STEPS_A_STEM);
            if (!tokens.isPacked(i)) {
                stemmed.add(stem(tokens.object(i), stemmer, language));
            } else if (!tokens.isEmpty(i)) {
                cache.addStem(tokens.low(i), tokens.high(i), stemmer, stemmed);
            }
        }
        return stemmed.build();
    }

    private static byte[] stem(Word word, SnowballStemmer stemmer, String language) {
        byte[] known = word.stemIn(language);
        if (known != null) {
            return known;
        }
        byte[] stem = Stemmers.stem(stemmer, word.form());
        word.keepStem(language, stem);
        return stem;
    }

    private static WordList encode(TokenList tokens, Charset charset) {
        WordList.Builder encoded = new WordList.Builder(tokens.size());
        for (int i = 0; i < tokens.size(); i++) {
            if (!tokens.isPacked(i)) {
                encoded.add(tokens.object(i).form().getBytes(charset));
            } else if (!tokens.isEmpty(i)) {
                encoded.add(tokens.low(i), tokens.high(i));
            }
        }
        return encoded.build();
    }
}
