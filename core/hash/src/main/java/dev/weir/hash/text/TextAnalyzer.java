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
import dev.weir.hash.text.LanguageDetector.Letters;
import dev.weir.hash.url.FoundUrl;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.UrlFinder;
import dev.weir.hash.url.UrlSearch;
import org.tartarus.snowball.SnowballStemmer;

/**
 * The text analyzer, which turns the text of a part into the stems to hash: it joins lines, separates URLs, splits
 * words, normalizes them, thins out long texts, detects the language and stems the words
 * (docs/reference/hashing.md#line-breaks). The time is linear in the text.
 *
 * <p>Thread-safe; its caches hold only words and stems, and they do not affect results.
 */
public final class TextAnalyzer {
    /** The locale that ICU chooses for a process without LANG, such as a service or a container. */
    public static final String DEFAULT_LOCALE = "en_US_POSIX";
    /** Rspamd's default of {@code words_decay}, in words. */
    public static final int DEFAULT_WORDS_DECAY = 600;

    /** Estimated bytes per word; an English word and its space have slightly more. */
    private static final int BYTES_PER_WORD = 5;
    /** Initial capacity limit. Longer texts are usually thinned out; if not, the list grows. */
    private static final int MOST_EXPECTED = 1024;

    /** Cost of one stem, in units of {@link Effort#spend}. */
    private static final int STEPS_A_STEM = 16;

    private final int wordsDecay;
    private final UrlFinder urls;
    private final LanguageDetector languages;
    private final WordBoundaries.Rules boundaries;
    private final WordCache wordCache = new WordCache();
    /** Caches by language, at most one per stemmer. */
    private final Map<String, StemCache> stems = new ConcurrentHashMap<>();

    /**
     * @param wordsDecay number of tokens after which more and more words are dropped; 0 keeps all
     * @param locale locale of the word boundaries in ICU's notation: {@link #DEFAULT_LOCALE}, or for example
     * {@code en_US} to match an Rspamd that runs with LANG set
     * @param languages data for language detection
     * @param suffixes public suffix list, which identifies bare domains
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

    /** Returns an analyzer with built-in data and default options. */
    public static TextAnalyzer standard() {
        return new TextAnalyzer(DEFAULT_WORDS_DECAY, DEFAULT_LOCALE, LanguageData.standard(),
                PublicSuffixes.standard());
    }

    /**
     * Analyzes one text part.
     *
     * @param utf8 converted text; for HTML the visible text
     * @param raw whether the text could not be converted to UTF-8; its words are then bytes and are not stemmed
     * @param html whether the part is HTML
     * @param search scope of the URL search
     * @param displayedUrls ranges of {@code utf8} known to be URLs, sorted by position
     * @param partDigest supplies the 64-byte digest of the part, at any later time; it selects the words for language
     * detection if nothing else is decisive
     * @param budget remaining budget of the mail
     */
    public AnalyzedText analyze(byte[] utf8, boolean raw, boolean html, UrlSearch search,
            List<TextException> displayedUrls, Supplier<byte[]> partDigest, TextBudget budget) {
        StrippedText stripped = NewlineStripper.strip(utf8, html, !raw, budget.newlinesLeft());
        budget.spendNewlines(stripped.newlines().length);
        byte[] text = stripped.bytes();
        List<TextException> exceptions = exceptions(stripped, raw, search, displayedUrls, budget);
        Decay decay = new Decay(wordsDecay, text.length);
        TokenList tokens = new TokenList(Math.min(MOST_EXPECTED, text.length / BYTES_PER_WORD));
        Utf8Text chars = Utf8Text.of(text);
        Letters letters = Letters.of(chars);
        if (raw) {
            RawWords.collect(text, exceptions, decay, budget, tokens);
        } else {
            new WordBreaker(text, chars, boundaries.of(chars.chars()), exceptions, decay, budget, wordCache, tokens)
                    .collect();
        }
        TextWords words = new TextWords(tokens, letters.language(), new TextWords.Reader() {
            @Override
            public String language() {
                return languages.detect(text, letters, tokens, partDigest);
            }

            @Override
            public WordList stems(String language, Effort effort) {
                return raw
                        ? encode(tokens, StandardCharsets.ISO_8859_1)
                        : TextAnalyzer.this.stems(tokens, language, effort);
            }
        });
        return new AnalyzedText(text, words, words);
    }

    private List<TextException> exceptions(StrippedText stripped, boolean raw, UrlSearch search,
            List<TextException> displayedUrls, TextBudget budget) {
        List<FoundUrl> found = urls.find(stripped.bytes(), stripped.bytes().length, stripped.newlines(), search,
                budget.urlsLeft(), budget.effort());
        budget.spendUrls(found.size());
        List<TextException> all = new ArrayList<>(displayedUrls.size() + stripped.newlines().length + found.size());
        // At the same position, URLs found in the text come first, then line ends, then displayed URLs, the outer of
        // two nested links first: the sort is stable.
        for (FoundUrl url : found) {
            TextException exception = new TextException(url.position(), url.length(), url.domain());
            all.add(exception);
            if (raw && url.repeated()) {
                all.add(exception);
            }
        }
        for (int newline : stripped.newlines()) {
            all.add(new TextException(newline, 0, null));
        }
        all.addAll(displayedUrls.reversed());
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
                effort.spend(WordForm.steps(tokens.object(i).form().length()));
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
