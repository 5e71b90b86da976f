package dev.weir.http.access;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.http.server.Client;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(60)
final class GuessesTest {
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger compared = new AtomicInteger();

    @AfterEach
    void end() {
        go.countDown();
        threads.close();
    }

    private static Guesses.Guess guess(String address, int number) {
        Client client = address.isEmpty() ? Client.UNIX : Client.of(InetAddress.ofLiteral(address));
        return new Guesses.Guess(ClientNetwork.of(client), AccessLevel.READ, ByteBuffer.allocate(4).putInt(0, number));
    }

    private Future<AccessDecision> waiting(Guesses guesses, String address, int number, int most) {
        return threads.submit(() -> guesses.compare(guess(address, number), most, () -> {
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            compared.incrementAndGet();
            return AccessDecision.UNAUTHORIZED;
        }));
    }

    private static void awaitSize(Guesses guesses, int size) {
        await("%d guesses".formatted(size)).pollInterval(Duration.ofMillis(1)).until(() -> guesses.size() >= size);
    }

    @Test
    void boundsWaitingGuessesPerNetworkAndReservesPlacesForThisMachine() throws Exception {
        Guesses guesses = new Guesses(Duration.ofSeconds(50));
        List<Future<AccessDecision>> all = new ArrayList<>();
        for (int i = 0; i < 48; i++) {
            all.add(waiting(guesses, "192.0.2." + i / 8, i, 8));
            awaitSize(guesses, i + 1);
        }
        assertThat(waiting(guesses, "192.0.2.1", 100, 8).get()).isEqualTo(AccessDecision.THROTTLED);
        assertThat(waiting(guesses, "192.0.2.99", 100, 8).get()).isEqualTo(AccessDecision.BUSY);
        for (int i = 48; i < 64; i++) {
            all.add(waiting(guesses, i % 2 == 0 ? "" : "::1", i, 16));
            awaitSize(guesses, i + 1);
        }
        assertThat(waiting(guesses, "127.0.0.1", 100, 8).get()).isEqualTo(AccessDecision.BUSY);
        go.countDown();
        for (Future<AccessDecision> one : all) {
            assertThat(one.get()).isEqualTo(AccessDecision.UNAUTHORIZED);
        }
        assertThat(compared).hasValue(64);
        assertThat(guesses.size()).isZero();
        assertThat(waiting(guesses, "192.0.2.1", 1, 1).get()).as("the places are free again")
                .isEqualTo(AccessDecision.UNAUTHORIZED);
    }

    @Test
    void comparesEqualGuessesOnce() throws Exception {
        Guesses guesses = new Guesses(Duration.ofSeconds(50));
        Future<AccessDecision> first = waiting(guesses, "192.0.2.1", 1, 1);
        awaitSize(guesses, 1);
        Queue<AccessDecision> decisions = new ConcurrentLinkedQueue<>();
        List<Thread> others = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            others.add(Thread.ofVirtual().start(() -> {
                try {
                    decisions.add(guesses.compare(guess("192.0.2.1", 1), 1, () -> AccessDecision.FULL));
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        await("all others wait")
                .until(() -> others.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
        assertThat(waiting(guesses, "192.0.2.1", 2, 1).get()).as("another guess").isEqualTo(AccessDecision.THROTTLED);
        go.countDown();
        for (Thread other : others) {
            other.join();
        }
        assertThat(first.get()).isEqualTo(AccessDecision.UNAUTHORIZED);
        assertThat(decisions).hasSize(100).containsOnly(AccessDecision.UNAUTHORIZED);
        assertThat(compared).hasValue(1);
        assertThat(guesses.size()).isZero();
    }

    @Test
    void boundsTheWaitOfAGuess() throws Exception {
        Guesses guesses = new Guesses(Duration.ofMillis(20));
        Future<AccessDecision> first = waiting(guesses, "192.0.2.1", 1, 8);
        awaitSize(guesses, 1);
        assertThat(waiting(guesses, "192.0.2.2", 2, 8).get()).isEqualTo(AccessDecision.BUSY);
        assertThat(guesses.size()).isEqualTo(1);
        go.countDown();
        assertThat(first.get()).isEqualTo(AccessDecision.UNAUTHORIZED);
    }
}
