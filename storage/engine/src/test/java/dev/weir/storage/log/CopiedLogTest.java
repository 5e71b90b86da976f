package dev.weir.storage.log;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

import dev.weir.storage.StorageException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The log of a copy begins with the requests that clients may still repeat. */
class CopiedLogTest {
    private static final LogLimits LIMITS = new LogLimits(4_096, 1 << 20, 0, Duration.ZERO, 0,
            LogLimits.DEFAULT.repeats());

    private final LogFixture leader = new LogFixture();
    private final LogFixture copy = new LogFixture();

    private UpdateLog leader() throws StorageException {
        return leader.open(leader.disk, LIMITS, 0);
    }

    /** Makes a copy as of the end of a log. */
    private void copy(UpdateLog log, RecentPlace start) throws StorageException, IOException {
        try (CopiedLog copied = CopiedLog.begin(copy.disk, LIMITS, LogFixture.ID, start, log.tip(), copy.clock);
                LogReader reader = log.reader(start.revision() + 1)) {
            for (List<LoggedUpdate> read = reader.read(10); !read.isEmpty(); read = reader.read(10)) {
                for (LoggedUpdate update : read) {
                    copied.add(update);
                }
            }
            copied.finish();
        }
    }

    private static RecentPlace recent(UpdateLog log) {
        return RecentPlace.before(log, log.tip().revision(), log.tip().checksum());
    }

    @Test
    void beginsWithTheRequestsOfTheLastSeconds() throws Exception {
        try (UpdateLog log = leader()) {
            leader.write(log, 50, 1);
            leader.clock.pass(20_000);
            leader.write(log, 100, 1);
            leader.clock.pass(35_000);
            leader.write(log, 150, 1);
            LogFixture.release(log, 150);
            // Each pause counts as at most a second, because the clock may have been set.
            assertThat(recent(log).revision()).isLessThanOrEqualTo(50);
            for (int second = 1; second <= 100; second++) {
                leader.clock.pass(1_000);
                leader.write(log, 150 + second, 1);
            }
            RecentPlace start = recent(log);
            assertThat(start.revision()).as("40 seconds before the last one").isBetween(208L, 210L);
            copy(log, start);
            UpdateLog.Tip end = log.tip();
            try (UpdateLog there = copy.open(copy.disk, LIMITS, 250)) {
                assertThat(there.tip()).isEqualTo(end);
                assertThat(there.checksumAt(230)).as("a follower of the copy finds its place")
                        .isEqualTo(log.checksumAt(230));
                assertThat(copy.replayed.getFirst().revision()).isEqualTo(start.revision() + 1);
                assertThat(copy.replayed.getLast()).isEqualTo(leaderUpdate(log, 250));
                // A copy of the copy has them as well.
                assertThat(recent(there)).isEqualTo(start);
                copy.write(there, 251, 1);
            }
            assertThat(StoppedLog.end(copy.disk, LogFixture.ID, 251).orElseThrow().revision()).isEqualTo(251);
        }
    }

    private static LoggedUpdate leaderUpdate(UpdateLog log, long revision) throws Exception {
        try (LogReader reader = log.reader(revision)) {
            return reader.read(1).getFirst();
        }
    }

    @Test
    void aLogWithoutRequestsBringsNothing() throws Exception {
        try (UpdateLog log = leader()) {
            leader.write(log, 5, 1);
            // What the storage itself did is not repeated.
            for (int i = 0; i < 50; i++) {
                leader.clock.pass(1_000);
                log.add(UpdateOrigin.STORAGE, leader.update(6 + i).update());
                log.force();
            }
            RecentPlace start = recent(log);
            assertThat(start).isEqualTo(new RecentPlace(55, OptionalLong.of(log.tip().checksum())));
            copy(log, start);
            try (UpdateLog there = copy.open(copy.disk, LIMITS, 55)) {
                assertThat(there.tip()).isEqualTo(log.tip());
            }
        }
    }

    /**
     * After a restored backup, what was before does not lead to the history of the log. Its requests count all the
     * same.
     */
    @Test
    void bringsRequestsFromBeforeAnotherHistory() throws Exception {
        try (UpdateLog log = leader()) {
            leader.write(log, 30, 1);
        }
        UpdateLog.breakHistory(leader.disk);
        try (UpdateLog log = leader()) {
            assertThat(log.tip().epoch().fresh()).isTrue();
            leader.write(log, 40, 1);
            RecentPlace start = recent(log);
            assertThat(start).isEqualTo(new RecentPlace(0, OptionalLong.empty()));
            copy(log, start);
            assertThat(StoppedLog.end(copy.disk, LogFixture.ID, 40)).contains(log.tip());
            try (UpdateLog there = copy.open(copy.disk, LIMITS, 40)) {
                assertThat(there.tip()).isEqualTo(log.tip());
                assertThat(copy.replayed).hasSize(40);
                assertThat(there.checksumAt(20)).isEmpty();
                copy.write(there, 41, 1);
            }
            copy.disk.crash();
            try (UpdateLog there = copy.open(copy.disk, LIMITS, 40)) {
                assertThat(there.tip().revision()).isEqualTo(41);
                assertThat(there.tip().epoch()).isEqualTo(log.tip().epoch());
            }
        }
    }

    @Test
    void refusesUpdatesThatDoNotLeadToTheCopy() throws Exception {
        try (UpdateLog log = leader()) {
            leader.write(log, 10, 1);
            RecentPlace start = recent(log);
            UpdateLog.Tip other = new UpdateLog.Tip(10, 1, log.tip().epoch());
            try (CopiedLog copied = CopiedLog.begin(copy.disk, LIMITS, LogFixture.ID, start, other, copy.clock);
                    LogReader reader = log.reader(1)) {
                for (LoggedUpdate update : reader.read(10)) {
                    copied.add(update);
                }
                assertThatThrownBy(copied::finish).isInstanceOf(StorageException.class)
                        .hasMessageContaining("another history");
            }
        }
    }
}
