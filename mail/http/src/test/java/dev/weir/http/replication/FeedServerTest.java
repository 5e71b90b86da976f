package dev.weir.http.replication;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import dev.weir.http.server.ListenSockets;
import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Network;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.queue.Role;
import dev.weir.storage.replication.Feed;
import dev.weir.storage.replication.FollowerKey;
import dev.weir.storage.replication.Message;
import dev.weir.storage.replication.ReplicationSettings;
import dev.weir.storage.replication.Transport;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.key.KeyPair;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A leader in this process with its door, and followers with filters. */
class FeedServerTest {
    private static final KeyPair LEADER = KeyPair.generate(new SecureRandom());
    private static final KeyPair STANDBY = KeyPair.generate(new SecureRandom());
    private static final KeyPair CUSTOMER = KeyPair.generate(new SecureRandom());

    @TempDir
    private @Nullable Path folder;

    private @Nullable StorageServer leader;
    private @Nullable FeedServer feed;
    private ReplicationSettings.@Nullable Upstream place;

    private static StorageConfig config(Path data, ReplicationSettings settings) {
        return StorageConfig.of(data)
                .withBackend(BackendKind.STORE).withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))
                .withAllowUpdate(List.of(Network.of("127.0.0.1"))).withReplication(settings);
    }

    private static ReplicationSettings settings(KeyPair pair, List<FollowerKey> followers,
            ReplicationSettings.@Nullable Upstream upstream) {
        return new ReplicationSettings(pair, List.of(), followers, upstream, true, 0, Duration.ofSeconds(5),
                Duration.ofMinutes(1));
    }

    @BeforeEach
    void lead() throws Exception {
        ReplicationSettings settings = settings(LEADER, List.of(
                new FollowerKey("standby", STANDBY.publicKey(), Feed.WHOLE, true, FollowerKey.DEFAULT_HOLD),
                new FollowerKey("customer", CUSTOMER.publicKey(), new Feed(Map.of(11, 1, 12, 2), 5L, false), false,
                        FollowerKey.DEFAULT_HOLD)),
                null);
        StorageServer server = new StorageServer(config(Objects.requireNonNull(folder).resolve("leader"), settings));
        server.start();
        ListenSockets doors = ListenSockets
                .bind(List.of(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0)));
        FeedServer door = new FeedServer(settings, server.node().orElseThrow());
        int port = ((InetSocketAddress) door.start(doors).getFirst()).getPort();
        leader = server;
        feed = door;
        place = new ReplicationSettings.Upstream("127.0.0.1", port, LEADER.publicKey());
    }

    @AfterEach
    void end() {
        Objects.requireNonNull(feed).close();
        Objects.requireNonNull(leader).close();
    }

    private StorageServer leader() {
        return Objects.requireNonNull(leader);
    }

    private ReplicationSettings.Upstream place() {
        return Objects.requireNonNull(place);
    }

    private static Digest digest(int n) {
        long[] words = new long[Digest.WORDS];
        Arrays.fill(words, n * 0x9E3779B97F4A7C15L);
        return Digest.ofWords(words, 0);
    }

    private void learn(int n, int flag, int weight) throws IOException {
        try (UdpClient client = new UdpClient(leader().addresses().getFirst())) {
            assertThat(client.write(digest(n), flag, weight, null).isMatch()).isTrue();
        }
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what).atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    /** Starts a follower with a copy of the leader. */
    private StorageServer follow(KeyPair pair, BackendKind kind) throws Exception {
        return follow(pair, kind, place(), FeedClient::to);
    }

    private StorageServer follow(KeyPair pair, BackendKind kind, ReplicationSettings.Upstream from,
            Transport.Factory transports) throws Exception {
        StorageConfig config = config(Objects.requireNonNull(folder).resolve(kind.name()),
                settings(pair, List.of(), from)).withBackend(kind);
        StorageServer empty = new StorageServer(config, transports);
        empty.start();
        empty.node().orElseThrow().copyReady().get(1, TimeUnit.MINUTES);
        empty.close();
        StorageServer follower = new StorageServer(config, transports);
        follower.start();
        return follower;
    }

    private void awaitCaughtUp(StorageServer follower) {
        long wanted = leader().stats().engine().revision();
        await("the follower has caught up", () -> follower.stats().engine().revision() >= wanted
                && follower.stats().replication().orElseThrow().troubles().isEmpty());
    }

    private static List<String> flags(StorageServer server, int n) {
        return server.find(digest(n)).stream().map(FeedServerTest::text).toList();
    }

    private static String text(FlagValue value) {
        return value.flag() + "=" + value.value();
    }

    /** What comes with the copy and what comes later is filtered alike. */
    @Test
    void aCustomerGetsItsFlagsUnderItsNumbers() throws Exception {
        learn(1, 11, 7);
        learn(2, 12, 4);
        learn(3, 99, 50);
        learn(4, 12, 9);
        learn(4, 99, 50);
        try (StorageServer customer = follow(CUSTOMER, BackendKind.SQLITE)) {
            learn(5, 11, 7);
            learn(6, 11, 4);
            learn(7, 99, 50);
            learn(1, 11, 10);
            awaitCaughtUp(customer);
            assertThat(flags(customer, 1)).containsExactly("1=17");
            assertThat(flags(customer, 4)).containsExactly("2=9");
            assertThat(flags(customer, 5)).containsExactly("1=7");
            for (int absent : new int[]{2, 3, 6, 7}) {
                assertThat(flags(customer, absent)).as("hash %d", absent).isEmpty();
            }
            assertThat(customer.stats().engine().hashes()).isEqualTo(3);
            // A customer cannot stop its provider.
            Message claim = new Message.Pull(1, new LeaderEpoch(99, 1, 1, false), 1, 1, 1, 0);
            Message answer = Message.read(FeedClient.to(place(), CUSTOMER).ask(Message.write(claim)));
            assertThat(answer).isInstanceOf(Message.Refused.class);
            Message update = new Message.Forward(1, 0, 1, List.of());
            assertThat(Message.read(FeedClient.to(place(), CUSTOMER).ask(Message.write(update))))
                    .isInstanceOf(Message.Refused.class);
            assertThat(leader().node().orElseThrow().status().part()).isEqualTo(Role.Part.LEADER);
        }
    }

    @Test
    void aStandbyIsTheSame() throws Exception {
        learn(1, 11, 7);
        try (StorageServer standby = follow(STANDBY, BackendKind.STORE)) {
            learn(1, 12, 4);
            awaitCaughtUp(standby);
            assertThat(flags(standby, 1)).isEqualTo(flags(leader(), 1)).hasSize(2);
            try (UdpClient client = new UdpClient(standby.addresses().getFirst())) {
                assertThat(client.write(digest(2), 3, 4, null).isMatch()).isTrue();
            }
            assertThat(flags(leader(), 2)).containsExactly("3=4");
            awaitCaughtUp(standby);
            assertThat(flags(standby, 2)).containsExactly("3=4");
            await("the leader sees no lag", () -> leader().node().orElseThrow().status().followers().stream()
                    .anyMatch(follower -> follower.name().equals("standby") && follower.behind() == 0));
            // Only a question of the leader's own process is taken, and only once.
            FeedClient way = FeedClient.to(place(), STANDBY);
            assertThat(Message.read(way.ask(Message.write(new Message.Forward(1, 0, 1, List.of())))))
                    .isInstanceOf(Message.Refused.class);
            // It claims a higher epoch, and is believed.
            way.ask(Message.write(new Message.Pull(1, new LeaderEpoch(99, 1, 1, false), 1, 1, 1, 0)));
            await("the leader is fenced", () -> leader().node().orElseThrow().status().part() == Role.Part.FENCED);
            try (UdpClient client = new UdpClient(leader().addresses().getFirst())) {
                assertThat(client.write(digest(3), 3, 4, null).isMatch()).isFalse();
            }
        }
    }

    /**
     * The leader loses its power in the middle of an answer, and the connection stays open. The follower is promoted
     * meanwhile, and tells the leader of it when that is back.
     */
    @Test
    @Tag("slow")
    void aLeaderThatStopsInTheMiddleIsFencedLater() throws Exception {
        learn(1, 11, 7);
        try (HangingLine line = HangingLine.to(place());
                StorageServer standby = follow(STANDBY, BackendKind.STORE, line.place(),
                        (leaderPlace, own) -> FeedClient
                                .to(leaderPlace, own, Duration.ofSeconds(4), Duration.ofSeconds(30)))) {
            awaitCaughtUp(standby);
            line.hang();
            await("an answer stops", line::isHanging);
            standby.node().orElseThrow().promote(false);
            line.work();
            await("the old leader is fenced", () -> leader().node().orElseThrow().status().part() == Role.Part.FENCED);
        }
    }

    @Test
    void strangersGetNothing() throws Exception {
        KeyPair stranger = KeyPair.generate(new SecureRandom());
        byte[] question = Message.write(new Message.Fetch(1, 0, 0));
        assertThatThrownBy(() -> FeedClient.to(place(), stranger).ask(question)).isInstanceOf(IOException.class)
                .hasMessageContaining("403");
        // The key of a follower is public, and does not suffice.
        KeyPair forged = new KeyPair(STANDBY.publicKey(), stranger.secret());
        assertThatThrownBy(() -> FeedClient.to(place(), forged).ask(question)).isInstanceOf(IOException.class)
                .hasMessageContaining("403");
        ReplicationSettings.Upstream wrong = new ReplicationSettings.Upstream("127.0.0.1", place().port(),
                stranger.publicKey());
        assertThatThrownBy(() -> FeedClient.to(wrong, STANDBY).ask(question)).isInstanceOf(IOException.class)
                .hasMessageContaining("403");
        assertThatThrownBy(() -> FeedClient.to(place(), STANDBY).ask(new byte[]{1})).isInstanceOf(IOException.class)
                .hasMessageContaining("400");
        assertThat(Objects.requireNonNull(feed).metrics()).anySatisfy(metric -> {
            assertThat(metric.name()).isEqualTo("weir_feed_refused");
            assertThat(metric.samples().getFirst().value()).isEqualTo(4);
        });
    }
}
