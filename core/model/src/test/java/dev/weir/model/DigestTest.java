package dev.weir.model;

import java.util.HexFormat;
import java.util.Locale;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DigestTest {
    private static final String HEX = "0123456789abcdef".repeat(8);

    @Test
    void bytesWordsAndDigitsFormTheSameDigest() {
        byte[] bytes = HexFormat.of().parseHex(HEX);
        Digest digest = Digest.of(bytes);
        assertThat(digest.word(0)).isEqualTo(0xefcdab8967452301L);
        assertThat(digest.toBytes()).isEqualTo(bytes);
        assertThat(digest.hex()).isEqualTo(HEX);
        long[] words = new long[Digest.WORDS];
        digest.copyTo(words, 0);
        assertThat(Digest.ofWords(words, 0)).isEqualTo(digest).hasSameHashCodeAs(digest);
        assertThat(Digest.parse(HEX.toUpperCase(Locale.ROOT))).contains(digest);
    }

    @Test
    void rejectsEveryLengthButSixtyFourBytes() {
        assertThatIllegalArgumentException().isThrownBy(() -> Digest.of(new byte[63])).withMessageContaining("63");
        assertThatIllegalArgumentException().isThrownBy(() -> Digest.of(new byte[65])).withMessageContaining("65");
        assertThat(Digest.parse("")).isEmpty();
        assertThat(Digest.parse(HEX.substring(1))).isEmpty();
        assertThat(Digest.parse(HEX + "0")).isEmpty();
        assertThat(Digest.parse("g" + HEX.substring(1))).isEmpty();
    }

    @Test
    void copiesItsBytes() {
        byte[] bytes = new byte[Digest.BYTES];
        Digest digest = Digest.of(bytes);
        bytes[0] = 1;
        digest.toBytes()[1] = 1;
        assertThat(digest.hex()).isEqualTo("0".repeat(2 * Digest.BYTES));
    }
}
