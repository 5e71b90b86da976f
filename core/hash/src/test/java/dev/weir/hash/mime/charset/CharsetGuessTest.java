package dev.weir.hash.mime.charset;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of the vote of three samples. */
class CharsetGuessTest {
    @ParameterizedTest
    @CsvSource({"a,a,b,a", "a,b,b,b", "a,b,a,a", "a,b,c,a", "a,,,a", ",b,,b", ",,c,c", "a,b,,b", "a,,c,c", ",b,c,b",
        ",,,"})
    void twoEqualSamplesWinAndAnEmptyOneTakesTheNext(String start, String center, String end, String winner) {
        assertThat(CharsetGuess.vote(start, center, end)).isEqualTo(winner);
    }
}
