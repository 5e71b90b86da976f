package dev.weir.storage.stats;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class HourlyTest {
    private static final long START = 1_000_000;

    private static Counts counts(long checked, long matched) {
        return new Counts(checked, matched, 0, 0, 0);
    }

    private static long hours(int hours) {
        return START + TimeUnit.HOURS.toMillis(hours) + hours;
    }

    @Test
    void reportsTheFirstHourAsFarAsItHasCome() {
        Hourly started = Hourly.NONE.next(counts(3, 1), START);
        assertThat(Hourly.NONE.reported(counts(2, 0)).checked()).isEqualTo(2);
        assertThat(started.reported(counts(8, 5)).checked()).isEqualTo(8);
        assertThat(started.reported(counts(8, 5)).matched()).isEqualTo(5);
        assertThat(started.next(counts(9, 6), START + 1000)).isSameAs(started);
    }

    @Test
    void takesTheFirstHourWholeAndMovesHalfwayFromThereOn() {
        Hourly first = Hourly.NONE.next(counts(3, 1), START).next(counts(100, 40), hours(1));
        assertThat(first.reported(counts(150, 50)).checked()).isEqualTo(100);
        assertThat(first.reported(counts(150, 50)).matched()).isEqualTo(40);
        Hourly second = first.next(counts(300, 40), hours(2));
        assertThat(second.reported(counts(300, 40)).checked()).isEqualTo(150);
        assertThat(second.reported(counts(300, 40)).matched()).isEqualTo(20);
    }
}
