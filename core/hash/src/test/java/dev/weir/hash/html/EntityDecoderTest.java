package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

final class EntityDecoderTest {
    private static String decode(String text, boolean fold) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        TextBuffer out = new TextBuffer(1);
        if (fold) {
            EntityDecoder.decodeFolding(bytes, 0, bytes.length, out);
        } else {
            EntityDecoder.decode(bytes, 0, bytes.length, out);
        }
        return new String(out.toBytes(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"&amp;|&", "&eacute;&Eacute;|éÉ", "&#65;&#x41;&#X41;&#o101;|AAAA", "&#65x|Ax",
        "&notit;|¬it;", "&unknown;|&unknown", "&bne;|&bne", "&fjlig;|&fjlig", "&#0;&#xD800;&#1114112;|���",
        "&#8706;|∂̸",
        "&#62;|>⃒", "a&b&amp;c|a&b&c", "&lt=5|<=5", "&CounterClockwiseContourIntegral;|∳"})
    void decodesReferences(String text, String expected) {
        assertThat(decode(text, false)).isEqualTo(expected);
    }

    @Test
    void noBreakSpaceBecomesASpace() {
        assertThat(decode("a&nbsp;b&#160;c", false)).isEqualTo("a b c");
    }

    @Test
    void collapsingKeepsDecodedSpacesInTheMiddle() {
        assertThat(decode("\n a \t b&nbsp;&nbsp; c&nbsp;&nbsp;\n", true)).isEqualTo("a b   c ");
    }

    @Test
    void knowsEveryEntityOfTheStandard() {
        assertThat(EntityTable.byName("nbsp")).containsExactly(' ');
        assertThat(EntityTable.byName("fjlig")).isNull();
        assertThat(decode("&NotEqualTilde;&rarr;&hearts;", false)).isEqualTo("≂̸→♥");
    }
}
