package dev.weir.storage.waves;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

import dev.weir.model.Signature;
import dev.weir.storage.Samples;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.replication.Feed;
import dev.weir.storage.replication.FollowerKey;
import dev.weir.storage.replication.Message;
import dev.weir.storage.replication.MessageException;
import dev.weir.storage.replication.ReplicationSettings;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.shared.RedisAddress;
import dev.weir.storage.shared.SharedLayout;
import dev.weir.storage.shared.SharedSettings;
import dev.weir.testkit.Installed;
import dev.weir.testkit.RedisServer;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.Generation;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.reply.Reply;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Storages that add the counts of their waves: through a real Redis, and as leader and followers. */
@Timeout(240)
class WaveNodesTest {
    private static final KeyPair LEADER = KeyPair.generate(new SecureRandom());
    private static final KeyPair FOLLOWER = KeyPair.generate(new SecureRandom());
    private static final int FLAG = 60;
    private static final WaveSettings WAVES = WaveSettings.counting().withTable(1_000, Duration.ofDays(1))
            .answering(FLAG, new WaveSettings.Size(15, 1, Duration.ofHours(1)));

    @TempDir
    private Path folder = Path.of("");

    private final SplittableRandom random = new SplittableRandom(1);
    private long digests = 1_000_000;

    private StorageConfig config(String name) {
        return StorageConfig.of(folder.resolve(name)).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))
                .withAllowUpdate(StorageConfig.loopback()).withWorkers(1).withWaves(WAVES);
    }

    private Reply ask(StorageServer server, long text) throws Exception {
        try (UdpClient from = new UdpClient(server.addresses().getFirst())) {
            return from.ask(Generation.V4, CommandCode.CHECK, Samples.digest(digests++), 0, 0,
                    Samples.changed(Samples.shingles(text), 5, random));
        }
    }

    private void ask(StorageServer server, long text, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            ask(server, text);
        }
        await("the checks are counted", () -> checks(server, text) >= times);
    }

    /** Returns the checks of the group of a text, whichever nodes counted them. */
    private static long checks(StorageServer server, long text) {
        return server.waves().orElseThrow().top(Waves.Order.HOUR, 100).stream()
                .filter(wave -> wave.members().stream().flatMap(member -> member.signature().stream())
                        .anyMatch(signature -> isNear(signature, text)))
                .mapToLong(WaveReport::hour).sum();
    }

    private static boolean isNear(Signature signature, long text) {
        int equal = 0;
        long[] shingles = Samples.shingles(text);
        for (int i = 0; i < shingles.length; i++) {
            equal += signature.value(i) == shingles[i] ? 1 : 0;
        }
        return equal > 16;
    }

    private static void await(String what, BooleanSupplier condition) {
        Awaitility.await(what).atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(100))
                .until(condition::getAsBoolean);
    }

    private StorageConfig sharing(String name, int port) {
        return config(name).withShared(new SharedSettings(SharedSettings.Mode.STANDALONE,
                List.of(new RedisAddress("127.0.0.1", port)), List.of(), "", new SharedSettings.Login("", "", ""),
                null, 0, SharedSettings.PREFIX, SharedLayout.WEIR, 2, Duration.ofSeconds(2), Duration.ZERO, false,
                1_000, SharedSettings.Confirmation.NONE));
    }

    @Test
    @Tag("peers")
    void nodesWithOneRedisAddTheirCountsAndCountAloneWithoutIt() throws Exception {
        Installed.require("redis-server", "redis-server");
        try (RedisServer redis = RedisServer.start(folder);
                StorageServer one = new StorageServer(sharing("one", redis.port()));
                StorageServer two = new StorageServer(sharing("two", redis.port()))) {
            one.start();
            two.start();
            ask(one, 1, 10);
            ask(two, 1, 10);
            assertThat(ask(one, 1).value()).as("ten checks of fifteen").isZero();
            await("both know all checks", () -> checks(one, 1) == 21 && checks(two, 1) == 21);
            await("both answer", () -> one.waves().orElseThrow().figures().answering() == 1
                    && two.waves().orElseThrow().figures().answering() == 1);
            Reply reply = ask(two, 1);
            assertThat(reply.flag()).isEqualTo(FLAG);
            assertThat(reply.value()).isGreaterThanOrEqualTo(21);
            assertThat(one.waves().orElseThrow().figures().nodes()).isEqualTo(1);

            redis.kill();
            await("a counter says so", () -> one.waves().orElseThrow().figures().exchangesFailed() > 0
                    && two.waves().orElseThrow().figures().exchangesFailed() > 0);
            ask(one, 2, 16);
            await("a node answers from what it sees alone",
                    () -> one.waves().orElseThrow().figures().answering() == 2);
            assertThat(ask(one, 2).flag()).isEqualTo(FLAG);
            assertThat(ask(two, 2).value()).isZero();

            // Redis comes back without what it had.
            redis.restart();
            await("the nodes find each other again", () -> checks(two, 2) >= 18
                    && two.waves().orElseThrow().figures().answering() == 2);
            assertThat(ask(two, 2).flag()).isEqualTo(FLAG);
        }
    }

    private StorageConfig follower(String name) {
        return config(name).withReplication(new ReplicationSettings(FOLLOWER, List.of(), List.of(),
                new ReplicationSettings.Upstream("127.0.0.1", 9, LEADER.publicKey()), true, 0,
                Duration.ofSeconds(5), Duration.ofMinutes(1)));
    }

    private StorageServer leader(boolean mayUpdate) {
        return new StorageServer(config("leader").withReplication(new ReplicationSettings(LEADER, List.of(),
                List.of(key(mayUpdate)), null, true, 0, Duration.ofSeconds(5), Duration.ofMinutes(1))));
    }

    private static FollowerKey key(boolean mayUpdate) {
        return new FollowerKey("standby", FOLLOWER.publicKey(), Feed.WHOLE, mayUpdate, FollowerKey.DEFAULT_HOLD);
    }

    private static StorageServer following(StorageConfig config, StorageServer leader, boolean mayUpdate) {
        return new StorageServer(config, (_, _) -> question -> {
            try {
                return Message.write(leader.node().orElseThrow().answer(key(mayUpdate), Message.read(question)));
            } catch (MessageException e) {
                throw new AssertionError(e);
            }
        });
    }

    /** Makes the folder of a follower with a copy of its leader. */
    private void copy(StorageServer leader, boolean mayUpdate) throws Exception {
        try (UdpClient teacher = new UdpClient(leader.addresses().getFirst())) {
            assertThat(teacher.write(Samples.digest(1), 1, 5, null).isMatch()).isTrue();
        }
        try (StorageServer empty = following(follower("standby"), leader, mayUpdate)) {
            empty.start();
            await("the copy", () -> empty.node().orElseThrow().copyReady().isDone());
        }
    }

    @Test
    @Tag("slow")
    void aLeaderAndItsFollowerAddTheirCounts() throws Exception {
        try (StorageServer leader = leader(true)) {
            leader.start();
            copy(leader, true);
            ask(leader, 1, 10);
            try (StorageServer follower = following(follower("standby"), leader, true)) {
                follower.start();
                ask(follower, 1, 10);
                await("both know all checks", () -> checks(leader, 1) == 20 && checks(follower, 1) == 20);
                await("both answer", () -> leader.waves().orElseThrow().figures().answering() == 1
                        && follower.waves().orElseThrow().figures().answering() == 1);
                assertThat(ask(leader, 1).flag()).isEqualTo(FLAG);
                assertThat(ask(follower, 1).flag()).isEqualTo(FLAG);
            }
        }
    }

    @Test
    void aFollowerThatOnlyCountsIsNotPresentAndCountsSeldom() throws Exception {
        try (StorageServer leader = leader(true)) {
            leader.start();
            byte[] note = leader.waves().orElseThrow().write(_ -> false);
            assertThat(leader.node().orElseThrow().answer(key(true), new Message.Note(1, note)))
                    .isInstanceOf(Message.Note.class);
            assertThat(leader.node().orElseThrow().status().followers()).singleElement()
                    .satisfies(follower -> assertThat(follower.behind()).as("never seen").isNegative());
            assertThat(leader.node().orElseThrow().answer(key(true), new Message.Note(1, note)))
                    .isInstanceOf(Message.Refused.class);
        }
    }

    @Test
    void aCustomerThatMayNotLearnAddsNothing() throws Exception {
        try (StorageServer leader = leader(false)) {
            leader.start();
            copy(leader, false);
            try (StorageServer follower = following(follower("standby"), leader, false)) {
                follower.start();
                ask(follower, 1, 20);
                await("it was refused", () -> follower.waves().orElseThrow().figures().exchangesFailed() > 0);
                byte[] note = follower.waves().orElseThrow().write(_ -> false);
                assertThat(leader.node().orElseThrow().answer(key(false), new Message.Note(1, note)))
                        .isInstanceOfSatisfying(Message.Refused.class,
                                refused -> assertThat(refused.reason()).contains("may update"));
                FollowerKey part = new FollowerKey("standby", FOLLOWER.publicKey(), new Feed(Map.of(1, 1), null, true),
                        true,
                        FollowerKey.DEFAULT_HOLD);
                assertThat(leader.node().orElseThrow().answer(part, new Message.Note(1, note)))
                        .as("it has a part of the hashes only").isInstanceOf(Message.Refused.class);
                assertThat(leader.waves().orElseThrow().figures().groups()).isZero();
            }
        }
    }
}
