package dev.weir.storage.shared;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.brake.RemovalBrake;
import dev.weir.storage.engine.EngineParts;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.StateSink;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;
import dev.weir.storage.redis.SharedPosition;
import dev.weir.storage.state.StateFiles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A node whose log is not synced, or is damaged. */
@Tag("peers")
@Timeout(120)
class SharedPositionTest {
    private static final int HASHES = 50;

    @TempDir
    private Path scratch;

    private final HashIndex index = new HashIndex(new KeyedHash(1, 2));

    private UpdateLog log(String folder, HashIndex target) throws StorageException {
        return UpdateLog.open(FolderDisk.of(scratch.resolve(folder)), LogLimits.DEFAULT, 7, 0, InstantSource.system(),
                Runnable::run, logged -> target.apply(logged.update()));
    }

    private SharedNode node(SharedSettings settings, UpdateLog log, HashIndex target) throws StorageException {
        return node(settings, log, sink(log, target), target);
    }

    private SharedNode node(SharedSettings settings, UpdateLog log, StateSink sink, HashIndex target)
            throws StorageException {
        Timing timing = new Timing(Duration.ofDays(90), Duration.ofSeconds(1));
        return new SharedNode(settings, new StateFiles(scratch, InstantSource.system()),
                new EngineParts(log, target, sink, timing,
                        new StorageClock(InstantSource.system(), System::nanoTime, timing),
                        () -> InstantSource.system().millis() / 1_000, System::nanoTime, _ -> Map.of(),
                        new RemovalBrake(System::nanoTime, () -> 0), CompletableFuture::new),
                log.claim("shared Redis", LogClaim.Retention.MUST_KEEP, LogClaim.NOTHING), null, null);
    }

    private static StateSink sink(UpdateLog log, HashIndex target) {
        return change -> {
            // With acknowledge = "queued", the operating system has the updates, and the disk not yet.
            CompletableFuture<Void> done = new CompletableFuture<>();
            try {
                for (Update update : change.apply(target)) {
                    log.add(UpdateOrigin.SHARED, update);
                    log.write();
                    target.apply(update);
                }
                done.complete(null);
            } catch (StorageException e) {
                done.completeExceptionally(e);
            }
            return done;
        };
    }

    private long savedEntry() {
        try {
            return SharedPosition.read(new StateFiles(scratch, InstantSource.system()), 0).orElseThrow().shards()[0]
                    .entry();
        } catch (StorageException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName().toString()));
            }
        }
    }

    /** Otherwise the node would answer without the changes of the others, and count as healthy. */
    @Test
    void aBugInAChangeEndsNoThread() throws Exception {
        Files.createDirectory(scratch.resolve("log"));
        try (RedisProcess redis = RedisProcess.start(scratch)) {
            SharedSettings settings = SharedSettingsBuilder.at(redis.address()).reconcile(Duration.ZERO)
                    .layout(SharedLayout.WEIR, 1).build();
            try (SharedCluster others = new SharedCluster(scratch, settings); UpdateLog updates = log("log", index)) {
                SharedCluster.learn(others.add(), SharedNodesTest.ones(HASHES));
                AtomicInteger bugs = new AtomicInteger(2);
                StateSink queued = sink(updates, index);
                SharedNode node = node(settings, updates, change -> {
                    if (bugs.getAndDecrement() > 0) {
                        throw new IllegalStateException("broken on purpose");
                    }
                    return queued.change(change);
                }, index);
                node.start();
                SharedCluster.await("all hashes", () -> node.isSettled() && index.size() == HASHES);
                assertThat(bugs.get()).isNegative();
                node.stopListening();
                node.finish(Duration.ofSeconds(5));
            }
        }
    }

    /** The machine stops while the disk refuses to sync what came from other nodes. */
    @Test
    void aPositionIsNeverAheadOfTheLog() throws Exception {
        Path log = Files.createDirectory(scratch.resolve("log"));
        Path cut = Files.createDirectory(scratch.resolve("cut"));
        try (RedisProcess redis = RedisProcess.start(scratch)) {
            SharedSettings settings = SharedSettingsBuilder.at(redis.address()).reconcile(Duration.ZERO)
                    .layout(SharedLayout.WEIR, 1).build();
            try (SharedCluster others = new SharedCluster(scratch, settings); UpdateLog updates = log("log", index)) {
                copy(log, cut);
                SharedCluster.learn(others.add(), SharedNodesTest.ones(HASHES));
                SharedNode node = node(settings, updates, index);
                node.start();
                SharedCluster.await("all hashes", () -> node.isSettled() && index.size() == HASHES);
                assertThat(updates.durable()).isZero();
                node.save();
                node.save();
                assertThat(savedEntry()).as("of what the disk has").isZero();
                node.stopListening();
                node.finish(Duration.ofSeconds(5));
            }
            HashIndex recovered = new HashIndex(new KeyedHash(1, 2));
            try (UpdateLog updates = log("cut", recovered)) {
                assertThat(updates.durable()).isZero();
                SharedNode node = node(settings, updates, recovered);
                node.start();
                SharedCluster.await("all hashes again", () -> node.isSettled() && recovered.size() == HASHES);
                updates.force();
                SharedCluster.await("the position of what the disk has", () -> {
                    node.save();
                    return savedEntry() > 0;
                });
                node.stopListening();
                node.finish(Duration.ofSeconds(5));
            }
        }
    }

    /** If the node put back what it holds, it would do so again after each look at the same update. */
    @Test
    void anUpdateThatTheLogCannotReadIsNamedAndNothingIsPutBack() throws Exception {
        Path folder = Files.createDirectory(scratch.resolve("log"));
        try (RedisProcess redis = RedisProcess.start(scratch); UpdateLog updates = log("log", index)) {
            SharedSettings settings = SharedSettingsBuilder.at(redis.address()).reconcile(Duration.ZERO)
                    .layout(SharedLayout.WEIR, 1).build();
            SharedNode node = node(settings, updates, index);
            node.start();
            SharedCluster.await("the empty Redis is known", () -> node.isSettled() && node.isWhole());
            for (int i = 1; i <= 5; i++) {
                Update update = Samples.write(i, 1, 1, 1_000, null);
                updates.add(UpdateOrigin.STORAGE, update);
                index.apply(update);
            }
            updates.write();
            damage(folder, Samples.digest(3));
            updates.store().moveTo(5);
            updates.force();
            SharedCluster.await("the trouble is told", () -> !node.sendingFailure().isEmpty());
            assertThat(node.isRestoring()).isFalse();
            assertThat(node.putBack()).isZero();
            assertThat(node.sendingFailure()).contains("cannot read the update 3, which the store has");
            node.stopListening();
            node.finish(Duration.ofSeconds(5));
        }
    }

    private static void damage(Path folder, Digest digest) throws IOException {
        Path segment;
        try (Stream<Path> files = Files.list(folder)) {
            segment = files.filter(file -> file.toString().endsWith(".log")).findFirst().orElseThrow();
        }
        int at = Files.readString(segment, StandardCharsets.ISO_8859_1)
                .indexOf(new String(digest.toBytes(), StandardCharsets.ISO_8859_1));
        try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1), at);
        }
    }
}
