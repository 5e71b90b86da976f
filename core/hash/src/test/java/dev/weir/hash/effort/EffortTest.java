package dev.weir.hash.effort;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** A clock that the test sets. */
final class EffortTest {
    private static final int MUCH = 1 << 20;

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 500);

    private Effort effort(int size) {
        return Effort.of(now::get, Duration.ofMillis(1), size);
    }

    @Test
    void stopsAfterTheTimeLimit() {
        Effort effort = effort(1000);
        // The clock may overflow meanwhile.
        now.addAndGet(1_000_000);
        assertThatCode(() -> effort.spend(MUCH)).doesNotThrowAnyException();
        assertThat(effort.spent()).isEqualTo(1_000_000);
        now.addAndGet(1);
        NotHashedException up = catchThrowableOfType(NotHashedException.class, () -> effort.spend(MUCH));
        assertThat(up.reason()).isEqualTo(NotHashedException.Reason.TIME);
        assertThat(up).hasMessage("hashing takes longer than 1 ms");
    }

    @Test
    void readsTheClockOncePerManySteps() {
        Effort effort = effort(1000);
        now.addAndGet(2_000_000);
        int steps = 0;
        for (NotHashedException up = null; up == null; steps++) {
            up = catchThrowableOfType(NotHashedException.class, () -> effort.spend(1));
        }
        assertThat(steps).isBetween(1_000, 100_000);
    }

    @Test
    void limitsRepeatedBytesToAMultipleOfTheSize() {
        Effort effort = effort(10_000);
        effort.repeat(320_000);
        NotHashedException up = catchThrowableOfType(NotHashedException.class, () -> effort.repeat(1));
        assertThat(up.reason()).isEqualTo(NotHashedException.Reason.REPETITION);
        assertThat(up).hasMessageContaining("320000 bytes");
    }

    @Test
    void repeatedBytesHaveAMinimumAndAMaximum() {
        effort(10).repeat(60_000);
        Effort large = effort(50 << 20);
        large.repeat(60 << 20);
        assertThat(catchThrowableOfType(NotHashedException.class, () -> large.repeat(8 << 20)).reason())
                .isEqualTo(NotHashedException.Reason.REPETITION);
    }
}
