package dev.weir.storage.replication;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import dev.weir.model.Network;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LogEpoch;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.Role;
import dev.weir.storage.queue.UpdateWriter;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.key.KeyPair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A leader and its follower in this process, with a line between them that a test controls. */
@Timeout(120)
class ReplicationNodeTest {
    private static final KeyPair LEADER = KeyPair.generate(new SecureRandom());
    private static final KeyPair STANDBY = KeyPair.generate(new SecureRandom());
    private static final FollowerKey KEY = new FollowerKey("standby", STANDBY.publicKey(), Feed.WHOLE, true,
            FollowerKey.DEFAULT_HOLD);

    @TempDir
    private Path folder = Path.of("");

    private StorageServer leader;
    private volatile Line line = this::pass;

    /** What becomes of a question. */
    @FunctionalInterface
    private interface Line {
        Message ask(Message question) throws IOException, InterruptedException;
    }

    private static StorageConfig config(Path data, ReplicationSettings settings) {
        return StorageConfig.of(data).withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))
                .withAllowUpdate(List.of(Network.of("127.0.0.1"))).withReplication(settings);
    }

    private StorageConfig standby(boolean forwards) {
        return config(folder.resolve("standby"), new ReplicationSettings(STANDBY, List.of(), List.of(),
                new ReplicationSettings.Upstream("127.0.0.1", 9, LEADER.publicKey()), forwards, 0,
                Duration.ofSeconds(5), Duration.ofMinutes(1)));
    }

    @BeforeEach
    void lead() throws Exception {
        leader = new StorageServer(config(folder.resolve("leader"), new ReplicationSettings(LEADER, List.of(),
                List.of(KEY), null, true, 0, Duration.ofSeconds(5), Duration.ofMinutes(1))));
        leader.start();
        assertThat(learn(leader, 1)).isTrue();
    }

    @AfterEach
    void close() {
        leader.close();
    }

    private static boolean learn(StorageServer server, int n) throws IOException {
        try (UdpClient client = new UdpClient(server.addresses().getFirst())) {
            return client.write(Samples.digest(n), 1, 5, null).isMatch();
        }
    }

    private Message pass(Message question) throws InterruptedException {
        return leader.node().orElseThrow().answer(KEY, question);
    }

    private StorageServer open(StorageConfig config) throws StorageException {
        StorageServer server = new StorageServer(config, (_, _) -> question -> {
            try {
                return Message.write(line.ask(Message.read(question)));
            } catch (MessageException e) {
                throw new AssertionError(e);
            }
        });
        server.start();
        return server;
    }

    /** Starts a follower that has what the leader has. */
    private StorageServer follow(StorageConfig config) throws Exception {
        try (StorageServer empty = open(config)) {
            node(empty).copyReady().get(1, TimeUnit.MINUTES);
        }
        StorageServer follower = open(config);
        awaitCaughtUp(follower);
        return follower;
    }

    private void awaitCaughtUp(StorageServer follower) throws InterruptedException {
        long wanted = leader.stats().engine().revision();
        await(() -> follower.stats().engine().revision() >= wanted
                && follower.stats().replication().orElseThrow().troubles().isEmpty());
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            Thread.sleep(5);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    private static ReplicationNode node(StorageServer server) {
        return server.node().orElseThrow();
    }

    /** The leader had all of it, and its log no longer has the place. */
    private static Message unfit(Message.Pull pull, LogEpoch epoch) {
        return new Message.Unfit(1, new UpdateLog.Tip(99, 1, epoch), pull.revision(), pull.checksum(), true,
                Optional.empty(), "of the test");
    }

    /** As on a disk without room. */
    @Test
    void aPromotionThatCannotBeWrittenDownDoesNotLead() throws Exception {
        StorageConfig config = standby(false);
        try (StorageServer follower = follow(config)) {
            Path blocked = config.dataDir().resolve(DataFolder.NODE + ".new");
            Files.createDirectories(blocked);
            Files.createFile(blocked.resolve("file"));
            LogEpoch before = node(follower).status().epoch();
            assertThatThrownBy(() -> node(follower).promote(false)).isInstanceOf(StorageException.class)
                    .hasMessageContaining("cannot be written");
            assertThat(node(follower).status().part()).isEqualTo(Role.Part.FOLLOWER);
            assertThat(node(follower).status().epoch()).as("the leader would believe a higher one").isEqualTo(before);
            assertThat(learn(follower, 2)).isFalse();
            Files.delete(blocked.resolve("file"));
            Files.delete(blocked);
            assertThat(learn(leader, 3)).isTrue();
            awaitCaughtUp(follower);
            node(follower).promote(false);
            assertThat(learn(follower, 2)).isTrue();
        }
        try (StorageServer promoted = open(config)) {
            assertThat(node(promoted).status().part()).isEqualTo(Role.Part.LEADER);
        }
    }

    /** The leader says that the follower has diverged, and the follower is promoted before it hears that. */
    @Test
    void aPromotedNodeCopiesNothing() throws Exception {
        StorageConfig config = standby(true);
        try (StorageServer follower = follow(config)) {
            CountDownLatch asked = new CountDownLatch(1);
            CountDownLatch promoted = new CountDownLatch(1);
            CountDownLatch later = new CountDownLatch(2);
            line = question -> {
                if (question instanceof Message.Pull pull && asked.getCount() > 0) {
                    asked.countDown();
                    promoted.await();
                    return unfit(pull, new LogEpoch(9, 1, 1, false));
                }
                if (question instanceof Message.Pull) {
                    later.countDown();
                    throw new IOException("away");
                }
                return pass(question);
            };
            asked.await();
            node(follower).promote(false);
            promoted.countDown();
            // The old leader would be asked again as soon as a copy was there or refused.
            await(() -> later.getCount() < 2 || node(follower).copyReady().isDone());
            assertThat(node(follower).copyReady()).isNotDone();
            assertThat(config.dataDir().resolve(DataFolder.FRESH)).doesNotExist();
            assertThat(node(follower).status().part()).isEqualTo(Role.Part.LEADER);
        }
    }

    @Test
    void aNodeIsNotPromotedWhileItCopiesNorBeforeTheCopyIsInPlace() throws Exception {
        try (StorageServer follower = follow(standby(true))) {
            CountDownLatch fetched = new CountDownLatch(1);
            CountDownLatch released = new CountDownLatch(1);
            AtomicInteger fetches = new AtomicInteger();
            line = question -> {
                if (question instanceof Message.Pull pull) {
                    return unfit(pull, node(leader).status().epoch());
                }
                if (question instanceof Message.Fetch && fetches.getAndIncrement() == 0) {
                    fetched.countDown();
                    released.await();
                    return new Message.Refused(LogEpoch.NONE, "begin again");
                }
                return pass(question);
            };
            fetched.await();
            assertThatThrownBy(() -> node(follower).promote(true)).hasMessageContaining("copying");
            released.countDown();
            assertThatThrownBy(() -> node(follower).promote(false)).isInstanceOf(StorageException.class);
            node(follower).copyReady().get(1, TimeUnit.MINUTES);
            assertThatThrownBy(() -> node(follower).promote(true)).as("the next start throws away what it would take")
                    .hasMessageContaining("copying");
        }
    }

    /** If its leader is gone for ever, an operator may still take what a diverged node has. */
    @Test
    void aDivergedNodeIsPromotedOnlyWithLosses() throws Exception {
        try (StorageServer follower = follow(standby(true))) {
            CountDownLatch refused = new CountDownLatch(1);
            line = question -> {
                if (question instanceof Message.Pull pull && refused.getCount() > 0) {
                    return unfit(pull, node(leader).status().epoch());
                }
                if (question instanceof Message.Fetch) {
                    refused.countDown();
                    return new Message.Refused(LogEpoch.NONE, "begin again");
                }
                throw new IOException("away");
            };
            refused.await();
            await(() -> Objects.requireNonNull(node(follower).status().upstream()).failure().contains("away"));
            assertThatThrownBy(() -> node(follower).promote(false)).hasMessageContaining("--lossy");
            node(follower).promote(true);
            assertThat(learn(follower, 2)).isTrue();
        }
    }

    @Test
    void aFollowerWithQueuedUpdatesAsksForEachOnce() throws Exception {
        try (StorageServer follower = follow(standby(true).withAcknowledge(UpdateWriter.Acknowledge.QUEUED))) {
            AtomicInteger pulls = new AtomicInteger();
            line = question -> {
                pulls.addAndGet(question instanceof Message.Pull ? 1 : 0);
                return pass(question);
            };
            int learns = 4;
            for (int i = 0; i < learns; i++) {
                assertThat(learn(leader, 10 + i)).isTrue();
                Thread.sleep(1_000);
            }
            awaitCaughtUp(follower);
            assertThat(pulls.get()).isLessThan(5 * learns);
        }
    }

    /** A fault in the way to the leader costs its update, and no later one. */
    @Test
    void anUnexpectedFailureDoesNotEndTheWayOfUpdates() throws Exception {
        try (StorageServer follower = follow(standby(true))) {
            AtomicInteger forwards = new AtomicInteger();
            line = question -> {
                if (question instanceof Message.Forward && forwards.getAndIncrement() == 0) {
                    throw new IllegalStateException("of the test");
                }
                return pass(question);
            };
            assertThat(learn(follower, 2)).isFalse();
            assertThat(learn(follower, 3)).isTrue();
            assertThat(node(follower).status().counts().forwardFailures()).isOne();
        }
    }
}
