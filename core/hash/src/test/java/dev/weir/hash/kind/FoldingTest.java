package dev.weir.hash.kind;

import java.time.Duration;
import java.util.Random;
import java.util.function.IntUnaryOperator;

import com.ibm.icu.text.Normalizer2;
import dev.weir.hash.effort.Effort;
import dev.weir.hash.effort.NotHashedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(60)
class FoldingTest {
    private static final Normalizer2 WHOLE = Normalizer2.getNFKDInstance();

    /** Characters with everything that folding looks at, and many marks of several classes. */
    private static final int[] ALPHABET = {'a', 'Z', '7', '.', ':', '/', '@', ' ', '\n', 0xe9, 0x430, 0xff26, 0xfb01,
        0x1f600, 0xac01, 0x0e01, 0x0663, 0x00a0, 0x0345, 0x0334, 0x0301, 0x0344, 0x0f73, 0x0f81, 0x3099, 0xff9e, 0x05b0,
        0x1d165, 0x20e3};

    @Test
    void theCutChangesNoTextWhateverItsMarks() {
        Random random = new Random(41);
        for (int round = 0; round < 3000; round++) {
            StringBuilder text = new StringBuilder();
            IntUnaryOperator pick = bound -> ALPHABET[random.nextInt(bound)];
            for (int i = random.nextInt(200); i > 0; i--) {
                int c = pick.applyAsInt(ALPHABET.length);
                text.repeat(Character.toString(c), random.nextInt(20) == 0 ? random.nextInt(90) : 1);
            }
            assertThat(Folding.fold(text.toString(), Effort.unlimited()))
                    .isEqualTo(Folding.reduce(WHOLE.normalize(text)));
        }
    }

    @Test
    void whatIsLeftOutIsNeverALetterADigitOrABlank() {
        for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
            if (!WHOLE.hasBoundaryBefore(c)) {
                String mark = WHOLE.normalize(Character.toString(c));
                assertThat(Folding.fold("a" + mark + "b", Effort.unlimited())).as("U+%04X", c).isEqualTo("ab");
            }
        }
    }

    @Test
    void piecesEndBetweenCharacters() {
        String text = "\u00e9\ud83d\ude00a\u0301\u0302 \u0430".repeat(5000);
        assertThat(Folding.fold(text, Effort.unlimited()))
                .isEqualTo(Folding.reduce(WHOLE.normalize(text)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0345\u0334", "\u0f73\u0f81", "\u0344\u05b0"})
    void marksOfTwoClassesTakeLinearTime(String marks) {
        int half = 1 << 16;
        String text = "a" + marks.substring(0, 1).repeat(half) + marks.substring(1).repeat(half);
        long start = System.nanoTime();
        assertThat(Folding.fold(text, Effort.unlimited())).isEqualTo("a");
        // In one piece, this took 24 seconds.
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void normalizingCountsItsSteps() {
        String text = "\u00e9".repeat(1 << 20);
        Effort effort = Effort.of(Duration.ofNanos(1), text.length());
        assertThatThrownBy(() -> Folding.fold(text, effort)).isInstanceOf(NotHashedException.class);
    }
}
