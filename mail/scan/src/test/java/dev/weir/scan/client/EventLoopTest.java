package dev.weir.scan.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class EventLoopTest {
    private static final int SECONDS = 20;

    private final EventLoop loop;

    EventLoopTest() throws IOException {
        loop = new EventLoop("test-loop");
    }

    @BeforeEach
    void start() {
        loop.start(() -> {}, () -> {});
    }

    @AfterEach
    void end() {
        loop.close();
    }

    /** A counter that loses increments if two threads change it at the same time. */
    private static final class Unguarded {
        private int number;
    }

    @Test
    void runsTheTasksOfManyThreadsOneAtATime() throws Exception {
        int threads = 8;
        int each = 5000;
        Unguarded count = new Unguarded();
        CountDownLatch left = new CountDownLatch(threads * each);
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            callers.add((i % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual()).start(() -> {
                for (int k = 0; k < each; k++) {
                    loop.execute(() -> {
                        count.number++;
                        left.countDown();
                    });
                }
            }));
        }
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(left.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Integer> sum = new CompletableFuture<>();
        loop.execute(() -> sum.complete(count.number));
        assertThat(sum.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(threads * each);
    }

    @Test
    void nestedTaskRunsAfterTheCurrentOne() throws Exception {
        List<String> order = new ArrayList<>();
        CompletableFuture<List<String>> done = new CompletableFuture<>();
        loop.execute(() -> {
            loop.execute(() -> {
                order.add("inner");
                done.complete(List.copyOf(order));
            });
            order.add("outer");
        });
        assertThat(done.get(SECONDS, TimeUnit.SECONDS)).containsExactly("outer", "inner");
    }

    @Test
    void timerOfAnotherThreadWakesTheLoop() throws Exception {
        CompletableFuture<String> due = new CompletableFuture<>();
        CompletableFuture<String> awake = new CompletableFuture<>();
        loop.execute(() -> loop.after(TimeUnit.HOURS.toNanos(1), () -> due.complete("the late one")));
        loop.execute(() -> loop.after(1, () -> awake.complete("")));
        // The loop thread has seen both timers now and goes to sleep for an hour.
        awake.get(SECONDS, TimeUnit.SECONDS);
        loop.execute(() -> loop.after(1, () -> due.complete("the early one")));
        assertThat(due.get(SECONDS, TimeUnit.SECONDS)).isEqualTo("the early one");
    }

    @Test
    void failingTimerDoesNotEndTheThread() throws Exception {
        CompletableFuture<String> due = new CompletableFuture<>();
        loop.execute(() -> loop.after(1, () -> {
            throw new OutOfMemoryError("made up");
        }));
        loop.execute(() -> loop.after(1, () -> {
            throw new IllegalStateException("made up");
        }));
        loop.execute(() -> loop.after(TimeUnit.MILLISECONDS.toNanos(1), () -> due.complete("the next one")));
        assertThat(due.get(SECONDS, TimeUnit.SECONDS)).isEqualTo("the next one");
    }

    @Test
    void interruptedThreadCanSendWithoutClosingTheSocket() throws Exception {
        try (DatagramChannel peer = DatagramChannel.open();
                DatagramChannel socket = DatagramChannel.open()) {
            peer.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            socket.configureBlocking(false);
            socket.connect(peer.getLocalAddress());
            CompletableFuture<Integer> heard = new CompletableFuture<>();
            loop.execute(() -> {
                try {
                    loop.register(socket, SelectionKey.OP_READ,
                            _ -> heard.complete(socket.read(ByteBuffer.allocate(16))));
                } catch (IOException e) {
                    heard.completeExceptionally(e);
                }
            });
            Thread caller = Thread.ofVirtual().start(() -> {
                Thread.currentThread().interrupt();
                loop.execute(() -> {
                    try {
                        socket.write(ByteBuffer.wrap(new byte[7]));
                    } catch (IOException e) {
                        heard.completeExceptionally(e);
                    }
                });
            });
            caller.join();
            ByteBuffer got = ByteBuffer.allocate(16);
            var from = peer.receive(got);
            assertThat(got.position()).isEqualTo(7);
            peer.send(ByteBuffer.wrap(new byte[5]), from);
            assertThat(heard.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(5);
        }
    }

    @Test
    void closingOnTheLoopRejectsFurtherTasks() throws Exception {
        CompletableFuture<Boolean> asked = new CompletableFuture<>();
        loop.execute(() -> {
            loop.close();
            asked.complete(true);
        });
        assertThat(asked.get(SECONDS, TimeUnit.SECONDS)).isTrue();
        loop.close();
        assertThat(loop.execute(() -> {})).isFalse();
    }
}
