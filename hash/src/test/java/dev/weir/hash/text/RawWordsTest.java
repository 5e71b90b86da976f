package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Words of a text in no known charset, as the real Rspamd 3.4 cuts them. */
final class RawWordsTest {
    /** From a mail in no charset: after the URL that ends its line neither a line end nor an address cuts any more. */
    @Test
    void lineEndBehindAUrlIsPassedOver() {
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
    void lineEndElsewhereTakesAByte() {
        String text = "one two there four ";
        TokenList tokens = new TokenList(0);
        RawWords.collect(text.getBytes(StandardCharsets.ISO_8859_1), List.of(new TextException(8, 0, null)),
                new Decay(0, text.length()), new TextBudget(), tokens);
        assertThat(tokens.forms()).filteredOn(word -> !word.isEmpty()).containsExactly("ne", "two", "here", "four");
    }
}
