package dev.weir.cli.serve;

import java.io.IOException;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import dev.weir.cli.serve.ServeProcess.Node;
import dev.weir.model.Digest;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Nodes as separate processes, which are killed (SIGKILL) while clients learn. */
@Tag("slow")
class ReplicationTest {
    private static final int LEARNERS = 8;

    @TempDir
    private @Nullable Path folder;

    private @Nullable Node first;
    private @Nullable Node second;

    /** The digests that were acknowledged, each learned once. */
    private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicLong next = new AtomicLong();

    @BeforeEach
    void nodes() throws IOException {
        SecureRandom random = new SecureRandom();
        Path root = Objects.requireNonNull(folder);
        first = Node.in(root.resolve("first"), KeyPair.generate(random));
        second = Node.in(root.resolve("second"), KeyPair.generate(random));
    }

    private Node first() {
        return Objects.requireNonNull(first);
    }

    private Node second() {
        return Objects.requireNonNull(second);
    }

    private static Digest digest(long number) {
        SplittableRandom random = new SplittableRandom(number);
        long[] words = new long[Digest.WORDS];
        for (int i = 0; i < words.length; i++) {
            words[i] = random.nextLong();
        }
        return Digest.ofWords(words, 0);
    }

    private static long[] shingles(long number) {
        return new SplittableRandom(~number).longs(32).toArray();
    }

    /** Clients that learn as fast as they get replies, until they get none. */
    private List<FutureTask<Void>> learners(Node node) {
        List<FutureTask<Void>> learners = new ArrayList<>();
        for (int i = 0; i < LEARNERS; i++) {
            FutureTask<Void> learner = new FutureTask<>(() -> {
                try (UdpClient client = new UdpClient(node.address(), "127.0.0.1", 5_000)) {
                    while (true) {
                        long number = next.incrementAndGet();
                        Reply reply = client.write(digest(number), 1, 3, shingles(number));
                        if (reply.isMatch()) {
                            acknowledged.add(number);
                        }
                    }
                } catch (SocketTimeoutException | PortUnreachableException e) {
                    // The node was killed.
                    return null;
                }
            });
            Thread.ofPlatform().daemon().start(learner);
            learners.add(learner);
        }
        return learners;
    }

