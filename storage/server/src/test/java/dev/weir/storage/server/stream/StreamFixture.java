package dev.weir.storage.server.stream;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

import dev.weir.storage.server.reply.DatagramHandler;
import dev.weir.storage.server.reply.Peer;
import dev.weir.storage.server.reply.ReturnPath;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.Counters;
import dev.weir.testkit.StreamClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A listener with a stopped clock and a handler that depends on the first letter of a frame: {@code E} echoes the
 * frame, {@code F} sends the longest reply, {@code L} keeps the return path, and other frames are not answered.
 */
final class StreamFixture implements AutoCloseable {
    static final StreamLimits LIMITS = new StreamLimits(40, 30, Duration.ofSeconds(3), Duration.ofSeconds(5),
            Duration.ofSeconds(8), 1 << 20);

    final AtomicLong seconds = new AtomicLong();
    final Counters counters = new Counters();
    final Queue<ReturnPath> kept = new ConcurrentLinkedQueue<>();
    final AtomicInteger handled = new AtomicInteger();
    final InetSocketAddress address;
    final StreamListener listener;
    private final Thread thread;

    StreamFixture(StreamLimits limits) throws IOException {
        this(limits, _ -> true);
    }

    StreamFixture(StreamLimits limits, Predicate<InetAddress> admitted) throws IOException {
        listener = StreamListener.open(limits, admitted, () -> seconds.get() * 1_000_000_000L, counters);
        address = listener.listen(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
        thread = Thread.ofPlatform().name("streams").start(() -> listener.run(this::handle));
    }

    private int handle(byte[] request, int length, Peer from, byte[] reply) {
        handled.incrementAndGet();
        return switch (request[0]) {
            case 'E' -> {
                int size = Math.min(length, reply.length);
                System.arraycopy(request, 0, reply, 0, size);
                yield size;
            }
            case 'F' -> DatagramHandler.MAX_REPLY;
            case 'L' -> {
                kept.add(from.keep());
                yield 0;
            }
            default -> 0;
        };
    }

    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    StreamClient connect() throws IOException {
        return new StreamClient(address);
    }

    /** Waits until all frames that arrived earlier are handled. The second echo starts a new round of the listener. */
    void settle(StreamClient other) throws IOException {
        for (int i = 0; i < 2; i++) {
            other.send(text("E"));
            assertThat(other.receive()).isEqualTo(text("E"));
        }
    }

    long count(Counter counter) {
        return counters.snapshot().getOrDefault(counter, 0L);
    }

    void sendLate(String text) {
        ReturnPath path = kept.remove();
        path.send(text(text), text.length());
        listener.flushLate();
    }

    @Override
    public void close() {
        listener.finish();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        listener.close();
        assertThat(listener.connections()).isZero();
        assertThat(count(Counter.DROPPED_INTERNAL)).isZero();
    }
}
