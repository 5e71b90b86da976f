package dev.weir.storage.queue;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StorageClockTest {
    private static final long T = 1_700_000_000_000L;
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long DAY = 24 * HOUR;

    private final Timing timing = new Timing(Duration.ofDays(90), Duration.ofSeconds(1));
    private long wall = T;
    private long passed;
    private final StorageClock clock = new StorageClock(() -> Instant.ofEpochMilli(wall),
            () -> passed * 1_000_000, timing);

    private void pass(long millis) {
        wall += millis;
        passed += millis;
        clock.look();
    }

    @Test
    void trustsTheClockWithoutAnEarlierRun() {
        clock.start();
        assertThat(clock.millis()).isEqualTo(T);
        assertThat(clock.doubt()).isEmpty();
    }

    @Test
    void trustsADayBetweenTwoRuns() {
        clock.known(StorageClock.Witness.UPDATES, T - DAY + HOUR);
        clock.start();
        assertThat(clock.millis()).isEqualTo(T);
        assertThat(clock.doubt()).isEmpty();
    }

    @Test
    void aStartWithAClockFarAheadContinuesFromTheLastTime() {
        clock.known(StorageClock.Witness.UPDATES, T);
        wall = T + 3_650 * DAY;
        clock.start();
        assertThat(clock.millis()).isEqualTo(T);
        assertThat(clock.later(wall)).isEqualTo(wall);
        assertThat(clock.doubt()).contains("3650 days ahead");
        pass(5 * DAY);
        assertThat(clock.millis()).isEqualTo(T + 5 * DAY);
        wall = T + 5 * DAY + 2 * HOUR;
        clock.look();
        assertThat(clock.doubt()).isEmpty();
        assertThat(clock.millis()).isEqualTo(wall);
    }

    @Test
    void aStartWithAClockBehindContinuesFromTheLastTime() {
        clock.known(StorageClock.Witness.UPDATES, T);
        clock.known(StorageClock.Witness.FILE, T);
        wall = T - 20_000 * DAY;
        clock.start();
        pass(100 * DAY);
        assertThat(clock.millis()).isEqualTo(T + 100 * DAY);
        assertThat(clock.later(wall)).isEqualTo(T + 100 * DAY);
        assertThat(clock.doubt()).contains("behind");
        clock.believe();
        assertThat(clock.millis()).isEqualTo(wall);
        assertThat(clock.doubt()).isEmpty();
    }

    @Test
    void trustsAJumpAheadWhenNoHashFromBeforeItIsYoung() {
        clock.start();
        wall += 30 * DAY;
        // Also without a look of the writer.
        assertThat(clock.millis()).isEqualTo(T);
        pass(60 * DAY);
        assertThat(clock.millis()).isEqualTo(T + 60 * DAY);
        // A second jump begins a new doubt.
        wall += 30 * DAY;
        clock.look();
        pass(89 * DAY);
        assertThat(clock.doubt()).isNotEmpty();
        pass(DAY);
        assertThat(clock.doubt()).isEmpty();
        assertThat(clock.millis()).isEqualTo(wall);
    }

    @Test
    void oneWitnessIsNotBelieved() {
        clock.known(StorageClock.Witness.FILE, T + 200 * DAY);
        clock.known(StorageClock.Witness.UPDATES, T - HOUR);
        clock.start();
        assertThat(clock.millis()).isEqualTo(T);
        assertThat(clock.doubt()).isEmpty();
        assertThat(clock.later(T)).isEqualTo(T + 200 * DAY);
    }

    @Test
    void oneUpdateFromTheFutureAgesNothing() {
        clock.known(StorageClock.Witness.FILE, T - HOUR);
        clock.known(StorageClock.Witness.UPDATES, T + 200 * DAY);
        clock.start();
        assertThat(clock.millis()).isEqualTo(T);
        assertThat(clock.doubt()).isEmpty();
        // What is learned now must not look old to those who believe the update.
        assertThat(clock.later(T)).isEqualTo(T + 200 * DAY);
    }

    @Test
    void aMonotonicClockAloneAgesNothing() {
        clock.start();
        passed += 100 * DAY;
        pass(10_000);
        assertThat(clock.millis()).isEqualTo(T + 10_000);
        assertThat(clock.doubt()).isEmpty();
    }

    @Test
    void aClockThatRunsTooFastIsDoubted() {
        clock.start();
        for (int minute = 0; minute < 24 * 60; minute++) {
            wall += 60_000;
            pass(60_000);
        }
        assertThat(clock.doubt()).isNotEmpty();
        assertThat(clock.millis() - T).isLessThan(DAY + 3 * HOUR);
    }

    @Test
    void anotherOpinionStopsExpiryWhileItLasts() {
        clock.start();
        clock.heard("the leader", T - HOUR);
        assertThat(clock.agrees()).isTrue();
        clock.heard("the leader", T - 2 * DAY);
        assertThat(clock.agrees()).isFalse();
        assertThat(clock.disagreement()).startsWith("the clock of the leader is 2 days behind this machine's");
        assertThat(clock.doubt()).isEmpty();
        clock.heard("the leader", T);
        assertThat(clock.agrees()).isTrue();
        clock.heard("Redis", T + 2 * DAY);
        assertThat(clock.agrees()).isFalse();
        pass(StorageClock.OPINION.toMillis() + 1_000);
        assertThat(clock.agrees()).isTrue();
    }

    @Test
    void trustsSmallStepsAtOnce() {
        clock.start();
        wall += HOUR;
        clock.look();
        assertThat(clock.doubt()).isEmpty();
        wall -= HOUR;
        clock.look();
        assertThat(clock.doubt()).isEmpty();
        // For hashes that live for two hours, half an hour is much.
        timing.change(Duration.ofHours(2), Duration.ofSeconds(1));
        wall += HOUR / 2;
        clock.look();
        assertThat(clock.doubt()).contains("30 minutes ahead");
    }
}