    /** Waits for a number of learns, or for the end of a learner, which ends only with the node. */
    private void awaitAcknowledged(List<FutureTask<Void>> learners, long count) {
        await("%d learns".formatted(count)).atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(5))
                .until(() -> acknowledged.size() >= count || learners.stream().anyMatch(FutureTask::isDone));
        assertThat(acknowledged).hasSizeGreaterThanOrEqualTo((int) count);
    }

    private static void awaitEnd(List<FutureTask<Void>> learners) throws Exception {
        for (FutureTask<Void> learner : learners) {
            learner.get(60, TimeUnit.SECONDS);
        }
    }

    private void checkAll(Node node) throws IOException {
        try (UdpClient client = new UdpClient(node.address(), "127.0.0.1", 20_000)) {
            for (long number : acknowledged) {
                assertThat(client.check(digest(number), null).value()).as("hash %d", number).isEqualTo(3);
            }
        }
    }

    /** The standby becomes the leader and has everything. The old leader comes back and follows it. */
    @Test
    void whatWasAcknowledgedAsReplicatedSurvivesTheKillOfTheLeader() throws Exception {
        String ack = "acknowledge = \"replicated\";";
        first().configure(ack, first().followedBy("second", second(), "learns = true;"));
        second().configure(ack + " backend = \"store\";", Node.following(first())
                + second().followedBy("first", first(), "learns = true;"));
        try (ServeProcess leader = ServeProcess.start(first()); ServeProcess standby = ServeProcess.start(second())) {
            standby.awaitFollowing(0);
            List<FutureTask<Void>> learners = learners(first());
            awaitAcknowledged(learners, 3_000);
            leader.kill();
            awaitEnd(learners);
            assertThat(standby.ask("/promote").path("status").asInt(-1)).isZero();
            assertThat(standby.ask("/promote").path("error").asString("")).contains("leads already");
            checkAll(second());

            first().configure(ack, Node.following(second()) + first().followedBy("second", second(), "learns = true;"));
            leader.restart();
            long last = standby.ask("/status").path("revision").asLong(0);
            leader.awaitFollowing(last);
            checkAll(first());
            // A follower passes learns on, and they are acknowledged when both have them.
            try (UdpClient client = new UdpClient(first().address(), "127.0.0.1", 20_000)) {
                long number = next.incrementAndGet();
                assertThat(client.write(digest(number), 1, 3, shingles(number)).isMatch()).isTrue();
                acknowledged.add(number);
            }
            leader.awaitFollowing(last + 1);
            checkAll(first());
            checkAll(second());
        }
    }

    /** It has entered the epoch of its leader, but lacks updates from before it, and the leader is gone. */
    @Test
    void aStandbyThatLacksUpdatesFromBeforeItsEpochIsNotPromoted() throws Exception {
        first().configure("", first().followedBy("second", second(), ""));
        second().configure("", Node.following(first()));
        try (ServeProcess leader = ServeProcess.start(first()); ServeProcess standby = ServeProcess.start(second())) {
            standby.awaitFollowing(0);
            standby.kill();
            List<FutureTask<Void>> learners = learners(first());
            // More than one answer of a leader has.
            awaitAcknowledged(learners, 8_000);
            leader.kill();
            awaitEnd(learners);
            first().configure("", Node.following(second()) + first().followedBy("second", second(), ""));
            leader.restart();
            leader.awaitReady();
            assertThat(leader.ask("/promote").path("status").asInt(-1)).isZero();
            try (FailingLine line = new FailingLine(first().feed(), 1 << 20)) {
                second().configure("", Node.following(first(), line.port()));
                standby.restart();
                standby.await("a part of the updates", status -> status.path("epoch").asString("").startsWith("2-")
                        && status.path("revision").asLong(0) > 0);
                JsonNode refused = standby.ask("/promote");
                assertThat(refused.path("status").asInt(-1)).isPositive();
                assertThat(refused.path("error").asString("")).contains("promote a node that has them");
                assertThat(standby.ask("/status").path("part").asString("")).isEqualTo("follower");
                assertThat(standby.ask("/promote?lossy=true").path("status").asInt(-1)).isZero();
                assertThat(standby.ask("/status").path("part").asString("")).isEqualTo("leader");
            }
        }
    }

    /** The follower goes on where it was, and a leader that comes back under its old epoch takes no updates. */
    @Test
    void aKilledFollowerGoesOnAndAnOldLeaderIsFenced() throws Exception {
        first().configure("", first().followedBy("second", second(), ""));
        second().configure("", Node.following(first()) + " learns = \"refuse\";");
        try (ServeProcess leader = ServeProcess.start(first()); ServeProcess standby = ServeProcess.start(second())) {
            standby.awaitFollowing(0);
            List<FutureTask<Void>> learners = learners(first());
            for (int kill = 0; kill < 3; kill++) {
                awaitAcknowledged(learners, acknowledged.size() + 700L);
                standby.restart();
            }
            awaitAcknowledged(learners, acknowledged.size() + 300L);
            leader.kill();
            awaitEnd(learners);
            leader.restart();
            leader.awaitReady();
            standby.awaitFollowing(leader.ask("/status").path("revision").asLong(0));
            checkAll(first());
            checkAll(second());
            assertThat(standby.log()).filteredOn(line -> line.contains("starts from a checkpoint")).hasSize(1);
            try (UdpClient client = new UdpClient(second().address(), "127.0.0.1", 20_000)) {
                assertThat(client.write(digest(1), 1, 1, shingles(1)).isMatch()).as("a learn at a follower").isFalse();
            }

            assertThat(standby.ask("/promote").path("status").asInt(-1)).isZero();
            JsonNode fenced = leader.await("fenced", status -> status.path("part").asString("").equals("fenced"));
            assertThat(fenced.path("troubles").toString()).contains("another node leads");
            leader.restart();
            leader.awaitReady();
            assertThat(leader.ask("/status").path("part").asString("")).isEqualTo("fenced");
            try (UdpClient client = new UdpClient(first().address(), "127.0.0.1", 20_000)) {
                assertThat(client.write(digest(1), 1, 1, shingles(1)).isMatch()).as("a learn at a fenced node")
                        .isFalse();
            }
            checkAll(first());
        }
    }
}
