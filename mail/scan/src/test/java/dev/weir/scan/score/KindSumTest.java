package dev.weir.scan.score;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

final class KindSumTest {
    private static FuzzyMatch match(String symbol, String type, double score) {
        return new FuzzyMatch("rule", symbol, "server", "ab".repeat(64), "cd".repeat(64), type, 0.9, score, 21, 5, null,
                false, null, true);
    }

    @Test
    void theBestHitOfEachKindCountsAndTheSumIsExplained() {
        assertThat(KindSum.of(List.of(match("DENIED", "picture1", 0.2), match("DENIED", "source1", 0.45),
                match("DENIED", "picture1", 0.3), match("PROB", "links1", 0.1)), 1))
                .satisfiesExactly(sum -> {
                    assertThat(sum.symbol()).isEqualTo("DENIED");
                    assertThat(sum.score()).isCloseTo(0.75, within(1e-9));
                    assertThat(sum.option()).isEqualTo("kinds=source1 0.45+picture1 0.30");
                }, sum -> assertThat(sum.option()).isEqualTo("kinds=links1 0.10"));
    }

    @Test
    void theSumHasACap() {
        assertThat(KindSum.of(List.of(match("DENIED", "source1", 0.5), match("DENIED", "chars1", 0.5),
                match("DENIED", "subject1", 0.5)), 0.8)).singleElement().satisfies(sum -> {
                    assertThat(sum.score()).isEqualTo(0.8);
                    assertThat(sum.option()).isEqualTo(
                            "kinds=source1 0.50+chars1 0.50+subject1 0.50 capped at 0.80");
                });
    }

    @Test
    void certaintyRisesFromTheThreshold() {
        KindOptions.Kind kind = new KindOptions.Kind(20, 0.5, 14);
        assertThat(kind.certainty(14 / 32.0)).isEqualTo(0.5);
        assertThat(kind.certainty(23 / 32.0)).isEqualTo(0.75);
        assertThat(kind.certainty(1)).isEqualTo(1);
        assertThat(new KindOptions.Kind(20, 0.5, 32).certainty(1)).isEqualTo(1);
    }
}
