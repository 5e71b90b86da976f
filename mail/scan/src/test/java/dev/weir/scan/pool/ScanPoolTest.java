package dev.weir.scan.pool;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.MailHasher;
import dev.weir.scan.OverloadedException;
import dev.weir.scan.pool.ScanPool.Source;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class ScanPoolTest {
    private static final int WIDTH = 2;
    private static final int LARGE = ScanPool.LARGE + 1;
    private static final int HUGE = ScanPool.HUGE + 1;

    private static final MailHasher HASHER = MailHasher.standard();

    private final ScanPool pool = ScanPool.start(WIDTH, 8);
    private final ScanLane http = pool.lane(Source.HTTP);
    private final ScanLane milter = pool.lane(Source.MILTER);
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void end() {
        gate.countDown();
        pool.close();
    }

    /** Work that takes until the gate opens. */
    private boolean slow() {
        try {
            return gate.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitRunning(ScanLane lane, int number) {
        await().pollInterval(Duration.ofMillis(1)).until(() -> lane.running() == number);
    }

    @Test
    void workRunsOnAnOrdinaryThreadAndItsResultComesBack() throws Exception {
        assertThat(http.compute(1, () -> Thread.currentThread().isVirtual()).get()).isFalse();
        assertThat(http.submit(1, () -> CompletableFuture.completedFuture("answer")).get()).isEqualTo("answer");
        assertThat(http.admitted()).isEqualTo(2);
    }

    @Test
    void errorsReachTheCallerAndTheThreadsStay() {
        for (int i = 0; i < 3 * pool.threads(); i++) {
            CompletableFuture<Object> failed = milter.compute(1, () -> {
                throw new StackOverflowError("deep");
            });
            assertThatThrownBy(failed::get).hasCauseInstanceOf(StackOverflowError.class);
        }
        assertThat(milter.compute(1, () -> 7).join()).isEqualTo(7);
    }

    @Test
    void aSmallMailPassesLargeOnesThatOccupyTheSource() {
        for (int i = 0; i < 5; i++) {
            var _ = http.compute(LARGE, this::slow);
        }
        awaitRunning(http, WIDTH);

        assertThat(http.compute(100, () -> "small").join()).isEqualTo("small");
        // The small mail answers a moment before its thread is free again.
        awaitRunning(http, WIDTH);
        assertThat(http.waiting()).isEqualTo(3);
    }

    @Test
    void aFloodAtTwoSourcesLeavesAThreadForTheThird() {
        for (int i = 0; i < 6; i++) {
            var _ = http.compute(LARGE, this::slow);
            var _ = pool.lane(Source.TRAP).compute(100, this::slow);
        }
        awaitRunning(http, WIDTH);
        awaitRunning(pool.lane(Source.TRAP), WIDTH);

        assertThat(milter.compute(HUGE, () -> "milter").join()).isEqualTo("milter");
        assertThat(pool.lane(Source.AFTERWARDS).compute(0, () -> "guard").join()).isEqualTo("guard");
    }

    @Test
    void sourcesTakeTurns() {
        Semaphore ends = new Semaphore(0, true);
        AtomicInteger begun = new AtomicInteger();
        try (ScanPool wide = ScanPool.start(4, 100)) {
            List<ScanLane> lanes = List.of(wide.lane(Source.HTTP), wide.lane(Source.MILTER));
            for (ScanLane lane : lanes) {
                for (int i = 0; i < 40; i++) {
                    var _ = lane.compute(1, () -> {
                        begun.incrementAndGet();
                        ends.acquireUninterruptibly();
                        return true;
                    });
                }
                int share = lane.equals(lanes.getFirst()) ? 4 : 2;
                awaitRunning(lane, share);
            }
            // The first one has its whole width, and the second one what the sources without mails leave.
            for (int ended = 0; ended < 16; ended++) {
                int before = ended;
                await().pollInterval(Duration.ofMillis(1)).until(() -> begun.get() == 6 + before);
                ends.release();
            }
            await().pollInterval(Duration.ofMillis(1)).until(() -> begun.get() == 22);

            assertThat(lanes).extracting(ScanLane::running).containsExactly(3, 3);
            ends.release(100);
        }
    }

    /** A thread wakes only for a mail that may start, so a forgotten wake-up would leave mails in their queue. */
    @Test
    void everyMailStartsInAnyMixOfSizesAndSources() {
        Random random = new Random(5);
        List<Integer> sizes = List.of(1, 1, 1, LARGE, HUGE);
        try (ScanPool wide = ScanPool.start(WIDTH, 2_000)) {
            List<CompletableFuture<Integer>> all = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                int size = sizes.get(random.nextInt(sizes.size()));
                ScanLane lane = wide.lanes().get(random.nextInt(wide.lanes().size()));
                int rest = i % 50 == 0 ? 200 : 0;
                all.add(lane.compute(size, () -> {
                    LockSupport.parkNanos(rest * 1_000L);
                    return size;
                }));
                if (i % 100 == 99) {
                    all.forEach(CompletableFuture::join);
                }
            }
            assertThat(wide.lanes()).allSatisfy(lane -> assertThat(lane.waiting()).isZero());
            assertThat(all).hasSize(2_000).allMatch(CompletableFuture::isDone);
        }
    }

    @Test
    void atMostTwoHugeMailsOfASourceRunAtATime() throws Exception {
        try (ScanPool wide = ScanPool.start(6, 100)) {
            AtomicInteger now = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                all.add(wide.lane(Source.HTTP).compute(HUGE, () -> {
                    most.accumulateAndGet(now.incrementAndGet(), Math::max);
                    HASHER.analyze(new byte[1000]);
                    return now.decrementAndGet();
                }));
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get();
            assertThat(most.get()).isBetween(1, 2);
        }
    }

    @Test
    void aFullQueueRefusesAndCounts() {
        for (int i = 0; i < WIDTH; i++) {
            var _ = http.compute(1, this::slow);
        }
        awaitRunning(http, WIDTH);
        List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            waiting.add(http.compute(1, this::slow));
        }
        assertThat(waiting).noneMatch(CompletableFuture::isDone);

        assertThatThrownBy(http.compute(1, this::slow)::get).hasCauseInstanceOf(OverloadedException.class);
        assertThat(http.refused()).isOne();
        // Another source has its own queue.
        assertThat(milter.compute(1, () -> 1).join()).isOne();

        waiting.getFirst().cancel(true);
        assertThat(http.waiting()).isEqualTo(7);
        assertThat(http.abandoned()).isOne();
        assertThat(http.compute(1, this::slow).isDone()).isFalse();
    }

    @Test
    void aMailThatIsGivenUpWhileItWaitsIsNotHashed() {
        for (int i = 0; i < WIDTH; i++) {
            var _ = http.compute(1, this::slow);
        }
        awaitRunning(http, WIDTH);
        AtomicInteger hashed = new AtomicInteger();
        CompletableFuture<Integer> waiting = http.compute(1, hashed::incrementAndGet);
        waiting.cancel(true);
        gate.countDown();

        assertThat(http.compute(1, () -> 1).join()).isOne();
        assertThat(hashed.get()).isZero();
    }

    @Test
    void hashingEndsSoonAfterItsClientHasGone() {
        byte[] mail = ("Content-Type: text/html\r\n\r\n"
                + "<p>some <b>words</b> of a long page</p>\r\n".repeat(400_000))
                .getBytes(StandardCharsets.ISO_8859_1);
        MailHasher hasher = HASHER.withLimit(Duration.ofMinutes(5));
        CompletableFuture<AnalyzedMail> hashing = http.compute(mail.length, () -> hasher.analyze(mail));
        awaitRunning(http, 1);
        long start = System.nanoTime();
        hashing.cancel(true);
        awaitRunning(http, 0);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void workAfterAnswersRunsAtOnceOnAThreadOfThePoolAndElsewhereOnOneOfThem() throws Exception {
        CompletableFuture<Thread> other = new CompletableFuture<>();
        pool.afterwards().execute(() -> other.complete(Thread.currentThread()));
        assertThat(other.get().getName()).startsWith("weir-hash-");

        assertThat(http.compute(1, () -> {
            CompletableFuture<Thread> same = new CompletableFuture<>();
            pool.afterwards().execute(() -> same.complete(Thread.currentThread()));
            return same.getNow(other.join()).equals(Thread.currentThread());
        }).get()).isTrue();
    }

    @Test
    void aClosedPoolRefusesWhatWaitsAndWhatComes() {
        for (int i = 0; i < WIDTH; i++) {
            var _ = http.compute(1, this::slow);
        }
        awaitRunning(http, WIDTH);
        CompletableFuture<Boolean> waiting = http.compute(1, this::slow);
        pool.close();

        assertThatThrownBy(waiting::get).hasCauseInstanceOf(OverloadedException.class);
        assertThatThrownBy(http.compute(1, this::slow)::get).hasCauseInstanceOf(OverloadedException.class);
    }
}
