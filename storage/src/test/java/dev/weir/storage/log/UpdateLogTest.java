package dev.weir.storage.log;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.zip.CRC32C;

import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What an {@link UpdateLog} promises, one promise at a time; {@link SimulationTest} has them all at once. */
class UpdateLogTest {
    private final LogFixture fixture = new LogFixture();

    @TempDir
    private @Nullable Path folder;

    private static String name(long first) {
        return Segment.of(first).name();
    }

    @Test
    void whatWasForcedComesBackFromRealFiles() throws Exception {
        FolderDisk disk = FolderDisk.of(Objects.requireNonNull(folder));
        try (UpdateLog log = fixture.open(disk, LogFixture.SMALL, 0)) {
            fixture.write(log, 40, 3);
            fixture.add(log, 41);
            assertThat(log.durable()).isEqualTo(40);
        }
        for (int start = 0; start < 3; start++) {
            try (UpdateLog log = fixture.open(disk, LogFixture.SMALL, 0)) {
                assertThat(log.durable()).isEqualTo(40);
                assertThat(fixture.replayed).isEqualTo(fixture.updates(1, 40));
            }
        }
        assertThat(disk.names()).allMatch(name -> name.endsWith(".log")).hasSizeGreaterThan(2);
    }

    @Test
    void aFullSegmentIsFollowedByOneThatBeginsBehindIt() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, 25, 1);
            assertThat(fixture.segments()).hasSizeGreaterThan(1).first().isEqualTo(name(1));
            assertThat(log.bytes()).isEqualTo(fixture.segments().size() * 4_096L);
        }
        fixture.open(0).close();
        assertThat(fixture.replayed).isEqualTo(fixture.updates(1, 25));
    }

    @Test
    void onlyWhatTheBackendHasNotIsNeeded() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, 25, 1);
            log.release(24);
            // No history is kept; one segment holds 25, or nothing yet.
            assertThat(fixture.segments()).hasSizeLessThanOrEqualTo(2).doesNotContain(name(1));
        }
        try (UpdateLog log = fixture.open(24)) {
            assertThat(log.durable()).isEqualTo(25);
            assertThat(fixture.replayed).endsWith(fixture.update(25));
        }
    }

    @Test
    void appliedUpdatesAreKeptForTheirTime() throws Exception {
        LogLimits keep = new LogLimits(4_096, 40_960, 0, Duration.ofMinutes(10), 40_960);
        try (UpdateLog log = fixture.open(fixture.disk, keep, 0)) {
            fixture.write(log, 25, 1);
            log.release(25);
            assertThat(fixture.segments()).contains(name(1));
            fixture.clock.pass(Duration.ofMinutes(10).toMillis() + 1);
            log.release(25);
            assertThat(fixture.segments()).hasSize(1);
        }
    }

    @Test
    void whatCouldNotBeDeletedIsTriedAgain() throws Exception {
        LogLimits limits = new LogLimits(4_096, 1 << 20, 0, Duration.ZERO, 0);
        try (UpdateLog log = fixture.open(fixture.disk, limits, 0)) {
            fixture.write(log, 200, 1);
            int before = fixture.segments().size();
            fixture.faults.rate(1);
            for (int i = 0; i < 5; i++) {
                log.release(200);
            }
            fixture.faults.rate(0);
            assertThat(log.bytes()).isGreaterThan((before - 5) * 4_096L);
            log.release(200);
            assertThat(log.bytes()).isEqualTo(4_096);
            assertThat(fixture.segments()).hasSize(1);
        }
    }

    @Test
    void aFullLogRefusesUntilTheBackendHasCaughtUp() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> fixture.write(log, 1_000, 1))
                    .withMessageContaining("wait for the database");
            log.discard();
            long reached = log.durable();
            assertThat(log.bytes()).isEqualTo(4 * 4_096);
            log.release(reached);
            fixture.clock.pass(1_000);
            fixture.write(log, reached + 5, 1);
            assertThat(log.durable()).isEqualTo(reached + 5);
        }
    }

    @Test
    void aLogThatFillsItsWholeRoomWithOneSegmentGoesOn() throws Exception {
        try (UpdateLog log = fixture.open(fixture.disk, new LogLimits(16_384, 1 << 20, 0, Duration.ZERO, 0), 0)) {
            fixture.write(log, 10, 5);
        }
        LogLimits smaller = new LogLimits(4_096, 8_192, 0, Duration.ZERO, 0);
        try (UpdateLog log = fixture.open(fixture.disk, smaller, 10)) {
            fixture.write(log, 12, 1);
            assertThat(log.bytes()).isLessThanOrEqualTo(smaller.maxBytes());
        }
    }

    @Test
    void aDiscardedUpdateLeavesNothingBehind() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, 3, 1);
            fixture.add(log, 4);
            fixture.add(log, 5);
            log.discard();
            fixture.write(log, 4, 1);
        }
        fixture.open(0).close();
        assertThat(fixture.replayed).isEqualTo(fixture.updates(1, 4));
    }

    @Test
    void aRefusedUpdateDoesNotComeBackOnceAnotherSegmentBegan() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, 3, 1);
            fixture.add(log, 4);
            refuse(log);
            log.add(Origin.STORAGE, fixture.update(8).update());
            log.force();
        }
        fixture.open(0).close();
        assertThat(fixture.replayed).hasSize(4);
        assertThat(fixture.replayed.getLast().update()).isEqualTo(fixture.update(8).update());
    }

    /** Writes, and cannot force: everything is in memory, and the disk has forgotten that it should be written. */
    private void refuse(UpdateLog log) {
        fixture.disk.dropNextForce();
        assertThatExceptionOfType(StorageException.class).isThrownBy(log::force);
        log.discard();
    }

    @Test
    void whatAFailedForceLeftInMemoryIsWrittenAgainByTheNextStart() throws Exception {
        UpdateLog log = fixture.open(0);
        fixture.write(log, 3, 1);
        fixture.add(log, 4);
        fixture.disk.dropNextForce();
        assertThatExceptionOfType(StorageException.class).isThrownBy(log::force);
        fixture.disk.kill();
        long found;
        try (UpdateLog next = fixture.open(0)) {
            found = next.durable();
        }
        assertThat(found).isEqualTo(4);
        fixture.disk.crash();
        fixture.open(0).close();
        assertThat(fixture.replayed).isEqualTo(fixture.updates(1, 4));
    }

    @Test
    void aForceIsAlsoAboutWhatWasHandedToTheSystemBefore() throws Exception {
        for (int seed = 0; seed < 50; seed++) {
            LogFixture cut = new LogFixture(seed);
            UpdateLog log = cut.open(0);
            for (int n = 1; n <= 8; n++) {
                cut.add(log, n);
                log.write();
            }
            log.force();
            cut.disk.crash();
            cut.open(0).close();
            assertThat(cut.replayed).as("seed %d", seed).isEqualTo(cut.updates(1, 8));
        }
    }

    @Test
    void whatAStartFoundStaysEvenIfItsSegmentWasBegunAndNotNamedForGood() throws Exception {
        for (int seed = 0; seed < 800; seed++) {
            int calls = 1 + seed % 40;
            LogFixture cut = new LogFixture(seed);
            UpdateLog log = cut.open(0);
            cut.write(log, 3, 3);
            cut.add(log, 4);
            log.write();
            cut.disk.kill();
            openUntilCut(cut, calls);
            cut.disk.kill();
            // No room for a segment: what was found is forced where it is.
            cut.disk.capacity(cut.disk.used(), true);
            long found;
            try (UpdateLog full = cut.open(0)) {
                found = full.durable();
            }
            assertThat(found).isEqualTo(4);
            cut.disk.crash();
            cut.disk.capacity(Long.MAX_VALUE, true);
            cut.open(0).close();
            assertThat(cut.replayed).as("cut after %d calls", calls).isEqualTo(cut.updates(1, 4));
        }
    }

    private static void openUntilCut(LogFixture cut, int calls) throws StorageException {
        cut.disk.cutAfter(calls);
        try {
            cut.open(0).close();
        } catch (PowerCut expected) {
            return;
        }
        cut.disk.cutNever();
    }

    @Test
    void filesWithOtherNamesAreLeftAlone() throws Exception {
        for (String name : new String[]{"9999999999999999999.log", "0000000000000000000.log", "1.log", "notes.txt"}) {
            fixture.disk.create(name).close();
        }
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, 3, 1);
        }
        assertThat(fixture.disk.names()).hasSize(5);
    }

    @Test
    void aLostSegmentIsNamedWithWhatItHeld() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, 25, 1);
        }
        long second = Segment.among(fixture.disk.names()).get(1).first();
        fixture.disk.delete(name(1));
        assertThatExceptionOfType(LogDamagedException.class).isThrownBy(() -> fixture.open(0)).satisfies(
                e -> assertThat(e.damages()).containsExactly(new LogDamage(name(second), 0, 1, second - 1)));
        // What the backend has is not missed.
        fixture.open(second - 1).close();
    }

    @Test
    void anotherStoragesLogIsRefused() throws Exception {
        try (UpdateLog log = UpdateLog.open(fixture.disk, LogFixture.SMALL, 78, 0, fixture.clock, Runnable::run,
                fixture.replayed::add)) {
            fixture.write(log, 3, 1);
        }
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> fixture.open(0))
                .withMessageContaining("another storage");
    }

    @Test
    void aNewerFormatIsRefused() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, 3, 1);
        }
        ByteBuffer header = Segment.of(1).header(LogFixture.ID, 0);
        header.put(7, (byte) '2');
        CRC32C crc = new CRC32C();
        crc.update(header.duplicate().limit(60).position(0));
        header.putInt(60, (int) crc.getValue());
        overwrite(header, 0);
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> fixture.open(0))
                .withMessageContaining("newer weir");
    }

    @Test
    void aNewerRecordIsRefused() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, 1, 1);
        }
        ByteBuffer record = Records.buffer(Records.MAX);
        new Records(LogFixture.ID).encode(fixture.update(1), 0, record);
        RawRecords.change(record, 32, 2);
        overwrite(record.flip(), Segment.HEADER);
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> fixture.open(0))
                .withMessageContaining("version that this program does not know");
    }

    private void overwrite(ByteBuffer bytes, long position) throws Exception {
        try (DiskFile file = fixture.disk.open(name(1))) {
            Segment.writeFully(file, bytes, position);
        }
    }
}
