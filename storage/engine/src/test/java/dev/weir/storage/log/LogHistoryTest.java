package dev.weir.storage.log;

import java.util.ArrayList;
import java.util.List;

import dev.weir.storage.StorageException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LogHistoryTest {
    private static final int WRITTEN = 60;
    private static final int STEP = 6;

    /**
     * Another process reads the log. Before one of its calls, the storage writes several segments and deletes all
     * segments that it had before.
     */
    @Test
    void readsUpToTheMarkWhenItsSegmentsAreDeletedBeforeItOpensThem() throws Exception {
        int overtaken = 0;
        for (int call = 0; call < 40; call++) {
            LogFixture fixture = new LogFixture();
            try (UpdateLog log = fixture.open(0)) {
                fixture.write(log, WRITTEN, 4);
                int[] calls = new int[1];
                int disturbed = call;
                Runnable meanwhile = () -> {
                    if (calls[0]++ == disturbed) {
                        replaceSegments(fixture, log);
                    }
                };
                List<Long> revisions = new ArrayList<>();
                OutsideDisk outside = new OutsideDisk(fixture.disk, fixture.faults, meanwhile);
                try (LogHistory history = LogHistory.open(outside, true, LogFixture.ID, LogEndNote.NONE)) {
                    assertThat(history.read(-1, update -> revisions.add(update.revision()))).isEmpty();
                }
                overtaken += calls[0] > disturbed ? 1 : 0;
                assertThat(revisions).isNotEmpty();
                assertThat(revisions.getLast()).isGreaterThanOrEqualTo(WRITTEN);
            }
        }
        assertThat(overtaken).isGreaterThan(10);
    }

    @Test
    void failsWhenSegmentsAreDeletedFasterThanTheyCanBeOpened() throws Exception {
        LogFixture fixture = new LogFixture();
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, WRITTEN, 4);
            OutsideDisk outside = new OutsideDisk(fixture.disk, fixture.faults, () -> replaceSegments(fixture, log));
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> LogHistory.open(outside, true, LogFixture.ID, LogEndNote.NONE))
                    .withMessageContaining("deleted its segments");
        }
    }

    /** Keeps the last few updates. */
    private static void replaceSegments(LogFixture fixture, UpdateLog log) {
        try {
            for (int i = 0; i < WRITTEN / STEP; i++) {
                fixture.write(log, log.durable() + STEP, 4);
                LogFixture.release(log, log.durable() - STEP);
            }
        } catch (StorageException e) {
            throw new AssertionError(e);
        }
    }
}
