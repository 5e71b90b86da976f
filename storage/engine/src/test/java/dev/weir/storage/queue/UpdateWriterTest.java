package dev.weir.storage.queue;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import dev.weir.model.KeyedHash;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.brake.RemovalBrake;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.SmallIndex;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.log.UpdateOrigin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class UpdateWriterTest {
    private static final LogLimits LIMITS = new LogLimits(1 << 20, 64 << 20, 0, Duration.ZERO, 0, LogLimits.REPEATS);

    private static final Timing TIMING = new Timing(Duration.ZERO, Duration.ofSeconds(1));

    @TempDir
    private Path folder;

    @Test
    void aTurnReturnsTheNumberOfUpdates() throws Exception {
        try (UpdateLog log = UpdateLog.open(FolderDisk.of(folder), LIMITS, 1, 0, InstantSource.system(), Runnable::run,
                _ -> {})) {
            UpdateQueue queue = new UpdateQueue(256);
            HashIndex index = new HashIndex(new KeyedHash(1, 2));
            UpdateWriter writer = writer(queue, log, index, index::apply);
            for (int i = 0; i < 3; i++) {
                queue.offer(new QueuedUpdate(Samples.write(i, 1, 1, 1, null), UpdateOrigin.STORAGE,
                        QueuedUpdate.Outcome.NONE));
            }
            assertThat(List.of(writer.turn(0), writer.turn(0))).containsExactly(3, 0);
        }
    }

    @Test
    void whatIsAskedOfAnEndedWriterEnds() throws Exception {
        try (UpdateLog log = UpdateLog.open(FolderDisk.of(folder), LIMITS, 1, 0, InstantSource.system(), Runnable::run,
                _ -> {})) {
            HashIndex index = new HashIndex(new KeyedHash(1, 2));
            UpdateQueue queue = new UpdateQueue(256);
            UpdateWriter writer = writer(queue, log, index, index::apply);
            writer.end();
            Ending told = new Ending();
            writer.tell(List.of(new QueuedUpdate(Samples.write(1, 1, 1, 1, null), UpdateOrigin.STORAGE, told)),
                    List.of(true));
            assertThat(List.of(writer.fence(), writer.promote(0, false, 7, _ -> {}), writer.sweep(),
                    writer.change(_ -> List.of())))
                    .allMatch(CompletableFuture::isCancelled);
            assertThat(told.text).isEqualTo("failed");
        }
    }

    /** Whatever comes of the note, a node leads only with it. */
    @Test
    void aPromotionWithoutItsNoteDoesNotLead() throws Exception {
        try (UpdateLog log = open(_ -> {})) {
            Role role = new Role(Role.Part.FOLLOWER);
            HashIndex index = new HashIndex(new KeyedHash(1, 2));
            UpdateWriter writer = writer(new UpdateQueue(256), log, index, role);
            CompletableFuture<LeaderEpoch> failed = writer.promote(0, false, 7, _ -> {
                throw new StorageException("of the test");
            });
            writer.turn(0);
            assertThat(failed).isCompletedExceptionally();
            assertThat(role.part()).isEqualTo(Role.Part.FOLLOWER);
            List<Role.Part> during = new ArrayList<>();
            CompletableFuture<LeaderEpoch> done = writer.promote(0, false, 7, _ -> during.add(role.part()));
            writer.turn(0);
            assertThat(done.join().number()).isEqualTo(log.tip().epoch().number());
            assertThat(during).containsExactly(Role.Part.FOLLOWER);
            assertThat(role.leads()).isTrue();
        }
    }

    /** The epoch of a leader may arrive just after the promotion. */
    @Test
    void aPromotedNodeKeepsItsEpoch() throws Exception {
        try (UpdateLog log = open(_ -> {})) {
            Role role = new Role(Role.Part.FOLLOWER);
            UpdateWriter writer = writer(new UpdateQueue(256), log, new HashIndex(new KeyedHash(1, 2)), role);
            CompletableFuture<LeaderEpoch> promoted = writer.promote(4, false, 7, _ -> {});
            CompletableFuture<LeaderEpoch> entered = writer.enter(new LeaderEpoch(3, 1, 1, false));
            writer.turn(0);
            assertThat(entered.join()).isEqualTo(promoted.join());
            assertThat(log.tip().epoch()).isEqualTo(promoted.join());
        }
    }

    /** An outcome that records itself. */
    private static final class Ending implements QueuedUpdate.Outcome {
        String text = "";

        @Override
        public void stored() {
            text += "stored";
        }

        @Override
        public void failed() {
            text += "failed";
        }

        @Override
        public void unconfirmed() {
            text += "unconfirmed";
        }

        @Override
        public void impossible() {
            text += "impossible";
        }
    }

    /** A client that repeated it after half a minute would add its weight again. */
    @Test
    void anUpdateThatOtherNodesDoNotConfirmIsNotAFailedOne() throws Exception {
        Quorum deaf = new Quorum() {
            @Override
            public long reached() {
                return 0;
            }

            @Override
            public Duration patience() {
                return Duration.ZERO;
            }
        };
        try (UpdateLog log = open(_ -> {})) {
            HashIndex index = new HashIndex(new KeyedHash(1, 2));
            UpdateQueue queue = new UpdateQueue(256);
            UpdateWriter writer = new UpdateWriter(queue, log, index, pending -> index.apply(pending.update()),
                    UpdateWriter.Acknowledge.DURABLE, TIMING, clock(), System::nanoTime,
                    new RecentRequests(System::nanoTime, KeyedHash::random), () -> {}, new Role(Role.Part.LEADER),
                    deaf, horizon());
            Ending ending = offer(queue, Samples.write(1, 1, 1, 1, null));
            writer.turn(0);
            writer.turn(0);
            assertThat(ending.text).isEqualTo("unconfirmed");
            assertThat(index.size()).isOne();
        }
    }

    /** A client that tried it again would hold up the forget that makes room. */
    @Test
    void aFlagWithoutRoomIsImpossible() throws Exception {
        try (UpdateLog log = open(_ -> {})) {
            HashIndex index = new HashIndex(new KeyedHash(1, 2));
            UpdateQueue queue = new UpdateQueue(256);
            UpdateWriter writer = writer(queue, log, index, index::apply);
            for (int flag = 256; flag < 256 + StoredHash.MAX_ODD_FLAGS; flag++) {
                index.apply(Samples.write(1, flag, 1, 1, null));
            }
            Ending ending = new Ending();
            UpdateOrigin client = new UpdateOrigin(InetAddress.getLoopbackAddress(), 11_335, 1, null);
            assertThat(queue.offer(new QueuedUpdate(Samples.write(1, 1000, 1, 1, null), client, ending))).isTrue();
            writer.turn(0);
            assertThat(ending.text).isEqualTo("impossible");
        }
    }

    private static Ending offer(UpdateQueue queue, Update update) {
        Ending ending = new Ending();
        assertThat(queue.offer(new QueuedUpdate(update, UpdateOrigin.STORAGE, ending))).isTrue();
        return ending;
    }

    @Test
    void refusesUpdatesThatExceedTheIndexBeforeTheyAreLogged() throws Exception {
        List<LoggedUpdate> logged = new ArrayList<>();
        HashIndex index = SmallIndex.empty();
        for (int n = 0; n < SmallIndex.ROOM - 1; n++) {
            index.apply(Samples.write(n, 1, 1, 1, null));
        }
        try (UpdateLog log = open(_ -> {})) {
            UpdateQueue queue = new UpdateQueue(256);
            UpdateWriter writer = writer(queue, log, index, index::apply);
            Ending tooMany = offer(queue, Samples.write(-1, 1, 1, 1, null));
            Ending tooManyToo = offer(queue, Samples.write(-2, 1, 1, 1, null));
            Ending removal = offer(queue, new Update.DeleteAll(Samples.digest(5)));
            writer.turn(0);
            assertThat(List.of(tooMany.text, tooManyToo.text, removal.text)).containsExactly("failed", "failed",
                    "stored");
            assertThat(writer.isFull()).isTrue();
            assertThat(writer.failed()).isEqualTo(2);

            Ending first = offer(queue, Samples.write(-1, 1, 1, 1, null));
            Ending second = offer(queue, Samples.write(-2, 1, 1, 1, null));
            writer.turn(0);
            assertThat(List.of(first.text, second.text)).containsExactly("stored", "stored");
            assertThat(writer.isFull()).isFalse();
            assertThat(index.size()).isEqualTo(SmallIndex.ROOM);
            writer.end();
            assertThat(writer.isComplete()).isTrue();
        }
        try (UpdateLog _ = open(logged::add)) {
            assertThat(logged).extracting(LoggedUpdate::update).containsExactly(new Update.DeleteAll(Samples.digest(5)),
                    Samples.write(-1, 1, 1, 1, null), Samples.write(-2, 1, 1, 1, null));
        }
    }

    @Test
    void aRequestedSweepStartsFromTheBeginningAndReportsAFailure() throws Exception {
        Timing timing = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(1));
        Path place = Files.createDirectory(folder.resolve("log"));
        UpdateLog log = UpdateLog.open(FolderDisk.of(place), LIMITS, 1, 0, InstantSource.system(), Runnable::run,
                _ -> {});
        UpdateQueue queue = new UpdateQueue(256);
        HashIndex index = new HashIndex(new KeyedHash(1, 2));
        for (int n = 0; n < 60_000; n++) {
            index.apply(Samples.write(n, 1, 1, 1, null));
        }
        UpdateWriter writer = writer(queue, log, index, index::apply, timing);
        writer.turn(0);
        assertThat(writer.expired()).as("the first portion").isBetween(1L, 59_999L);
        for (int n = 0; n < 10; n++) {
            index.apply(Samples.write(n, 1, 1, 1, null));
        }
        long left = index.size();
        CompletableFuture<Long> all = writer.sweep();
        writer.turn(0);
        assertThat(all).isCompletedWithValue(left);

        index.apply(Samples.write(1, 1, 1, 1, null));
        log.close();
        Files.move(place, folder.resolve("gone"));
        CompletableFuture<Long> failing = writer.sweep();
        writer.turn(0);
        assertThat(failing).isCompletedExceptionally();
        assertThat(index.size()).isEqualTo(1);
        timing.change(Duration.ZERO, Duration.ofSeconds(1));
        CompletableFuture<Long> nothing = writer.sweep();
        writer.turn(0);
        assertThat(nothing).isCompletedWithValue(0L);
    }

    @Test
    void repliesToEveryRefreshOfABatch() throws Exception {
        List<LoggedUpdate> logged = new ArrayList<>();
        try (UpdateLog log = open(_ -> {})) {
            UpdateQueue queue = new UpdateQueue(256);
            HashIndex index = new HashIndex(new KeyedHash(1, 2));
            UpdateWriter writer = writer(queue, log, index, index::apply);
            Ending first = offer(queue, new Update.Refresh(Samples.digest(1), 100));
            Ending second = offer(queue, new Update.Refresh(Samples.digest(1), 100));
            Ending later = offer(queue, new Update.Refresh(Samples.digest(1), 101));
            writer.turn(0);
            assertThat(List.of(first.text, second.text, later.text)).containsOnly("stored");
        }
        try (UpdateLog _ = open(logged::add)) {
            assertThat(logged).extracting(LoggedUpdate::update)
                    .containsExactly(new Update.Refresh(Samples.digest(1), 100),
                            new Update.Refresh(Samples.digest(1), 101));
        }
    }

    @Test
    void aWriterThatDiesBeforeTheIndexReportsItIncomplete() throws Exception {
        HashIndex index = new HashIndex(new KeyedHash(1, 2));
        UpdateQueue queue = new UpdateQueue(256);
        try (UpdateLog log = open(_ -> {})) {
            UpdateWriter writer = writer(queue, log, index, update -> {
                if (index.size() == 1) {
                    throw new OutOfMemoryError("simulated");
                }
                index.apply(update);
            });
            offer(queue, Samples.write(1, 1, 1, 1, null));
            Ending second = offer(queue, Samples.write(2, 1, 1, 1, null));
            assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(writer::run);
            assertThat(log.durable()).isEqualTo(2);
            assertThat(second.text).isEmpty();
            assertThat(writer.isComplete()).isFalse();
            assertThat(index.isIncomplete()).isTrue();
        }
    }

    private static StorageClock clock() {
        return new StorageClock(InstantSource.system(), System::nanoTime, TIMING);
    }

    private UpdateLog open(Consumer<LoggedUpdate> replay) throws StorageException {
        return UpdateLog.open(FolderDisk.of(folder), LIMITS, 1, 0, InstantSource.system(), Runnable::run, replay);
    }

    private static UpdateWriter writer(UpdateQueue queue, UpdateLog log, HashIndex index, Consumer<Update> visible) {
        return writer(queue, log, index, visible, TIMING);
    }

    private static ExpiryHorizon horizon() {
        return new ExpiryHorizon(TIMING, clock(), System::nanoTime, new RemovalBrake(System::nanoTime, () -> 0),
                OptionalLong.empty());
    }

    private static UpdateWriter writer(UpdateQueue queue, UpdateLog log, HashIndex index, Role role) {
        return new UpdateWriter(queue, log, index, pending -> index.apply(pending.update()),
                UpdateWriter.Acknowledge.DURABLE, TIMING, clock(), System::nanoTime,
                new RecentRequests(System::nanoTime, KeyedHash::random), () -> {}, role, Quorum.NONE, horizon());
    }

    private static UpdateWriter writer(UpdateQueue queue, UpdateLog log, HashIndex index, Consumer<Update> visible,
            Timing timing) {
        return new UpdateWriter(queue, log, index, pending -> visible.accept(pending.update()),
                UpdateWriter.Acknowledge.DURABLE,
                timing, clock(), System::nanoTime, new RecentRequests(System::nanoTime, KeyedHash::random), () -> {});
    }
}
