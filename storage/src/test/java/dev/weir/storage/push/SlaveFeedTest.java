package dev.weir.storage.push;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.push.PushIntake.Result;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static dev.weir.storage.push.PushedNode.digest;
import static org.assertj.core.api.Assertions.assertThat;

/** The side of a master, with a slave of Weir behind a transport that loses requests and answers. */
class SlaveFeedTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder = Path.of("");

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what).atMost(LIMIT).pollInterval(Duration.ofMillis(1)).until(condition);
    }

    private static PushTransport.Reply deliver(PushedNode slave, String name, byte[] body) {
        PushIntake.Answer answer = slave.take(name, body);
        int status = switch (answer.result()) {
            case APPLIED -> 200;
            case OLDER -> 409;
            case MALFORMED -> 400;
            case FAILED -> 503;
        };
        return new PushTransport.Reply(status, answer.revision());
    }

    private static boolean isDone(PushedNode master) {
        return master.push.status().slaves().stream().allMatch(slave -> slave.behind() == 0);
    }

    @Test
    void whatIsLeftFollowsARemoval() throws Exception {
        List<PushedUpdates> sent = new ArrayList<>();
        AtomicReference<PushedNode> slave = new AtomicReference<>();
        try (PushedNode there = PushedNode.started(folder.resolve("slave"), PushedNode.slave(Map.of()), (s, h, b) -> {
            throw new AssertionError("nothing is sent");
        }); PushedNode master = PushedNode.started(folder.resolve("master"), PushedNode.master("s"), (s, h, body) -> {
            synchronized (sent) {
                sent.add(read(body));
            }
            return deliver(slave.get(), s.name(), body);
        })) {
            slave.set(there);
            long[] shingles = new long[Signature.SLOTS];
            java.util.Arrays.setAll(shingles, i -> i * 7L);
            Signature signature = Signature.of(shingles, 0);
            master.engine.apply(new Update.Write(digest(1), 1, 4, master.engine.hashes().now() / 1_000, signature))
                    .join();
            master.write(digest(1), 2, 6);
            await("the slave has both", () -> there.flags(digest(1)).equals(Map.of(1, 4L, 2, 6L)));
            master.engine.apply(new Update.Delete(digest(1), 1)).join();
            await("the slave has one", () -> isDone(master));
            assertThat(there.flags(digest(1))).isEqualTo(Map.of(2, 6L));
            PushedUpdates last;
            synchronized (sent) {
                last = sent.getLast();
            }
            assertThat(last.elements()).extracting(PushedUpdates.Element::command)
                    .containsExactly(PushedUpdates.DELETE, PushedUpdates.ADD);
            assertThat(last.elements().getLast().signature()).as("the slave of Rspamd removed the shingles as well")
                    .isEqualTo(signature);
        }
    }

    @Test
    void anUnexpectedFailureDoesNotEndTheFeed() throws Exception {
        AtomicReference<PushedNode> slave = new AtomicReference<>();
        AtomicInteger pushes = new AtomicInteger();
        try (PushedNode there = PushedNode.started(folder.resolve("slave"), PushedNode.slave(Map.of()), (s, h, b) -> {
            throw new AssertionError("nothing is sent");
        }); PushedNode master = PushedNode.started(folder.resolve("master"), PushedNode.master("s"), (s, h, body) -> {
            if (pushes.getAndIncrement() == 0) {
                throw new IllegalStateException("of the test");
            }
            return deliver(slave.get(), s.name(), body);
        })) {
            slave.set(there);
            master.write(digest(1), 1, 4);
            await("the slave has it", () -> there.flags(digest(1)).equals(Map.of(1, 4L)));
            await("the master knows", () -> isDone(master));
            assertThat(master.push.status().slaves().getFirst().failures()).isOne();
        }
    }

    private static PushedUpdates read(byte[] body) {
        try {
            return PushedUpdates.read(body);
        } catch (PushException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Requests and answers get lost, both sides restart in the middle of everything, and in the end the slave has
     * exactly what the master has.
     */
    @Test
    void theSlaveHasWhatTheMasterHasWhateverGetsLost() throws Exception {
        for (long seed = 1; seed <= 2; seed++) {
            Random random = new Random(seed);
            Path here = folder.resolve("run-" + seed);
            AtomicReference<PushedNode> slave = new AtomicReference<>();
            PushTransport lossy = (s, h, body) -> {
                synchronized (random) {
                    int luck = random.nextInt(4);
                    if (luck == 0) {
                        throw new IOException("the request is lost");
                    }
                    PushTransport.Reply reply = deliver(slave.get(), s.name(), body);
                    if (luck == 1) {
                        throw new IOException("the answer is lost");
                    }
                    return reply;
                }
            };
            PushSettings settings = PushedNode.slave(Map.of());
            slave.set(PushedNode.started(here.resolve("slave"), settings, lossy));
            PushedNode master = PushedNode.started(here.resolve("master"), PushedNode.master("s"), lossy);
            try {
                Random updates = new Random(seed);
                for (int i = 0; i < 200; i++) {
                    Digest digest = digest(updates.nextInt(20));
                    if (updates.nextInt(4) == 0) {
                        master.engine.apply(new Update.Delete(digest, updates.nextInt(3))).join();
                    } else {
                        master.write(digest, updates.nextInt(3), 1 + updates.nextInt(9));
                    }
                    if (updates.nextInt(60) == 0) {
                        master.close();
                        master = PushedNode.started(here.resolve("master"), PushedNode.master("s"), lossy);
                    }
                    if (updates.nextInt(60) == 0) {
                        synchronized (random) {
                            slave.get().close();
                            slave.set(PushedNode.started(here.resolve("slave"), settings, lossy));
                        }
                    }
                }
                PushedNode last = master;
                await("seed " + seed, () -> isDone(last));
                for (int i = 0; i < 20; i++) {
                    assertThat(slave.get().flags(digest(i))).as("seed %s, hash %s", seed, i)
                            .isEqualTo(master.flags(digest(i)));
                }
            } finally {
                master.close();
                slave.get().close();
            }
        }
    }

    /** A slave that has a later number of this name refuses, and the master goes on above it. */
    @Test
    void goesOnAboveTheNumberOfTheSlave() throws Exception {
        AtomicReference<PushedNode> slave = new AtomicReference<>();
        try (PushedNode there = PushedNode.started(folder.resolve("slave"), PushedNode.slave(Map.of()), (s, h, b) -> {
            throw new AssertionError("nothing is sent");
        });
                PushedNode master = PushedNode.started(folder.resolve("master"), PushedNode.master("s"),
                        (s, h, body) -> deliver(slave.get(), s.name(), body))) {
            slave.set(there);
            assertThat(there.take("s", new PushedUpdates(500, List.of()).write()).result()).isEqualTo(Result.APPLIED);
            master.write(digest(1), 1, 4);
            await("the slave has it", () -> isDone(master));
            assertThat(there.flags(digest(1))).isEqualTo(Map.of(1, 4L));
            assertThat(there.intake().figures().sources()).isEqualTo(Map.of("s", 501L));
            assertThat(master.push.status().slaves().getFirst().refusals()).isEqualTo(1);
        }
    }

    /** The updates of one batch that was sent, and perhaps taken, are sent again under the same number. */
    @Test
    void repeatsABatchUnderItsNumberAfterARestart() throws Exception {
        List<Long> numbers = new ArrayList<>();
        AtomicInteger losses = new AtomicInteger(1_000_000);
        PushTransport once = (s, h, body) -> {
            synchronized (numbers) {
                numbers.add(read(body).revision());
            }
            if (losses.getAndDecrement() > 0) {
                throw new IOException("the answer is lost");
            }
            return new PushTransport.Reply(409, 1);
        };
        Path place = folder.resolve("master");
        try (PushedNode master = PushedNode.open(place, PushedNode.master("s"), once)) {
            master.write(digest(1), 1, 4);
            master.push.start((_, _) -> {});
            await("the first attempt", () -> {
                synchronized (numbers) {
                    return !numbers.isEmpty();
                }
            });
        }
        losses.set(0);
        int before;
        synchronized (numbers) {
            before = numbers.size();
        }
        try (PushedNode master = PushedNode.started(place, PushedNode.master("s"), once)) {
            await("the slave has it", () -> isDone(master));
            assertThat(master.push.status().slaves().getFirst().revision()).isEqualTo(1);
        }
        synchronized (numbers) {
            assertThat(numbers).hasSizeGreaterThan(before).containsOnly(1L);
        }
    }

    /** A slave of Rspamd answers 200 also if it refuses a batch; its checks tell the truth. */
    @Test
    void doesNotBelieveASuccessThatLeavesNothing() throws Exception {
        StorageConfig config = StorageConfig.of(folder.resolve("slave"))
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withPush(PushedNode.slave(Map.of()));
        List<Long> numbers = new ArrayList<>();
        try (StorageServer slave = new StorageServer(config)) {
            int port = slave.start().getPort();
            PushTransport rspamd = (s, h, body) -> {
                long number = read(body).revision();
                synchronized (numbers) {
                    numbers.add(number);
                }
                if (number > 40) {
                    slave.push().orElseThrow().intake().orElseThrow().take(s.name(), PushedNode.MASTER,
                            PushedNode.PAIR.publicKey(), body);
                }
                return new PushTransport.Reply(200, -1);
            };
            try (PushedNode master = PushedNode.started(folder.resolve("master"), PushedNode.master("s", port),
                    rspamd)) {
                master.write(digest(1), 1, 4);
                await("the slave has it", () -> isDone(master));
                assertThat(slave.find(digest(1))).hasSize(1);
                assertThat(master.push.status().slaves().getFirst().refusals()).isPositive();
                long before = master.push.status().slaves().getFirst().unproven();
                // A hash that the slave has already proves nothing.
                master.write(digest(1), 1, 2);
                await("the slave has that as well", () -> isDone(master));
                assertThat(slave.find(digest(1)).getFirst().value()).isEqualTo(6);
                assertThat(master.push.status().slaves().getFirst().unproven()).isEqualTo(before + 1);
            }
        }
        synchronized (numbers) {
            assertThat(numbers).startsWith(1L).isSorted();
        }
    }
}
