package dev.weir.storage.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.storage.Digest;
import dev.weir.storage.Samples;
import dev.weir.wire.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several clients learn into a process that is killed (SIGKILL) in the middle of it. After a restart every learn that
 * was acknowledged is there with its exact value; of the one learn that each client was waiting for it may be there or
 * not, since nobody was told.
 */
class CrashTest {
    private static final int ROUNDS = Integer.getInteger("weir.crash.rounds", 4);
    private static final int CLIENTS = 3;
    private static final int DIGESTS_PER_CLIENT = 40;

    /** Learns after which a round may be killed: the moment is the choice, the rest is the scheduler's. */
    private static final int MAX_LEARNS = 600;

    @TempDir
    private @Nullable Path folder;

    /** What one client knows: sums that were acknowledged, and the learn whose answer never came. */
    private static final class Learner {
        final Map<Integer, Long> acknowledged = new HashMap<>();
        int openDigest = -1;
        int openWeight;
    }

    @Test
    void whatWasAcknowledgedSurvivesTheKill() throws Exception {
        Path data = Objects.requireNonNull(folder);
        SplittableRandom random = new SplittableRandom(20_260_101);
        List<Learner> learners = new ArrayList<>();
        for (int c = 0; c < CLIENTS; c++) {
            learners.add(new Learner());
        }
        long learnt = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Process process = start(data);
            try {
                InetSocketAddress address = address(process);
                verify(address, learners);
                learnt += learnUntilKilled(process, address, learners, random);
            } finally {
                process.destroyForcibly();
                assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
            }
        }
        Process process = start(data);
        try {
            verify(address(process), learners);
        } finally {
            process.destroyForcibly();
        }
        System.out.printf("crash: %d kills, %d acknowledged learns, all there%n", ROUNDS, learnt);
        assertThat(learnt).isPositive();
    }

    private static Process start(Path data) throws IOException {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), "--enable-native-access=ALL-UNNAMED", "-Xmx256m",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", CrashTestServer.class.getName(), data.toString())
                .redirectErrorStream(true).start();
    }

    private static InetSocketAddress address(Process process) throws IOException {
        StringBuilder said = new StringBuilder();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith("port ")) {
                return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), Integer.parseInt(line.substring(5)));
            }
            said.append(line).append('\n');
        }
        throw new IOException("the storage did not start:\n" + said);
    }

    private static long learnUntilKilled(Process process, InetSocketAddress address, List<Learner> learners,
            SplittableRandom random) throws Exception {
        AtomicInteger count = new AtomicInteger();
        int killAfter = 20 + random.nextInt(MAX_LEARNS);
        CountDownLatch killTime = new CountDownLatch(1);
        try (ExecutorService pool = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int c = 0; c < CLIENTS; c++) {
                int client = c;
                SplittableRandom own = random.split();
                running.add(pool.submit(() -> {
                    learn(process, address, client, learners.get(client), own, () -> {
                        if (count.incrementAndGet() == killAfter) {
                            killTime.countDown();
                        }
                    });
                    return true;
                }));
            }
            assertThat(killTime.await(30, TimeUnit.SECONDS)).isTrue();
            process.destroyForcibly();
            for (Future<?> future : running) {
                future.get();
            }
        }
        return count.get();
    }

    private static void learn(Process process, InetSocketAddress address, int client, Learner learner,
            SplittableRandom random, Runnable acknowledged) throws IOException {
        try (UdpClient udp = new UdpClient(address, "127.0.0.1", 500)) {
            while (true) {
                int digest = client * DIGESTS_PER_CLIENT + random.nextInt(DIGESTS_PER_CLIENT);
                int weight = 1 + random.nextInt(100);
                learner.openDigest = digest;
                learner.openWeight = weight;
                Reply reply;
                try {
                    reply = udp.write(name(digest), 1, weight, Samples.shingles(digest));
                } catch (SocketTimeoutException noAnswer) {
                    // A living server answers in time; a dead one never.
                    assertThat(process.isAlive()).isFalse();
                    return;
                }
                assertThat(reply.isMatch()).isTrue();
                learner.acknowledged.merge(digest, (long) weight, Long::sum);
                learner.openDigest = -1;
                acknowledged.run();
            }
        }
    }

    private static void verify(InetSocketAddress address, List<Learner> learners) throws IOException {
        try (UdpClient udp = new UdpClient(address)) {
            for (Learner learner : learners) {
                if (learner.openDigest >= 0) {
                    long before = learner.acknowledged.getOrDefault(learner.openDigest, 0L);
                    long value = udp.check(name(learner.openDigest), null).value();
                    assertThat(value).isIn(before, before + learner.openWeight);
                    learner.acknowledged.put(learner.openDigest, value);
                    learner.openDigest = -1;
                }
                for (Map.Entry<Integer, Long> entry : learner.acknowledged.entrySet()) {
                    Reply exact = udp.check(name(entry.getKey()), null);
                    assertThat((long) exact.value()).as("digest %d", entry.getKey()).isEqualTo(entry.getValue());
                    if (entry.getValue() > 0) {
                        Reply similar = udp.check(name(-1), Samples.shingles(entry.getKey()));
                        assertThat(similar.digest()).isEqualTo(name(entry.getKey()).toBytes());
                    }
                }
            }
        }
    }

    private static Digest name(int digest) {
        return Samples.digest(digest);
    }
}
