package dev.weir.hash.mime.header;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of the end of headers; every expectation is the output of Rspamd 4.1.6. */
final class HeaderEndTest {
    /** N stands for a line feed, R for a carriage return, _ for a space and V for a vertical tab. */
    @ParameterizedTest
    @CsvSource({"aNNb, b", "aRNRNb, b", "aNRNb, b", "aRRb, b", "aRRNb, b", "aNRRNb, b", "aN_NNb, b", "aRN_RNRNb, b",
        "aN_NRNb, b", "aNb, none", "aRNb, none", "aNRRb, none", "aN_Nb, none", "aN_RNb, none", "aN_RRNb, none",
        "aR_Rbb, none", "aN_NRb, none", "aNVNbNNc, c"})
    void anEmptyLineEndsHeaders(String data, String body) {
        assertThat(body(data)).isEqualTo(body);
    }

    /** A line of white space is part of the field before it, but the last one of the data ends the headers. */
    @ParameterizedTest
    @CsvSource({"aN__N, ''", "aN_R, ''", "aN_RN, N", "aRN_RN, N", "aN_N_N, ''", "aN_, none", "aN, none"})
    void whiteSpaceAtTheEndOfTheDataEndsHeaders(String data, String body) {
        assertThat(body(data)).isEqualTo(body);
    }

    private static String body(String data) {
        byte[] bytes = ("x" + data.replace('N', '\n').replace('R', '\r').replace('_', ' ').replace('V', '\u000b'))
                .getBytes(StandardCharsets.US_ASCII);
        int end = HeaderEnd.find(bytes, 1, bytes.length);
        return end < 0
                ? "none"
                : new String(bytes, end, bytes.length - end, StandardCharsets.US_ASCII).replace('\n', 'N');
    }
}
