package dev.weir.hash.mime.charset;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests with results of Rspamd 4.1.6. */
class SingleByteGuessTest {
    @ParameterizedTest
    @CsvSource({"85,.,IBM852", "85,a,windows-1252", "ae,' ',windows-1252", "ae,a,Big5", "92,s,windows-1252",
        "82,' ',IBM850", "d5,s,x-MacRoman", "b1,' ',ISO-8859-2"})
    void knowsTheCharsetOfASingleByte(String hex, String next, String charset) {
        String text = "a text " + (char) Integer.parseInt(hex, 16) + next + " more";
        assertThat(guess(text)).isEqualTo(charset);
    }

    @Test
    void guessesOnlyWithOneByteBeyondAsciiAndOneBehindIt() {
        assertThat(guess("a text")).isNull();
        assertThat(guess("a text \u0085")).isNull();
        assertThat(guess("a text \u0085 \u0085 ")).isNull();
        assertThat(guess("a text \u0085\u0001")).isNull();
        assertThat(guess("a text \u0085\u007f")).isNull();
    }

    @Test
    void hasAConverterForEachAnswer() {
        for (int b = 0x80; b < 0x100; b++) {
            for (char next = ' '; next < 0x7f; next++) {
                String name = guess((char) b + "" + next);
                assertThat(name == null || CharsetNames.meaning(name) instanceof CharsetNames.Meaning.Known)
                        .as("%02x%c %s", b, next, name).isTrue();
            }
        }
    }

    private static @Nullable String guess(String latin) {
        return SingleByteGuess.guess(latin.getBytes(StandardCharsets.ISO_8859_1));
    }
}
