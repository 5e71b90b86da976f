package dev.weir.hash.mime.content;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests that the search for a pattern without a fixed offset finds all occurrences and nothing else. */
final class MimeSignatureTest {
    /** An alphabet of two letters makes patterns overlap themselves. */
    @Property(seed = "4203")
    void findsExactlyTheOccurrences(
            @ForAll @CharRange(from = 'a', to = 'b') @StringLength(min = 1, max = 6) String pattern,
            @ForAll @CharRange(from = 'a', to = 'c') @StringLength(max = 40) String text) {
        byte[] data = text.getBytes(StandardCharsets.US_ASCII);
        String hex = HexFormat.of().formatHex(pattern.getBytes(StandardCharsets.US_ASCII));
        MimeSignature anywhere = MimeSignature.ofRow("x", "1", "any", hex);
        assertThat(anywhere.found(data, 0, data.length)).isEqualTo(text.contains(pattern));
        MimeSignature late = MimeSignature.ofRow("x", "1", "from7", hex);
        assertThat(late.found(data, 0, data.length)).isEqualTo(text.indexOf(pattern, 7) >= 0);
    }

    @Property(seed = "4204")
    void findsByteRanges(@ForAll @CharRange(from = 'a', to = 'd') @StringLength(max = 40) String text) {
        byte[] data = text.getBytes(StandardCharsets.US_ASCII);
        MimeSignature signature = MimeSignature.ofRow("x", "1", "any", "61[62-63]..64");
        assertThat(signature.found(data, 0, data.length))
                .isEqualTo(text.matches(".*a[bc].d.*"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"61[62-63]", "61..", "61e9"})
    void refusesToSearchAPatternWithoutAFixedAsciiEnd(String pattern) {
        assertThat(MimeSignature.ofRow("x", "1", "@0", pattern).isAtStart()).isTrue();
        assertThatThrownBy(() -> MimeSignature.ofRow("x", "1", "any", pattern))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("ASCII");
    }
}
