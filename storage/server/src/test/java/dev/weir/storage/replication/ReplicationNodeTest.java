package dev.weir.storage.replication;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import dev.weir.model.Network;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.Role;
import dev.weir.storage.queue.UpdateWriter;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.Generation;
import dev.weir.wire.command.CommandCode;
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
        return StorageConfig.of(data)
                .withBackend(BackendKind.STORE).withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))
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
    private Message.Unfit unfit(Message.Pull pull, LeaderEpoch epoch) throws InterruptedException {
        // No leader ends there, so the answer names its storage.
        Message.Unfit real = (Message.Unfit) pass(new Message.Pull(7, LeaderEpoch.NONE, 1L << 60, 0, 1, 0));
        return new Message.Unfit(real.storage(), new UpdateLog.Tip(99, 1, epoch), pull.revision(), pull.checksum(),
                true, Optional.empty(), "of the test");
    }

    /** A client repeats its datagrams at a node that copied the leader after their first copies, and was promoted. */
    @Test
    void aFreshCopyThatIsPromotedRecognizesRepeatedRequests() throws Exception {
        int requests = 600;
        try (UdpClient client = new UdpClient(leader.addresses().getFirst())) {
            byte[][] datagrams = new byte[requests][];
            for (int i = 0; i < requests; i++) {
                datagrams[i] = client.request(Generation.V4, CommandCode.WRITE, Samples.digest(i % 100), 1, 7, null);
                client.sendRaw(datagrams[i]);
                assertThat(client.receive()).isPresent();
            }
            StorageConfig config = standby(false);
            follow(config).close();
            // The requests are older than the copy, and a restart reads them from the log of the copy.
            try (StorageServer standby = open(config)) {
                node(standby).promote(false);
                client.turnTo(standby.addresses().getFirst());
                for (byte[] datagram : datagrams) {
                    client.sendRaw(datagram);
                    assertThat(client.receive()).isPresent();
                }
                assertThat(standby.find(Samples.digest(5))).singleElement()
                        .satisfies(flag -> assertThat(flag.value()).isEqualTo(7L * requests / 100));
                assertThat(standby.stats().engine().updates().repeated()).isEqualTo(requests);
            }
        }
    }

    /** As on a disk without room. */
    @Test
    void aPromotionThatCannotBeWrittenDownDoesNotLead() throws Exception {
        StorageConfig config = standby(false);
        try (StorageServer follower = follow(config)) {
            Path blocked = config.dataDir().resolve(DataFolder.NODE + ".new");
            Files.createDirectories(blocked);
            Files.createFile(blocked.resolve("file"));
            LeaderEpoch before = node(follower).status().epoch();
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
                    return unfit(pull, new LeaderEpoch(9, 1, 1, false));
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
                    return new Message.Refused(LeaderEpoch.NONE, "begin again");
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

    /** An older copy came into the place of the leader's folder while this node copied. */
    @Test
    void aCopyIsNotUsedIfTheLeaderNoLongerProvesThatItHasEverything() throws Exception {
        StorageConfig config = standby(true);
        List<Path> before;
        try (StorageServer follower = follow(config)) {
            before = kept(config);
            AtomicBoolean copied = new AtomicBoolean();
            line = question -> {
                if (question instanceof Message.Pull pull) {
                    Message.Unfit proof = unfit(pull, node(leader).status().epoch());
                    return copied.get()
                            ? new Message.Unfit(proof.storage(), proof.at(), proof.from(), proof.before(), false,
                                    Optional.empty(), "of the older copy")
                            : proof;
                }
                Message answer = pass(question);
                if (answer instanceof Message.Part part && part.last()) {
                    copied.set(true);
                }
                return answer;
            };
            await(() -> troubles(follower).contains("of the older copy"));
            assertThat(copied).isTrue();
            assertThat(node(follower).copyReady()).isNotDone();
            assertThat(troubles(follower)).contains("follow --discard");
            line = this::pass;
        }
        try (StorageServer follower = open(config)) {
            awaitCaughtUp(follower);
            assertThat(follower.stats().engine().hashes()).isEqualTo(1);
            assertThat(kept(config)).as("nothing was replaced").isEqualTo(before);
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
                    return new Message.Refused(LeaderEpoch.NONE, "begin again");
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

    /** The leader has everything that the follower had, and has removed nearly all of it since. */
    @Test
    void aCopyThatWouldRemoveManyHashesWaitsForAnOperator() throws Exception {
        int many = 1_200;
        try (UdpClient client = new UdpClient(leader.addresses().getFirst())) {
            for (int i = 0; i < many; i++) {
                assertThat(client.write(Samples.digest(i), 1, 5, null).isMatch()).isTrue();
            }
        }
        StorageConfig config = standby(true);
        try (StorageServer follower = follow(config)) {
            await(() -> follower.stats().engine().hashes() == many);
            line = _ -> {
                throw new IOException("away");
            };
            // The question on its way would still bring the first deletes.
            await(() -> Objects.requireNonNull(node(follower).status().upstream()).failure().contains("away"));
            try (UdpClient client = new UdpClient(leader.addresses().getFirst())) {
                for (int i = 2; i < many; i++) {
                    assertThat(client.delete(Samples.digest(i), 1).isMatch()).isTrue();
                }
            }
            line = question -> question instanceof Message.Pull pull
                    ? unfit(pull, node(leader).status().epoch())
                    : pass(question);
            await(() -> troubles(follower).contains("would remove at least"));
            assertThat(troubles(follower)).contains("of the 1200 hashes of this node", "follow --discard");
            assertThat(follower.stats().engine().hashes()).isEqualTo(many);
            assertThat(node(follower).copyReady()).isNotDone();
            assertThat(node(follower).followAndDiscard()).contains("would remove at least");
            node(follower).copyReady().get(1, TimeUnit.MINUTES);
            assertThat(troubles(follower)).as("the operator has decided").doesNotContain("follow --discard");
        }
        line = this::pass;
        try (StorageServer follower = open(config)) {
            awaitCaughtUp(follower);
            assertThat(follower.stats().engine().hashes()).isEqualTo(2);
            assertThat(kept(config)).singleElement().asString().doesNotEndWith("-contained");
        }
    }

    @Test
    void aNodeThatWaitsBecauseOfManyRemovalsMayBePromoted() throws Exception {
        try (UdpClient client = new UdpClient(leader.addresses().getFirst())) {
            for (int i = 0; i < 1_200; i++) {
                assertThat(client.write(Samples.digest(i), 1, 5, null).isMatch()).isTrue();
            }
        }
        try (StorageServer follower = follow(standby(true))) {
            line = question -> switch (question) {
                case Message.Pull pull -> unfit(pull, node(leader).status().epoch());
                case Message.Fetch fetch -> few((Message.Part) pass(fetch));
                default -> pass(question);
            };
            await(() -> troubles(follower).contains("would remove at least"));
            node(follower).promote(false);
            assertThat(learn(follower, 5_000)).isTrue();
        }
    }

    /** A part of a checkpoint with one hash. */
    private static Message few(Message.Part part) {
        return new Message.Part(part.token(), part.part(), part.last(), part.recent(), part.storage(), part.epoch(),
                part.revision(), part.checksum(), part.start(), 1, part.bytes());
    }

    private static String troubles(StorageServer server) {
        return String.valueOf(server.stats().replication().orElseThrow().troubles());
    }

    private static List<Path> kept(StorageConfig config) throws IOException {
        try (Stream<Path> folders = Files.list(config.dataDir().resolve(DataFolder.ASIDE))) {
            return folders.toList();
        }
    }

    /** The process ends after the copy is in place, before that is noted. */
    @Test
    void aCopyIntoAnEmptyFolderThatIsCutOffIsFinishedByTheNextStart() throws Exception {
        StorageConfig config = standby(true);
        try (StorageServer empty = open(config)) {
            node(empty).copyReady().get(1, TimeUnit.MINUTES);
        }
        assertThatThrownBy(() -> CopyPlacement.run(config.dataDir(), InstantSource.system(), _ -> {
            throw new StorageException("cut off");
        })).hasMessage("cut off");
        assertThat(CopyPlacement.run(config.dataDir(), InstantSource.system(), _ -> {}))
                .isInstanceOf(CopyPlacement.Outcome.Placed.class);
        assertThat(kept(config)).as("it had nothing").isEmpty();
        try (StorageServer follower = open(config)) {
            awaitCaughtUp(follower);
            assertThat(learn(leader, 2)).isTrue();
            awaitCaughtUp(follower);
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
