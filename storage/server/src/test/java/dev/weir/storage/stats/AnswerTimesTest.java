package dev.weir.storage.stats;

import dev.weir.storage.server.stats.Counters;
import dev.weir.storage.server.stats.ThreadCounters;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AnswerTimesTest {
    @Test
    void percentilesAreExactToAQuarter() {
        Counters counters = new Counters();
        ThreadCounters tally = counters.newTally();
        for (int i = 1; i <= 1000; i++) {
            tally.answered(1, i * 1000L);
        }
        AnswerTimes times = counters.times();
        assertThat(times.count()).isEqualTo(1000);
        assertThat(times.within(0.5)).isBetween(500_000L, 625_000L);
        assertThat(times.within(0.99)).isBetween(990_000L, 1_250_000L);
        tally.answered(3, 7);
        assertThat(counters.times().since(times).count()).isEqualTo(3);
        assertThat(counters.times().since(times).within(1)).isEqualTo(8);
        assertThat(AnswerTimes.none().within(0.5)).isZero();
    }

    @Test
    void eachTimeIsBelowTheEndOfItsClass() {
        for (long nanos = 4; nanos < 1L << 45; nanos += nanos / 3) {
            int at = AnswerTimes.classOf(nanos);
            assertThat(AnswerTimes.endOf(at)).isGreaterThan(nanos).isLessThanOrEqualTo(nanos + nanos / 4 + 1);
        }
        assertThat(AnswerTimes.classOf(0)).isZero();
        assertThat(AnswerTimes.classOf(Long.MAX_VALUE)).isEqualTo(AnswerTimes.CLASSES - 1);
    }
}
