package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of words in an unknown charset against Rspamd 3.4. */
final class RawWordsTest {
    /**
     * From a mail in an unknown charset. After a URL at the end of its line, neither line ends nor addresses separate
     * words.
     */
    @Test
    void skipsALineEndAfterAUrl() {
        String text = "to read www.example.com To send joe@example.org with words ";
        List<TextException> exceptions = List.of(new TextException(8, 15, "example.com"),
                new TextException(24, 0, null), new TextException(32, 15, "example.org"),
                new TextException(48, 0, null));
        TokenList tokens = new TokenList(0);
        RawWords.collect(text.getBytes(StandardCharsets.ISO_8859_1), exceptions, new Decay(0, text.length()),
                new TextBudget(), tokens);
        assertThat(tokens.forms()).filteredOn(word -> !word.isEmpty()).containsExactly("o", "read", "to", "send",
                "joe@example", "org", "with", "words");
    }

    @Test
    void otherLineEndsConsumeAByte() {
        String text = "one two there four ";
        TokenList tokens = new TokenList(0);
        RawWords.collect(text.getBytes(StandardCharsets.ISO_8859_1), List.of(new TextException(8, 0, null)),
                new Decay(0, text.length()), new TextBudget(), tokens);
        assertThat(tokens.forms()).filteredOn(word -> !word.isEmpty()).containsExactly("ne", "two", "here", "four");
    }
}
