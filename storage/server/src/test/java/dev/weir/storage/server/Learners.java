package dev.weir.storage.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import dev.weir.storage.Samples;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.Generation;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.reply.Reply;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients that send updates as fast as they are answered and record the acknowledged ones, across restarts of a
 * storage. The last update before a crash may be stored or lost, because it was not acknowledged.
 */
final class Learners {
    private static final int CLIENTS = 4;
    private static final int DIGESTS_PER_CLIENT = 60;

    /** How long a client waits before it looks whether the server is still alive. */
    private static final int TIMEOUT_MILLIS = 1_000;
    /** How often it looks. A sync of a busy disk takes seconds. */
    private static final int LOOKS = 60;

    private static final class Learner {
        final Map<Integer, Long> acknowledged = new HashMap<>();
        int openDigest = -1;
        int openWeight;
    }

    private final List<Learner> learners = new ArrayList<>();
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    Learners() {
        for (int c = 0; c < CLIENTS; c++) {
            learners.add(new Learner());
        }
    }

    /** Returns the number of acknowledged updates. */
    long acknowledged() {
        return acknowledged.get();
    }

    /** Returns the number of refused updates. */
    long refused() {
        return refused.get();
    }

    /**
     * Sends updates until {@code killTime} returns true, then kills the server. Polls {@code killTime} continuously.
     */
    void learnUntilKilled(CrashingServer server, SplittableRandom random, BooleanSupplier killTime) throws Exception {
        try (ExecutorService pool = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int c = 0; c < CLIENTS; c++) {
                int client = c;
                SplittableRandom own = random.split();
                running.add(pool.submit(() -> {
                    learn(server, client, own);
                    return true;
                }));
            }
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!killTime.getAsBoolean()) {
                assertThat(System.nanoTime()).as("updates make no progress").isLessThan(deadline);
                assertThat(server.isAlive()).isTrue();
                Thread.onSpinWait();
            }
            server.kill();
            for (Future<?> future : running) {
                future.get();
            }
        }
    }

    private void learn(CrashingServer server, int client, SplittableRandom random) throws IOException {
        Learner learner = learners.get(client);
        try (UdpClient udp = new UdpClient(server.address(), "127.0.0.1", TIMEOUT_MILLIS)) {
            while (true) {
                int digest = client * DIGESTS_PER_CLIENT + random.nextInt(DIGESTS_PER_CLIENT);
                int weight = 1 + random.nextInt(100);
                learner.openDigest = digest;
                learner.openWeight = weight;
                udp.send(Generation.V4, CommandCode.WRITE, Samples.digest(digest), 1, weight, Samples.shingles(digest));
                Optional<Reply> reply = answer(udp, server);
                if (reply.isEmpty()) {
                    return;
                }
                if (reply.get().isMatch()) {
                    learner.acknowledged.merge(digest, (long) weight, Long::sum);
                    acknowledged.incrementAndGet();
                } else {
                    refused.incrementAndGet();
                }
                learner.openDigest = -1;
            }
        }
    }

    /** Returns the answer, or nothing if the server is dead. */
    private static Optional<Reply> answer(UdpClient udp, CrashingServer server) throws IOException {
        for (int look = 0; look < LOOKS; look++) {
            // Asked before the wait: what a server sent before its end is in the buffer of the socket.
            boolean alive = server.isAlive();
            try {
                return Optional.of(udp.receive().orElseThrow());
            } catch (SocketTimeoutException e) {
                if (!alive) {
                    return Optional.empty();
                }
            }
        }
        throw new AssertionError("the server is alive and does not answer");
    }

    /** Checks that each acknowledged update is stored with its exact value and found by digest and shingles. */
    void verify(InetSocketAddress address) throws IOException {
        try (UdpClient udp = new UdpClient(address)) {
            for (Learner learner : learners) {
                if (learner.openDigest >= 0) {
                    long before = learner.acknowledged.getOrDefault(learner.openDigest, 0L);
                    long value = udp.check(Samples.digest(learner.openDigest), null).value();
                    assertThat(value).isIn(before, before + learner.openWeight);
                    learner.acknowledged.put(learner.openDigest, value);
                    learner.openDigest = -1;
                }
                for (Map.Entry<Integer, Long> entry : learner.acknowledged.entrySet()) {
                    Reply exact = udp.check(Samples.digest(entry.getKey()), null);
                    assertThat((long) exact.value()).as("digest %d", entry.getKey()).isEqualTo(entry.getValue());
                    if (entry.getValue() > 0) {
                        Reply similar = udp.check(Samples.digest(-1), Samples.shingles(entry.getKey()));
                        assertThat(similar.digest()).isEqualTo(Samples.digest(entry.getKey()).toBytes());
                    }
                }
            }
        }
    }
}
