package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of line joining; every expectation matches Rspamd's output. */
final class NewlineStripperTest {
    @ParameterizedTest
    @CsvSource(ignoreLeadingAndTrailingWhitespace = false, value = {"a\\nb,a b", "a\\r\\nb,a b", "a\\n\\n\\nb,a b",
        "week.\\rIf,week.If", "a\\r\\rb,a b", "a\\n   b,a b", "a \\n b,a  b", "a\\n \\n b,a  b", "skip\\r,skip",
        "skip\\n,skip ", "skip \\r\\n,skip  ", "<skip\\n,<skip", "<a\\nb>,<ab>", "<a\\r\\nb,<a b", "<a\\n\\rb,<ab",
        "<a\\n\\nb,<a b", "a\\u200bb,ab", "a\\n\\u200bb,a \\u200bb", "a\\n\\u200b\\u200bb,a b", "a\\u00ad,a\\u00ad",
        "a\\u200b\\u200b,a", "a\\n  \\u200bb,a \\u200bb", "a\\n\\u200bb\\u200bc,a \\u200bbc",
        "b\\n\\u200b\\u200b a,b a", "b\\n\\u200b\\u200b\\na,b a", "b\\r\\u00ad\\u200b\\rc,b c",
        "b\\n\\u200b\\u200b \\n,b  "})
    void plain(String in, String out) {
        assertThat(strip(unescape(in), false)).isEqualTo(unescape(out));
    }

    @Test
    void openBracketInHtmlKeepsItsLineEnd() {
        assertThat(strip("<a\nb", true)).isEqualTo("<a b");
    }

    @Test
    void recordsTheStartOfTheNextLine() {
        StrippedText text = NewlineStripper.strip("ab\ncd\r\nef\rgh<\ni".getBytes(StandardCharsets.UTF_8), false, true,
                100);
        assertThat(new String(text.bytes(), StandardCharsets.UTF_8)).isEqualTo("ab cd efgh<i");
        assertThat(text.newlines()).containsExactly(3, 6, 8, 11);
    }

    @Test
    void recordsNoMoreLineEndsThanAllowed() {
        assertThat(NewlineStripper.strip("a\nb\nc\nd".getBytes(StandardCharsets.UTF_8), false, true, 2).newlines())
                .hasSize(2);
    }

    private static String strip(String text, boolean html) {
        return new String(NewlineStripper.strip(text.getBytes(StandardCharsets.UTF_8), html, true, 1000).bytes(),
                StandardCharsets.UTF_8);
    }

    private static String unescape(String s) {
        return s.replace("\\n", "\n").replace("\\r", "\r").replace("\\u200b", "\u200b").replace("\\u00ad", "\u00ad");
    }
}
