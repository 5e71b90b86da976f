package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class WordCacheTest {
    private final WordCache words = new WordCache();

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Property(seed = "4721", tries = 2_000)
    void whatStandsInTheTextIsItsNormalForm(
            @ForAll @CharRange(from = 0, to = 0x7f) @StringLength(max = 24) String text,
            @ForAll @IntRange(max = 20) int behind) {
        assertIsNormalForm(text, behind);
    }

    @Property(seed = "4722", tries = 2_000)
    void lettersAndDigitsAreTakenEightAtATime(
            @ForAll @CharRange(from = 'a', to = 'z') @CharRange(from = 'A', to = 'Z') @CharRange(from = '0', to = '9') @StringLength(min = 1, max = 18) String text,
            @ForAll @IntRange(max = 20) int behind) {
        assertIsNormalForm(text, behind);
    }

    private void assertIsNormalForm(String text, int behind) {
        byte[] bytes = utf8("É" + text + "é".repeat(behind));
        Word word = words.ofAscii(bytes, 2, 2 + text.length());
        String expected = WordForm.normalise(text, 0, text.length());
        if (expected.length() > 16) {
            assertThat(word).isNull();
            return;
        }
        assertThat(Objects.requireNonNull(word).form()).isEqualTo(expected);
        assertThat(words.ofAscii(bytes, 2, 2 + text.length())).isSameAs(word);
    }

    @Test
    void otherCharactersAreLeftToTheRulesOfUnicode() {
        assertThat(words.ofAscii(utf8("café and much more"), 0, 5)).isNull();
        assertThat(words.of("café")).isSameAs(words.of("café"));
        assertThat(words.of("café").form()).isEqualTo("café");
        assertThat(words.of("")).isSameAs(Word.NONE);
        assertThat(words.ofAscii(utf8("...                 "), 0, 3)).isSameAs(Word.NONE);
    }

    @Test
    void aFloodOfWordsLosesNoneThatIsInUse() {
        Word first = words.of("first");
        first.keepStem("en", utf8("first"));
        for (int i = 0; i < 200_000; i++) {
            byte[] text = utf8("w" + i + "                ");
            assertThat(Objects.requireNonNull(words.ofAscii(text, 0, text.length - 16)).form()).isEqualTo("w" + i);
        }
        assertThat(first.stemIn("en")).isEqualTo(utf8("first"));
        assertThat(words.of("first").form()).isEqualTo("first");
    }

    @Test
    void aStemIsThatOfItsLanguage() {
        Word word = words.of("nation");
        assertThat(word.stemIn("en")).isNull();
        word.keepStem("en", utf8("nation"));
        assertThat(word.stemIn("fr")).isNull();
        word.keepStem("fr", utf8("nat"));
        assertThat(word.stemIn("fr")).isEqualTo(utf8("nat"));
        assertThat(word.stemIn("en")).isNull();
    }
}
