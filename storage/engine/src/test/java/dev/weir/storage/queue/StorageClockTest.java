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
        clock.heard("the leader", T - HOUR, true);
        assertThat(clock.agrees()).isTrue();
        clock.heard("the leader", T - 2 * DAY, true);
        assertThat(clock.agrees()).isFalse();
        assertThat(clock.disagreement()).startsWith("the clock of the leader is 2 days behind this machine's");
        assertThat(clock.doubt()).isEmpty();
        clock.heard("the leader", T, true);
        assertThat(clock.agrees()).isTrue();
        clock.heard("Redis", T + 2 * DAY, true);
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

    @Test
    void theClockOfAnotherMachineEndsADoubt() {
        clock.start();
        // A virtual machine that was suspended for two days: no clock counted the time.
        wall += 2 * DAY;
        clock.look();
        assertThat(clock.doubt()).contains("2 days ahead");
        clock.heard("the shared Redis", wall, false);
        assertThat(clock.doubt()).as("the same clock on the same machine proves nothing").isNotEmpty();
        clock.heard("the leader", wall - DAY, true);
        assertThat(clock.doubt()).as("another time").isNotEmpty();
        clock.heard("the leader", wall - 1_000, true);
        assertThat(clock.doubt()).isEmpty();
        assertThat(clock.millis()).isEqualTo(wall);
        assertThat(clock.agrees()).isTrue();
    }

    @Test
    void theClockOfAnotherMachineEndsADoubtThatTheClockIsBehind() {
        clock.known(StorageClock.Witness.UPDATES, T + 30 * DAY);
        clock.known(StorageClock.Witness.FILE, T + 30 * DAY);
        clock.start();
        assertThat(clock.doubt()).contains("30 days behind");
        clock.heard("the leader", T, true);
        assertThat(clock.doubt()).isEmpty();
        assertThat(clock.millis()).isEqualTo(T);
        assertThat(clock.later(T)).as("stored times never look older").isEqualTo(T + 30 * DAY);
    }

    @Test
    void aDoubtOutlastsARestart() {
        clock.start();
        wall += 30 * DAY;
        clock.look();
        pass(60 * DAY);
        StorageClock.Doubt doubt = clock.doubtSoFar().orElseThrow();
        assertThat(doubt).isEqualTo(new StorageClock.Doubt(30 * DAY, 60 * DAY));
        wall += 5 * HOUR;
        StorageClock next = afterRestart(doubt);
        next.look();
        assertThat(next.doubt()).isNotEmpty();
        wall += 30 * DAY;
        passed += 30 * DAY;
        next.look();
        assertThat(next.doubt()).isEmpty();
        assertThat(next.millis()).isEqualTo(wall);
    }

    @Test
    void aDoubtBeginsAgainIfTheClockWentFurtherAhead() {
        clock.start();
        wall += 30 * DAY;
        clock.look();
        pass(89 * DAY);
        StorageClock.Doubt doubt = clock.doubtSoFar().orElseThrow();
        wall += 30 * DAY;
        StorageClock next = afterRestart(doubt);
        wall += 30 * DAY;
        passed += 30 * DAY;
        next.look();
        assertThat(next.doubt()).isNotEmpty();
        assertThat(next.doubtSoFar().orElseThrow().lasted()).isEqualTo(30 * DAY);
    }

    private StorageClock afterRestart(StorageClock.Doubt doubt) {
        StorageClock next = new StorageClock(() -> Instant.ofEpochMilli(wall), () -> passed * 1_000_000, timing);
        next.known(StorageClock.Witness.FILE, clock.millis());
        next.doubtedBefore(doubt);
        next.start();
        return next;
    }

    @Test
    void aClockThatIsSetRightSoonAfterTheStartIsTrusted() {
        // The clock of the board was in local time, and was set right after the start of the storage.
        clock.known(StorageClock.Witness.FILE, T);
        wall = T + 12 * HOUR;
        clock.start();
        assertThat(clock.millis()).isEqualTo(wall);
        wall = T + 60_000;
        pass(60_000);
        assertThat(clock.doubt()).isEmpty();
        assertThat(clock.millis()).isEqualTo(wall);
        assertThat(clock.later(wall)).as("stored times never look older").isGreaterThanOrEqualTo(T + 12 * HOUR);
    }

    @Test
    void aClockThatIsBehindAtTheStartIsTrustedAndMayReturn() {
        clock.known(StorageClock.Witness.FILE, T);
        clock.known(StorageClock.Witness.UPDATES, T);
        wall = T - 12 * HOUR;
        clock.start();
        assertThat(clock.doubt()).isEmpty();
        assertThat(clock.millis()).isEqualTo(wall);
        assertThat(clock.later(wall)).isEqualTo(T);
        wall = T;
        pass(60_000);
        assertThat(clock.doubt()).isEmpty();
        assertThat(clock.millis()).isEqualTo(wall);
        // It was set back once, so it goes ahead once.
        wall += 12 * HOUR;
        clock.look();
        assertThat(clock.doubt()).contains("12 hours ahead");
    }

    @Test
    void steppingBackAndForthGainsNoTime() {
        clock.start();
        for (int i = 0; i < 20; i++) {
            wall -= 10 * HOUR;
            pass(60_000);
            wall += 10 * HOUR;
            pass(60_000);
        }
        assertThat(clock.doubt()).isEmpty();
        assertThat(clock.millis()).isEqualTo(wall);
        assertThat(wall).isEqualTo(T + 40 * 60_000);
    }
}
