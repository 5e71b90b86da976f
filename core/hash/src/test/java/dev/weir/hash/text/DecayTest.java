package dev.weir.hash.text;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class DecayTest {
    private final byte[] text = "0123456789 and so on for a while".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    @Test
    void keepsAllWordsUpToTheThreshold() {
        Decay decay = new Decay(5, 1_000_000);
        for (int n = 0; n <= 5; n++) {
            assertThat(decay.keeps(text, 0, 10, n, 11)).isTrue();
        }
    }

    @Test
    void thinsOutWordsAfterTheThreshold() {
        Decay decay = new Decay(600, 60_000);
        int kept = 0;
        for (int n = 0; n < 10_000; n++) {
            kept += decay.keeps(text, 0, 10, 601, 6_000) ? 1 : 0;
        }
        // 600 / (54 000 / 6) = 0.066, rounded down to a tenth: no words except the one that starts the decay.
        assertThat(kept).isEqualTo(1);
        Decay half = new Decay(600, 12_000);
        int half600 = 0;
        for (int n = 0; n < 10_000; n++) {
            half600 += half.keeps(text, 0, 10, 601, 6_000) ? 1 : 0;
        }
        // 600 / (6 000 / 6) = 0.6
        assertThat(half600).isBetween(5_800, 6_200);
    }

    @Test
    void zeroDisablesDecay() {
        Decay decay = new Decay(0, 1_000_000);
        for (int n = 0; n < 5_000; n++) {
            assertThat(decay.keeps(text, 0, 10, n, 11)).isTrue();
        }
    }
}
