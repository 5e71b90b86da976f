package dev.weir.storage.log;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;

import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Tests of single promises of an {@link UpdateLog}. {@link SimulationTest} tests all of them together. */
class UpdateLogTest {
    /** As if every request were so long ago that no client repeats it, so that only the history keeps a segment. */
    private static final Duration NO_REPEATS = Duration.ZERO;

    private final LogFixture fixture = new LogFixture();

    @TempDir
    private @Nullable Path folder;

    private static String name(long first) {
        return Segment.of(first).name();
    }

    @Test
    void recoversSyncedUpdatesFromRealFiles() throws Exception {
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
        assertThat(disk.names()).allMatch(name -> name.endsWith(".log") || name.equals(ForcedMark.NAME))
                .hasSizeGreaterThan(3);
    }

    @Test
    void aNewSegmentFollowsAFullOne() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, 25, 1);
            assertThat(fixture.segments()).hasSizeGreaterThan(1).first().isEqualTo(name(1));
            assertThat(log.bytes()).isEqualTo(fixture.segments().size() * 4_096L);
        }
        fixture.open(0).close();
        assertThat(fixture.replayed).isEqualTo(fixture.updates(1, 25));
    }

    /** A start writes little; a log with many updates soon has segments of the full length. */
    @Test
    void segmentsGrowAfterAStart() throws Exception {
        LogLimits limits = new LogLimits(8 << 20, 64 << 20, 0, Duration.ofDays(1), 64 << 20, LogLimits.REPEATS);
        try (UpdateLog log = fixture.open(fixture.disk, limits, 0)) {
            assertThat(fixture.disk.size(name(1))).isEqualTo(2 << 20);
            while (log.bytes() < 30 << 20) {
                fixture.write(log, log.durable() + 5_000, 1_000);
            }
            assertThat(fixture.segments()).hasSize(5);
            assertThat(fixture.segments()).extracting(fixture.disk::size)
                    .containsExactly(2 << 20, 4 << 20, 8 << 20, 8 << 20, 8 << 20);
        }
        fixture.open(fixture.disk, limits, 0).close();
        assertThat(fixture.disk.size(fixture.segments().getLast())).isEqualTo(2 << 20);
    }

    /** The last sync before a stop failed. The mark does not know these updates; the note outside the folder does. */
    @Test
    void aStoppedLogWithoutItsSegmentsIsRefusedAlsoIfItsLastUpdatesWereNotSynced() throws Exception {
        SimulatedNote note = new SimulatedNote();
        try (UpdateLog log = open(note)) {
            for (int n = 1; n <= 3; n++) {
                fixture.add(log, n);
            }
            log.write();
        }
        assertThat(note.read()).hasValueSatisfying(end -> {
            assertThat(end.least()).isZero();
            assertThat(end.most()).isEqualTo(3);
        });
        SimulatedDisk whole = fixture.disk.copy(fixture.faults);
        for (String segment : fixture.segments()) {
            fixture.disk.lose(segment);
        }
        assertThatThrownBy(() -> open(note)).isInstanceOf(LogDamagedException.class).hasMessageContaining("is lost");
        open(whole, note).close();
        assertThat(fixture.replayed).hasSize(3);
    }

    /** The copy has as many updates as were acknowledged later, but others, which were refused. */
    @Test
    void aCopyOfTheFolderWithRefusedUpdatesIsRefusedAfterAKill() throws Exception {
        SimulatedNote note = new SimulatedNote();
        SimulatedDisk copy;
        SimulatedDisk killed;
        LogEnd noted;
        try (UpdateLog log = open(note)) {
            fixture.write(log, 3, 1);
            fixture.add(log, 4);
            refuse(log);
            copy = fixture.disk.copy(fixture.faults);
            log.add(UpdateOrigin.STORAGE, fixture.update(8).update());
            log.force();
            killed = fixture.disk.copy(fixture.faults);
            noted = note.read().orElseThrow();
        }
        assertThat(noted.least()).isEqualTo(4);
        assertThat(open(killed, noteOf(noted)).durable()).isEqualTo(4);
        assertThatThrownBy(() -> open(copy, noteOf(noted))).isInstanceOf(LogDamagedException.class)
                .hasMessageContaining("lacks updates 1 to 4: it is lost, or older than the files beside it");
    }

    /** A process dies after it has begun another history, before the note has it. */
    @Test
    void aNoteFromBeforeAnotherHistoryRefusesNothing() throws Exception {
        SimulatedNote note = new SimulatedNote();
        try (UpdateLog log = open(note)) {
            fixture.write(log, 3, 1);
        }
        List<LogEnd> notes = new ArrayList<>();
        notes.add(note.read().orElseThrow());
        for (int again = 0; again < 2; again++) {
            UpdateLog.breakHistory(fixture.disk);
            open(note).close();
            notes.add(note.read().orElseThrow());
        }
        assertThat(notes).extracting(LogEnd::checksum).doesNotHaveDuplicates().allMatch(OptionalLong::isPresent);
        assertThat(notes).extracting(LogEnd::least).containsOnly(3L);
        for (LogEnd noted : notes) {
            assertThat(open(fixture.disk.copy(fixture.faults), noteOf(noted)).durable()).isEqualTo(3);
        }
    }

    private static SimulatedNote noteOf(LogEnd end) {
        SimulatedNote note = new SimulatedNote();
        note.write(end);
        return note;
    }

    private UpdateLog open(LogEndNote note) throws StorageException {
        return open(fixture.disk, note);
    }

    private UpdateLog open(Disk disk, LogEndNote note) throws StorageException {
        return open(disk, note, 0);
    }

    private UpdateLog open(Disk disk, LogEndNote note, long applied) throws StorageException {
        fixture.replayed.clear();
        return UpdateLog.open(disk, LogFixture.SMALL, LogFixture.ID, applied, List.of(), note, fixture.clock,
                fixture.clock::nanos, Runnable::run, fixture.replayed::add);
    }

    /** A follower that has entered the epoch of its leader, but lacks a part of what precedes it, must not lead. */
    @Test
    void anIncompleteLogBeginsNoEpoch() throws Exception {
        LeaderEpoch entered = new LeaderEpoch(2, 7, 9, false);
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, 3, 1);
            log.enter(entered);
            assertThatThrownBy(() -> log.promote(0, false, 7)).isInstanceOf(StorageException.class)
                    .hasMessage(
                            "this node has the updates up to 3, and epoch 2-00000007 began after update 8: promote a "
                                    + "node that has them");
            assertThat(log.tip().epoch()).isEqualTo(entered);
        }
        try (UpdateLog log = fixture.open(0)) {
            assertThat(log.tip().isComplete()).isFalse();
            fixture.write(log, 8, 1);
            log.promote(0, false, 7);
            assertThat(log.tip().epoch().number()).isEqualTo(3);
            assertThat(log.tip().isComplete()).isTrue();
        }
    }

    @Test
    void aCopyOfAnIncompleteLogIsIncomplete() throws Exception {
        LeaderEpoch entered = new LeaderEpoch(2, 7, 9, false);
        UpdateLog.prepare(fixture.disk, new UpdateLog.Tip(3, 5, entered));
        try (UpdateLog log = fixture.open(3)) {
            assertThat(log.tip()).isEqualTo(new UpdateLog.Tip(3, 5, entered));
            assertThatThrownBy(() -> log.promote(0, false, 7)).isInstanceOf(StorageException.class);
            log.promote(0, true, 7);
            assertThat(log.tip().epoch().number()).isEqualTo(3);
        }
    }

    @Test
    void readsOnlyWhatTheBackendLacks() throws Exception {
        try (UpdateLog log = fixture.open(fixture.disk, LogFixture.SMALL_AND_OLD, 0)) {
            fixture.write(log, 25, 1);
            LogFixture.release(log, 24);
            // No history is kept; one segment holds 25, or nothing yet.
            assertThat(fixture.segments()).hasSizeLessThanOrEqualTo(2).doesNotContain(name(1));
        }
        try (UpdateLog log = fixture.open(24)) {
            assertThat(log.durable()).isEqualTo(25);
            assertThat(fixture.replayed).endsWith(fixture.update(25));
        }
    }

    @Test
    void keepsAppliedUpdatesForTheRetentionTime() throws Exception {
        LogLimits keep = new LogLimits(4_096, 40_960, 0, Duration.ofMinutes(10), 40_960, LogLimits.REPEATS);
        try (UpdateLog log = fixture.open(fixture.disk, keep, 0)) {
            fixture.write(log, 25, 1);
            LogFixture.release(log, 25);
            assertThat(fixture.segments()).contains(name(1));
            fixture.clock.pass(Duration.ofMinutes(10).toMillis() + 1);
            LogFixture.release(log, 25);
            assertThat(fixture.segments()).hasSize(1);
        }
    }

    @Test
    void keepsLessHistoryBesideASmallStore() throws Exception {
        LogLimits keep = new LogLimits(4_096, 40_960, 0, Duration.ofMinutes(10), 16_384, NO_REPEATS);
        try (UpdateLog log = fixture.open(fixture.disk, keep, 0)) {
            fixture.write(log, 70, 1);
            LogFixture.release(log, 70, 16 * 8_192, false);
            // Two segments of history, and the one in use.
            assertThat(log.bytes()).isEqualTo(3 * 4_096);
            LogFixture.release(log, 70, 0, false);
            assertThat(log.bytes()).isEqualTo(2 * 4_096);
        }
    }

    /** So that an older copy of the folder is noticed: after a kill always, after a crash from before the segment. */
    @Test
    void eachSyncIsNotedOutsideTheFolder() throws Exception {
        SimulatedNote note = new SimulatedNote();
        LogLimits limits = new LogLimits(4_096, 1 << 20, 0, Duration.ZERO, 0, LogLimits.REPEATS);
        try (UpdateLog log = UpdateLog.open(fixture.disk, limits, LogFixture.ID, 0, List.of(), note,
                fixture.clock, fixture.clock::nanos, Runnable::run, _ -> {})) {
            long run = note.read().orElseThrow().run();
            assertThat(run).isEqualTo(ForcedMark.read(fixture.disk, LogFixture.ID).run()).isPositive();
            fixture.write(log, 100, 1);
            assertThat(note.read().orElseThrow().least()).isEqualTo(100);
            note.crash();
            assertThat(name(note.read().orElseThrow().least() + 1)).isEqualTo(fixture.segments().getLast());
            assertThat(note.read().orElseThrow().run()).isEqualTo(run);
        }
        long last = note.read().orElseThrow().run();
        UpdateLog.open(fixture.disk, limits, LogFixture.ID, 100, List.of(), note, fixture.clock,
                fixture.clock::nanos, Runnable::run, _ -> {}).close();
        assertThat(note.read().orElseThrow().run()).as("at the same moment").isEqualTo(last + 1);
    }

    /** A note that cannot be updated in its place is replaced about once a minute. */
    @Test
    void aNoteThatCannotBeUpdatedIsReplaced() throws Exception {
        boolean[] fails = {true, false};
        SimulatedNote note = new SimulatedNote() {
            @Override
            public void update(LogEnd next) throws IOException {
                if (fails[0]) {
                    throw new IOException("no update");
                }
                super.update(next);
            }

            @Override
            public void force() throws IOException {
                if (fails[1]) {
                    throw new IOException("the file is gone");
                }
                super.force();
            }
        };
        try (UpdateLog log = open(note)) {
            fixture.write(log, 3, 1);
            assertThat(note.read().orElseThrow().least()).isZero();
            log.noteEnd();
            assertThat(note.read().orElseThrow().least()).isEqualTo(3);
            fails[0] = false;
            fails[1] = true;
            fixture.write(log, 5, 1);
            assertThat(note.read().orElseThrow().least()).isEqualTo(5);
            log.noteEnd();
            note.crash();
            assertThat(note.read().orElseThrow()).isEqualTo(
                    LogEnd.open(5, note.read().orElseThrow().run(), log.checksumAt(5)));
        }
    }

    @Test
    void theHistoryIsASixteenthOfTheStoreWithinItsBounds() {
        LogLimits limits = LogLimits.DEFAULT;
        assertThat(limits.historyBytes(0)).isEqualTo(32 << 20);
        assertThat(limits.historyBytes(1L << 30)).isEqualTo(64 << 20);
        assertThat(limits.historyBytes(Long.MAX_VALUE)).isEqualTo(384 << 20);
        // A hash without shingles has 88 bytes in the store. The log also has a segment in use and the next one.
        long hashes = 10_000_000;
        long log = limits.historyBytes(88 * hashes) / limits.segmentBytes() * limits.segmentBytes()
                + 2L * limits.segmentBytes();
        assertThat(88 * hashes + log).isLessThan(100 * hashes);
    }

    @Test
    void writesOverSegmentsThatTheStoreHas() throws Exception {
        LogLimits limits = new LogLimits(8_192, 1 << 20, 0, Duration.ZERO, 0, NO_REPEATS);
        try (UpdateLog log = fixture.open(fixture.disk, limits, 0); LogReader reader = log.reader(1)) {
            fixture.write(log, 300, 3);
            List<LoggedUpdate> read = new ArrayList<>(reader.read(300));
            int before = fixture.segments().size();
            LogFixture.release(log, 300, 0, true);
            assertThat(fixture.segments()).hasSize(before);
            fixture.write(log, 500, 3);
            read.addAll(reader.read(500));
            assertThat(fixture.counts).hasEntrySatisfying(Fault.SEGMENT_REUSED,
                    count -> assertThat(count).isGreaterThan(4));
            assertThat(fixture.segments()).hasSizeBetween(before - 1, before + 1);
            assertThat(read).isEqualTo(fixture.updates(1, 500));
            LogFixture.release(log, 300, 0, false);
            assertThat(fixture.segments().getFirst()).isGreaterThan(name(250));
        }
        fixture.disk.crash();
        fixture.open(fixture.disk, limits, 300).close();
        assertThat(fixture.replayed.stream().filter(update -> update.revision() > 300))
                .containsExactlyElementsOf(fixture.updates(301, 500));
    }

    /** What is left of older records behind the last one is no update, and no damage. */
    @Test
    void readsNoRemainsOfAnOlderSegment() throws Exception {
        LogLimits limits = new LogLimits(8_192, 1 << 20, 0, Duration.ZERO, 0, NO_REPEATS);
        fixture.clock.pass(1);
        try (UpdateLog log = fixture.open(fixture.disk, limits, 0)) {
            fixture.write(log, 100, 1);
            LogFixture.release(log, 100, 0, true);
            fixture.write(log, 160, 1);
            assertThat(fixture.counts).containsKey(Fault.SEGMENT_REUSED);
            String last = fixture.segments().getLast();
            try (LogHistory history = LogHistory.open(fixture.disk, true, LogFixture.ID, LogEndNote.NONE)) {
                List<LoggedUpdate> read = new ArrayList<>();
                assertThat(history.read(100, read::add)).isEmpty();
                assertThat(read).isEqualTo(fixture.updates(101, 160));
            }
            // Each further update ends at another place of the remains, and a reader at the end sees it.
            try (LogReader reader = log.reader(161)) {
                for (long n = 161; n <= 175; n++) {
                    assertThat(reader.read(10)).isEmpty();
                    fixture.write(log, n, 1);
                    assertThat(reader.read(10)).isEqualTo(fixture.updates(n, n));
                }
            }
            assertThat(fixture.segments().getLast()).isGreaterThanOrEqualTo(last);
        }
        fixture.open(fixture.disk, limits, 100).close();
        assertThat(fixture.replayed.getLast()).isEqualTo(fixture.update(175));
    }

    @Test
    void writesOverNoSegmentThatIsRead() throws Exception {
        LogLimits limits = new LogLimits(8_192, 1 << 20, 0, Duration.ZERO, 0, NO_REPEATS);
        try (UpdateLog log = fixture.open(fixture.disk, limits, 0)) {
            fixture.write(log, 300, 3);
            LogFixture.release(log, 300, 0, true);
            try (LogHistory history = LogHistory.open(fixture.disk, true, LogFixture.ID, LogEndNote.NONE)) {
                fixture.write(log, 400, 3);
                assertThat(fixture.counts).doesNotContainKey(Fault.SEGMENT_REUSED);
                List<LoggedUpdate> read = new ArrayList<>();
                assertThat(history.read(0, read::add)).isEmpty();
                assertThat(read).isEqualTo(fixture.updates(1, 300));
            }
            try (LogReader reader = log.reader(1)) {
                assertThat(reader.read(1)).isEqualTo(fixture.updates(1, 1));
                LogFixture.release(log, 400, 0, true);
                fixture.write(log, 500, 3);
                assertThat(fixture.counts).doesNotContainKey(Fault.SEGMENT_REUSED);
                assertThat(reader.read(300)).isEqualTo(fixture.updates(2, 301));
            }
            fixture.write(log, 600, 3);
            assertThat(fixture.counts).containsKey(Fault.SEGMENT_REUSED);
        }
    }

    @Test
    void retriesAFailedDeletion() throws Exception {
        LogLimits limits = new LogLimits(4_096, 1 << 20, 0, Duration.ZERO, 0, NO_REPEATS);
        try (UpdateLog log = fixture.open(fixture.disk, limits, 0)) {
            fixture.write(log, 200, 1);
            int before = fixture.segments().size();
            fixture.faults.rate(1);
            for (int i = 0; i < 5; i++) {
                LogFixture.release(log, 200);
            }
            fixture.faults.rate(0);
            assertThat(log.bytes()).isGreaterThan((before - 5) * 4_096L);
            LogFixture.release(log, 200);
            assertThat(log.bytes()).isEqualTo(4_096);
            assertThat(fixture.segments()).hasSize(1);
        }
    }

    /** Whatever deletions a power cut takes back, the segments that are there follow each other. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void aPowerCutLeavesNoHoleBetweenSegments(long seed) throws Exception {
        LogFixture cut = new LogFixture(seed);
        LogLimits limits = new LogLimits(4_096, 1 << 20, 0, Duration.ZERO, 0, NO_REPEATS);
        List<String> before;
        try (UpdateLog log = cut.open(cut.disk, limits, 0)) {
            cut.write(log, 300, 1);
            before = cut.segments();
            assertThat(before).hasSizeGreaterThan(6);
            LogFixture.release(log, 300);
        }
        cut.disk.crash();
        assertThat(before).endsWith(cut.segments().toArray(String[]::new));
    }

    @Test
    void aFullLogRefusesUntilTheBackendHasCaughtUp() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> fixture.write(log, 1_000, 1))
                    .withMessageContaining("wait for the store");
            log.discard();
            long reached = log.durable();
            assertThat(log.bytes()).isEqualTo(4 * 4_096);
            LogFixture.release(log, reached);
            fixture.clock.pass(1_000);
            fixture.write(log, reached + 5, 1);
            assertThat(log.durable()).isEqualTo(reached + 5);
        }
    }

    /** Another reader needs what the backend has, such as an engine that nodes share. */
    @Test
    void aFullLogRefusesRatherThanDeleteWhatIsRequired() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            LogClaim redis = log.claim("shared Redis", LogClaim.Retention.MUST_KEEP, 3);
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> {
                for (long n = 1; n <= 1_000; n++) {
                    fixture.write(log, n, 1);
                    LogFixture.release(log, n);
                }
            }).withMessageContaining("wait for the shared Redis");
            log.discard();
            long reached = log.durable();
            assertThat(log.hindrance()).hasValueSatisfying(
                    why -> assertThat(why.obstacle()).isEqualTo(Obstacle.REDIS));
            assertThat(log.unappliedBytes()).as("the store has the rest").isEqualTo(4_096);
            try (LogReader reader = log.reader(4)) {
                assertThat(reader.read(1_000)).isEqualTo(fixture.updates(4, reached));
            }
            redis.moveTo(reached);
            LogFixture.release(log, reached);
            fixture.clock.pass(1_000);
            fixture.write(log, reached + 5, 1);
            assertThat(log.durable()).isEqualTo(reached + 5);
        }
    }

    /** Before anybody could say so. */
    @Test
    void aStartKeepsWhatIsRequired() throws Exception {
        long reached;
        try (UpdateLog log = fixture.open(0)) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> fixture.write(log, 1_000, 1));
            reached = log.durable();
        }
        try (UpdateLog log = UpdateLog.open(fixture.disk, LogFixture.SMALL, LogFixture.ID, reached,
                List.of(new LogClaim("shared Redis", LogClaim.Retention.MUST_KEEP, 3)), LogEndNote.NONE,
                fixture.clock, fixture.clock::nanos, Runnable::run, _ -> {}); LogReader reader = log.reader(4)) {
            assertThat(reader.read(1_000)).isEqualTo(fixture.updates(4, reached));
            assertThat(log.hindrance()).isPresent();
        }
        try (UpdateLog log = fixture.open(reached)) {
            assertThat(log.has(4)).isFalse();
            assertThat(log.hindrance()).isEmpty();
        }
    }

    @Test
    void aWaitForUpdatesEndsWithTheLog() throws Exception {
        UpdateLog log = fixture.open(0);
        FutureTask<Boolean> wait = new FutureTask<>(() -> log.awaitAfter(0, Duration.ofHours(1)));
        Thread waiting = Thread.ofPlatform().start(wait);
        await("the wait").until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        log.close();
        assertThat(wait.get(30, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void continuesWhenOneSegmentFillsTheWholeLog() throws Exception {
        LogLimits limits = new LogLimits(16_384, 1 << 20, 0, Duration.ZERO, 0, LogLimits.REPEATS);
        try (UpdateLog log = fixture.open(fixture.disk, limits, 0)) {
            fixture.write(log, 10, 5);
        }
        LogLimits smaller = new LogLimits(4_096, 8_192, 0, Duration.ZERO, 0, LogLimits.REPEATS);
        try (UpdateLog log = fixture.open(fixture.disk, smaller, 10)) {
            fixture.write(log, 12, 1);
            assertThat(log.bytes()).isLessThanOrEqualTo(smaller.maxBytes());
        }
    }

    @Test
    void aDiscardedUpdateLeavesNoTrace() throws Exception {
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
    void aRefusedUpdateStaysAbsentAfterANewSegment() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, 3, 1);
            fixture.add(log, 4);
            refuse(log);
            log.add(UpdateOrigin.STORAGE, fixture.update(8).update());
            log.force();
        }
        fixture.open(0).close();
        assertThat(fixture.replayed).hasSize(4);
        assertThat(fixture.replayed.getLast().update()).isEqualTo(fixture.update(8).update());
    }

    /**
     * Writes a batch and fails to sync it. Everything is in memory, and the disk has forgotten that it should be
     * written.
     */
    private void refuse(UpdateLog log) {
        fixture.disk.dropNextForce();
        assertThatExceptionOfType(StorageException.class).isThrownBy(log::force);
        log.discard();
    }

    @Test
    void aStartRewritesTheBatchOfAFailedSync() throws Exception {
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

    /** Such a mark says that nothing follows, so a block that cannot be read would count as unwritten. */
    @Test
    void theMarkOfAStopDoesNotComeBackAfterAPowerCutInTheNextRun() throws Exception {
        for (int seed = 0; seed < 50; seed++) {
            LogFixture cut = new LogFixture(seed);
            try (UpdateLog log = cut.open(0)) {
                cut.write(log, 3, 1);
            }
            assertThat(ForcedMark.read(cut.disk, LogFixture.ID).state()).isEqualTo(ForcedMark.State.CLOSED);
            UpdateLog next = cut.open(0);
            cut.write(next, 6, 1);
            cut.disk.crash();
            assertThat(ForcedMark.read(cut.disk, LogFixture.ID).state()).as("seed %d", seed)
                    .isEqualTo(ForcedMark.State.PAST);
        }
    }

    @Test
    void aSyncIncludesEarlierWrites() throws Exception {
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
    void recoveredUpdatesSurviveAFailureToNameTheNewSegment() throws Exception {
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
    void ignoresFilesWithOtherNames() throws Exception {
        for (String name : new String[]{"9999999999999999999.log", "0000000000000000000.log", "1.log", "notes.txt"}) {
            fixture.disk.create(name).close();
        }
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, 3, 1);
        }
        // Beside the first segment and the mark.
        assertThat(fixture.disk.names()).hasSize(6);
    }

    @Test
    void namesALostSegmentAndItsRevisions() throws Exception {
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

    /** A refused batch that could not be cut off has the revisions of later updates, whose segment may be lost. */
    @Test
    void updatesThatDoNotLeadToTheNextSegmentAreDamage() throws Exception {
        Path own = Files.createDirectory(Objects.requireNonNull(folder).resolve("own"));
        Path other = Files.createDirectory(Objects.requireNonNull(folder).resolve("other"));
        for (Path one : List.of(own, other)) {
            fixture.clock.pass(1_000);
            try (UpdateLog log = fixture.open(FolderDisk.of(one), LogFixture.SMALL, 0)) {
                fixture.write(log, 25, 1);
            }
        }
        byte[] mixed = Files.readAllBytes(own.resolve(name(1)));
        byte[] foreign = Files.readAllBytes(other.resolve(name(1)));
        System.arraycopy(foreign, Segment.HEADER, mixed, Segment.HEADER, mixed.length - Segment.HEADER);
        Files.write(own.resolve(name(1)), mixed);
        long second = Segment.among(FolderDisk.of(own).names()).get(1).first();

        assertThatThrownBy(() -> fixture.open(FolderDisk.of(own), LogFixture.SMALL, 0))
                .isInstanceOf(LogDamagedException.class)
                .hasMessageContaining(name(1) + " lacks updates 1 to " + (second - 1));
        fixture.open(FolderDisk.of(own), LogFixture.SMALL, second - 1).close();
    }

    @Test
    void rejectsTheLogOfAnotherStorage() throws Exception {
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
        ByteBuffer header = Segment.of(1).header(LogFixture.ID, new Segment.Header(0, LeaderEpoch.NONE, 0));
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
        RawRecords.change(record, 32, 9);
        overwrite(record.flip(), Segment.HEADER);
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> fixture.open(0))
                .withMessageContaining("version that this program does not know");
    }

    /** What was handed over is written again to a segment that supersedes it, before that has its name. */
    @Test
    void writtenUpdatesSurviveAKillDuringASegmentChange() throws Exception {
        int cuts = 0;
        for (int seed = 0; seed < 300; seed++) {
            LogFixture cut = new LogFixture(seed);
            LogLimits limits = new LogLimits(4_096, 1 << 20, 0, Duration.ZERO, 0, LogLimits.REPEATS);
            UpdateLog log = cut.open(cut.disk, limits, 0);
            cut.write(log, 2, 1);
            for (int n = 3; n <= 9; n++) {
                cut.add(log, n);
            }
            log.write();
            assertThat(log.handed()).isEqualTo(9);
            cut.faults.rate(seed % 3 == 0 ? 0.1 : 0);
            cut.disk.cutAfter(1 + seed % 20);
            long handed = handUntilCut(cut, log, 60);
            cuts += handed < 60 ? 1 : 0;
            cut.faults.rate(0);
            if (!cut.disk.hasDropped()) {
                cut.disk.kill();
                cut.open(0).close();
                assertThat(cut.replayed).as("seed %d", seed).extracting(LoggedUpdate::update)
                        .startsWith(cut.updates(1, handed).stream().map(LoggedUpdate::update).toArray(Update[]::new));
            }
        }
        assertThat(cuts).isGreaterThan(200);
    }

    @Test
    void retriesAFailedMarkWithoutAnUpdate() throws Exception {
        AtomicBoolean broken = new AtomicBoolean();
        try (UpdateLog log = fixture.open(withBrokenMark(fixture.disk, broken), LogFixture.SMALL, 0)) {
            fixture.write(log, 3, 1);
            assertThat(log.needsRetry()).isFalse();
            broken.set(true);
            fixture.write(log, 5, 1);
            // Readers find the old mark and stop there.
            assertThat(markedRevision()).isEqualTo(3);
            assertThat(log.isMarkOutdated()).isTrue();
            assertThat(log.needsRetry()).isTrue();
            log.retry();
            assertThat(markedRevision()).isEqualTo(3);
            broken.set(false);
            log.retry();
            assertThat(markedRevision()).isEqualTo(5);
            assertThat(log.isMarkOutdated()).isFalse();
            assertThat(log.needsRetry()).isFalse();
        }
    }

    private long markedRevision() {
        return ForcedMark.read(fixture.disk, LogFixture.ID).revision();
    }

    /** Returns a disk that neither writes nor deletes the mark while {@code broken}. */
    private static Disk withBrokenMark(Disk disk, AtomicBoolean broken) {
        return intercept(Disk.class, (method, args) -> {
            boolean mark = args != null && ForcedMark.NAME.equals(args[0]);
            if (mark && broken.get() && (method.getName().equals("delete") || method.getName().equals("create"))) {
                throw new IOException("broken");
            }
            Object result = call(method, disk, args);
            return mark && result instanceof DiskFile file ? intercept(DiskFile.class, (call, values) -> {
                if (broken.get() && call.getName().startsWith("write")) {
                    throw new IOException("broken");
                }
                return call(call, file, values);
            }) : result;
        });
    }

    private interface Interceptor {
        @Nullable
        Object call(Method method, Object @Nullable [] arguments) throws Throwable;
    }

    private static @Nullable Object call(Method method, Object target, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T intercept(Class<T> type, Interceptor interceptor) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type},
                (proxy, method, args) -> interceptor.call(method, args)));
    }

    private static long handUntilCut(LogFixture cut, UpdateLog log, long last) {
        for (int tries = 0; tries < 2 * last && log.handed() < last; tries++) {
            try {
                if (log.room() == 0) {
                    log.force();
                }
                cut.add(log, log.handed() + 1);
                log.write();
            } catch (StorageException refused) {
                log.discard();
                cut.clock.pass(1_000);
            } catch (PowerCut end) {
                break;
            }
        }
        return log.handed();
    }

    @Test
    void aFailedWriteDiscardsOnlyItsOwnUpdates() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            fixture.add(log, 1);
            log.write();
            fixture.add(log, 2);
            fixture.disk.capacity(0, true);
            assertThatExceptionOfType(StorageException.class).isThrownBy(log::force);
            log.discard();
            assertThat(log.handed()).isEqualTo(1);
            fixture.add(log, 2);
            assertThatExceptionOfType(StorageException.class).isThrownBy(log::write);
            log.discard();
            fixture.disk.capacity(Long.MAX_VALUE, true);
            fixture.clock.pass(1_000);
            fixture.add(log, 2);
            log.force();
            assertThat(log.durable()).isEqualTo(2);
        }
        fixture.disk.crash();
        fixture.open(0).close();
        assertThat(fixture.replayed).extracting(LoggedUpdate::update).containsExactly(fixture.update(1).update(),
                fixture.update(2).update());
    }

    private int end(long first, long last) {
        var buffer = Records.buffer(Segment.HEADER + (int) (last - first + 1) * Records.MAX).position(Segment.HEADER);
        for (long n = first; n <= last; n++) {
            new Records(LogFixture.ID).encode(fixture.update(n), 0, buffer);
        }
        return buffer.position();
    }

    @Test
    void ignoresABadSectorWhoseUpdatesTheBackendHas() throws Exception {
        LogLimits limits = new LogLimits(32_768, 1 << 20, 0, Duration.ZERO, 0, LogLimits.REPEATS);
        try (UpdateLog log = fixture.open(fixture.disk, limits, 0)) {
            fixture.write(log, 100, 1);
        }
        String name = fixture.segments().getFirst();
        // The header, too.
        fixture.disk.spoil(name, 0);
        try (UpdateLog log = fixture.open(fixture.disk, limits, 50); LogReader reader = log.reader(51)) {
            assertThat(log.durable()).isEqualTo(100);
            assertThat(fixture.replayed).endsWith(fixture.updates(51, 100).toArray(LoggedUpdate[]::new));
            assertThat(reader.read(1_000)).isEqualTo(fixture.updates(51, 100));
        }
        assertThatExceptionOfType(LogDamagedException.class)
                .isThrownBy(() -> fixture.open(fixture.disk, limits, 10).close()).satisfies(e -> {
                    LogDamage damage = e.damages().getFirst();
                    assertThat(e.damages()).hasSize(1);
                    assertThat(damage.first()).isEqualTo(11);
                    // The block of that sector, and no more.
                    assertThat(end(1, damage.last())).isBetween(4_096, 4_096 + Records.MAX);
                });
    }

    /** It is unknown how much was there, unless the log was closed or the machine still runs. */
    @Test
    void aBadSectorAtTheEndIsNotTheEndOfTheLog() throws Exception {
        UpdateLog log = fixture.open(0);
        fixture.write(log, 3, 3);
        fixture.add(log, 4);
        log.force();
        fixture.disk.kill();
        SimulatedDisk killed = fixture.disk.copy(fixture.faults);
        SimulatedDisk sound = fixture.disk.copy(fixture.faults);
        int behind = end(1, 4);
        killed.spoil(name(1), behind - 8);
        assertThatExceptionOfType(LogDamagedException.class).isThrownBy(() -> fixture.open(killed, LogFixture.SMALL, 0))
                .satisfies(e -> assertThat(e.damages()).singleElement().extracting(LogDamage::last).isEqualTo(4L));
        // Behind the end, while it is known where that is.
        sound.spoil(name(1), behind + SimulatedFile.SECTOR);
        fixture.open(sound, LogFixture.SMALL, 0).close();
        assertThat(fixture.replayed).isEqualTo(fixture.updates(1, 4));

        fixture.disk.delete(ForcedMark.NAME);
        fixture.disk.spoil(name(1), behind - 8);
        assertThatExceptionOfType(LogDamagedException.class).isThrownBy(() -> fixture.open(0)).satisfies(e -> {
            LogDamage damage = e.damages().getFirst();
            assertThat(damage.open()).isTrue();
            assertThat(damage.first()).isLessThanOrEqualTo(4);
            assertThat(damage).asString().contains("if anything");
        });
    }

    @Test
    void aRepairKeepsTheRecordsAroundABadSector() throws Exception {
        LogLimits limits = new LogLimits(32_768, 1 << 20, 0, Duration.ZERO, 0, LogLimits.REPEATS);
        try (UpdateLog log = fixture.open(fixture.disk, limits, 0)) {
            fixture.write(log, 100, 1);
        }
        String name = fixture.segments().getFirst();
        fixture.disk.spoil(name, 8_192);
        Path log = Files.createDirectories(Objects.requireNonNull(folder).resolve("log"));
        LogRepair repair = new LogRepair(log, fixture.disk, LogFixture.ID, 5);
        LogRepair.Plan plan = repair.plan();
        assertThat(plan.damages()).hasSize(1);
        LogDamage damage = plan.damages().getFirst();
        assertThat(damage.count()).isBetween(10L, 40L);
        assertThat(plan.kept() + plan.lost()).isEqualTo(95);
        repair.run(LogFixture.SMALL.withMost(1 << 20), fixture.clock);
        fixture.open(FolderDisk.of(log), LogFixture.SMALL.withMost(1 << 20), 5).close();
        List<Update> expected = new ArrayList<>();
        fixture.updates(6, damage.first() - 1).forEach(update -> expected.add(update.update()));
        fixture.updates(damage.last() + 1, 100).forEach(update -> expected.add(update.update()));
        assertThat(fixture.replayed).extracting(LoggedUpdate::update).isEqualTo(expected);
    }

    /** The repaired log is in place, and the note is that of the damaged one. */
    @Test
    void aRepairThatEndsBeforeItsNoteLeavesALogThatStarts() throws Exception {
        Path log = Files.createDirectories(Objects.requireNonNull(folder).resolve("log"));
        int[] writes = {Integer.MAX_VALUE};
        SimulatedNote note = new SimulatedNote() {
            @Override
            public void write(LogEnd next) {
                if (writes[0]-- == 0) {
                    throw new IllegalStateException("killed");
                }
                super.write(next);
            }
        };
        try (UpdateLog whole = open(FolderDisk.of(log), note, 0)) {
            fixture.write(whole, 10, 1);
        }
        assertThat(note.read().orElseThrow().checksum()).isPresent();
        LogRepair repair = LogRepair.ofStore(log, LogFixture.ID, 5, 5, note);
        writes[0] = 1;
        assertThatThrownBy(() -> repair.run(LogFixture.SMALL, fixture.clock)).hasMessage("killed");
        writes[0] = Integer.MAX_VALUE;
        try (UpdateLog repaired = open(FolderDisk.of(log), note, 5)) {
            assertThat(repaired.durable()).isEqualTo(10);
        }
    }

    private void overwrite(ByteBuffer bytes, long position) throws Exception {
        try (DiskFile file = fixture.disk.open(name(1))) {
            file.writeFully(bytes, position);
        }
    }
}
