package dev.weir.hash.mime.content;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;

import static org.assertj.core.api.Assertions.assertThat;

/** The search for a pattern that may stand anywhere finds it wherever it stands, and only there. */
final class MimeSignatureTest {
    /** Two letters, so that patterns overlap themselves and shifts matter. */
    @Property(seed = "4203")
    void findsWhatIsThere(@ForAll @CharRange(from = 'a', to = 'b') @StringLength(min = 1, max = 6) String pattern,
            @ForAll @CharRange(from = 'a', to = 'c') @StringLength(max = 40) String text) {
        byte[] data = text.getBytes(StandardCharsets.US_ASCII);
        String hex = HexFormat.of().formatHex(pattern.getBytes(StandardCharsets.US_ASCII));
        MimeSignature anywhere = MimeSignature.ofRow("x", "1", "any", hex);
        assertThat(anywhere.found(data, 0, data.length)).isEqualTo(text.contains(pattern));
        MimeSignature late = MimeSignature.ofRow("x", "1", "from7", hex);
        assertThat(late.found(data, 0, data.length)).isEqualTo(text.indexOf(pattern, 7) >= 0);
    }

    /** A range of bytes shifts as far as its nearest member may stand. */
    @Property(seed = "4204")
    void findsRanges(@ForAll @CharRange(from = 'a', to = 'd') @StringLength(max = 40) String text) {
        byte[] data = text.getBytes(StandardCharsets.US_ASCII);
        MimeSignature signature = MimeSignature.ofRow("x", "1", "any", "61[62-63]..64");
        assertThat(signature.found(data, 0, data.length))
                .isEqualTo(text.matches(".*a[bc].d.*"));
    }
}
