package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of words in an unknown charset, with results of Rspamd 3.4 and 4.1.6. */
final class RawWordsTest {
    private static List<String> words(String text, TextException... exceptions) {
        TokenList tokens = new TokenList(0);
        RawWords.collect(text.getBytes(StandardCharsets.ISO_8859_1), List.of(exceptions), new Decay(0, text.length()),
                new TextBudget(), tokens);
        return tokens.forms();
    }

    private static TextException url(int position, int length) {
        return new TextException(position, length, "example.com");
    }

    private static TextException lineEnd(int position) {
        return new TextException(position, 0, null);
    }

    @Test
    void lineEndsConsumeAByte() {
        assertThat(words("one two there four ", lineEnd(8))).containsExactly("ne", "two", "", "here", "four");
    }

    /** From two mails: http://www.example.com at the end of its line, then an address at the end of its line. */
    @Test
    void aLineEndDirectlyAfterAUrlConsumesAByte() {
        String text = "to read http://www.example.com To send joe@example.org with words ";
        assertThat(words(text, url(8, 22), lineEnd(31), url(39, 15), lineEnd(55))).containsExactly("o", "read", "", "",
                "o", "send", "", "", "ith", "words");
    }

    /** At the same position, the URL comes first. The line end is then behind the scan and is never reached. */
    @Test
    void aUrlAtTheStartOfALineHidesAllLaterExceptions() {
        String text = "see this http://www.example.com/a and more then joe@example.org goes on ";
        assertThat(words(text, lineEnd(9), url(9, 24), lineEnd(43), url(48, 15), lineEnd(69))).containsExactly("ee",
                "this", "", "and", "more", "then", "joe@example", "org", "goes", "on");
    }

    /**
     * In both releases, a pattern like {@code net.to} of the public suffix list matches any byte as its dot, so
     * {@code example.net to} contains the URL {@code example.net} twice.
     */
    @Test
    void aUrlThatIsFoundTwiceHidesAllLaterExceptions() {
        String text = "to read www.example.com To send joe@example.org with words ";
        assertThat(words(text, url(8, 15), url(8, 15), lineEnd(24), url(32, 15), lineEnd(48))).containsExactly("o",
                "read", "", "to", "send", "joe@example", "org", "with", "words");
    }
}
