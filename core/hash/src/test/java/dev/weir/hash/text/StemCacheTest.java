package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.weir.hash.shingle.WordList;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.tartarus.snowball.SnowballStemmer;

import static org.assertj.core.api.Assertions.assertThat;

final class StemCacheTest {
    /** More words than the cache has rows. */
    private static final int FLOOD = 100_000;

    private final StemCache cache = new StemCache();
    private final SnowballStemmer english = Objects.requireNonNull(Stemmers.forLanguage("en"));

    private static String stem(StemCache cache, String word, SnowballStemmer stemmer) {
        TokenList tokens = new TokenList(0);
        assertThat(tokens.addAscii(word.getBytes(StandardCharsets.US_ASCII), 0, word.length())).isTrue();
        WordList.Builder stems = new WordList.Builder(1);
        cache.addStem(tokens.low(0), tokens.high(0), stemmer, stems);
        return new String(stems.build().getFirst(), StandardCharsets.UTF_8);
    }

    private static String expected(String word, SnowballStemmer stemmer) {
        return new String(Stemmers.stem(stemmer, word), StandardCharsets.UTF_8);
    }

    @Property(seed = "4723", tries = 2_000)
    void cachedStemEqualsThatOfTheStemmer(
            @ForAll @CharRange(from = 'a', to = 'z') @CharRange(from = '0', to = '9') @StringLength(min = 1,
                    max = 16) String word) {
        String expected = expected(word, english);
        assertThat(stem(cache, word, english)).isEqualTo(expected);
        assertThat(stem(cache, word, english)).isEqualTo(expected);
    }

    @Test
    void cacheDoesNotAskAgainForAKnownWord() {
        assertThat(stem(cache, "relational", english)).isEqualTo("relat");
        SnowballStemmer french = Objects.requireNonNull(Stemmers.forLanguage("fr"));
        // A cache serves one language and does not ask again for a word that it holds.
        assertThat(expected("relational", french)).isNotEqualTo("relat");
        assertThat(stem(cache, "relational", french)).isEqualTo("relat");
        assertThat(stem(cache, "nationalities", french)).isEqualTo(expected("nationalities", french));
    }

    @Test
    void racingThreadsNeverGetTheStemOfAnotherWord() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Callable<Integer>> readers = new ArrayList<>();
            for (int reader = 0; reader < 4; reader++) {
                int seed = reader;
                readers.add(() -> wrong(seed));
            }
            for (Future<Integer> wrong : threads.invokeAll(readers)) {
                assertThat(wrong.get()).isZero();
            }
        }
    }

    private int wrong(int seed) {
        SnowballStemmer own = Objects.requireNonNull(Stemmers.forLanguage("en"));
        int wrong = 0;
        for (int i = 0; i < FLOOD; i++) {
            // The word has no suffix that a stemmer would remove, so it equals its stem.
            String word = "x" + (i * 31 + seed) % (FLOOD / 2) + "x".repeat(i % 8);
            wrong += stem(cache, word, own).equals(word) ? 0 : 1;
        }
        return wrong;
    }
}
