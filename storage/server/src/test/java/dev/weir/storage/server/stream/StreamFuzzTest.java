package dev.weir.storage.server.stream;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.api.SilentCloseable;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.storage.server.request.HandlerFixture;
import dev.weir.storage.server.stats.Counter;
import dev.weir.testkit.StreamClient;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that any stream, sent in two pieces, is answered, skipped, or closed, without effect on another connection. */
class StreamFuzzTest {
    private static final HandlerFixture HANDLER = new HandlerFixture(4, false);
    private static final StreamListener LISTENER;
    private static final InetSocketAddress ADDRESS;

    static {
        try {
            HANDLER.from("127.0.0.1", true);
            LISTENER = StreamListener.open(StreamLimits.DEFAULT, _ -> true, System::nanoTime, HANDLER.counters);
            ADDRESS = LISTENER.listen(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            Thread.ofPlatform().name("streams").daemon().start(() -> LISTENER.run(HANDLER.handler));
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @FuzzTest
    void anyStreamIsServedOrClosed(byte[] data) throws IOException {
        int cut = data.length / 2;
        // Otherwise, Jazzer reports the test's own connection as a finding.
        try (SilentCloseable _ = BugDetectors.allowNetworkConnections();
                StreamClient client = new StreamClient(ADDRESS);
                StreamClient other = new StreamClient(ADDRESS)) {
            try {
                client.sendRaw(data, 0, cut);
                assertThat(other.ask(other.ping(1)).value()).isEqualTo(1);
                client.sendRaw(data, cut, data.length);
                client.endOutput();
            } catch (SocketException closedByServer) {
                assertThat(data.length).isGreaterThan(1);
            }
            client.drain();
            assertThat(other.ask(other.ping(2)).value()).isEqualTo(2);
        }
        assertThat(HANDLER.count(Counter.DROPPED_INTERNAL)).isZero();
        assertThat(HANDLER.queue.size()).isLessThanOrEqualTo(4);
    }
}
