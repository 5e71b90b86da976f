package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class WordCacheTest {
    private final WordCache words = new WordCache();

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void returnsTheSameWordAgain() {
        assertThat(words.of("café")).isSameAs(words.of("café"));
        assertThat(words.of("café").form()).isEqualTo("café");
        assertThat(words.of("é".repeat(33)).form()).isEqualTo("é".repeat(33));
    }

    @Test
    void floodOfWordsLosesNoWordInUse() {
        Word first = words.of("först");
        first.keepStem("sv", utf8("först"));
        for (int i = 0; i < 200_000; i++) {
            assertThat(words.of("é" + i).form()).isEqualTo("é" + i);
        }
        assertThat(first.stemIn("sv")).isEqualTo(utf8("först"));
        assertThat(words.of("först").form()).isEqualTo("först");
    }

    @Test
    void returnsTheStemOfTheRequestedLanguage() {
        Word word = words.of("nationalité");
        assertThat(word.stemIn("en")).isNull();
        word.keepStem("en", utf8("nationalité"));
        assertThat(word.stemIn("fr")).isNull();
        word.keepStem("fr", utf8("national"));
        assertThat(word.stemIn("fr")).isEqualTo(utf8("national"));
        assertThat(word.stemIn("en")).isNull();
    }
}
