package dev.weir.http.control;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import dev.weir.storage.server.Bind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(60)
final class ControlSocketTest {
    @TempDir
    private Path folder = Path.of("");

    private Path path() {
        return folder.resolve("control.sock");
    }

    private Bind.Unix place() {
        return new Bind.Unix(path(), Bind.Unix.OWN_USER);
    }

    private static ControlAction answering(String text) {
        return query -> StorageCommands.worker(json -> json.writeStringProperty("text", text));
    }

    private SocketChannel asked() throws IOException {
        return sent("GET /ask HTTP/1.0\r\n\r\n");
    }

    private SocketChannel sent(String request) throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path()));
        channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
        return channel;
    }

    private static String reply(SocketChannel channel) throws IOException {
        try (channel) {
            return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void clientsWaitUntilTheSocketServes() throws Exception {
        try (ControlSocket socket = ControlSocket.bind(place())) {
            SocketChannel early = asked();
            socket.serve(Map.of("/ask", answering("here")));
            assertThat(reply(early)).startsWith("HTTP/1.1 200 ").contains("\"here\"");
        }
        assertThat(path()).doesNotExist();
    }

    /** A clock that a test sets, and that counts how often the thread of the deadlines reads it. */
    private static final class TestClock implements LongSupplier {
        private final AtomicLong offset = new AtomicLong();
        private final AtomicInteger looks = new AtomicInteger();

        @Override
        public long getAsLong() {
            if (Thread.currentThread().getName().equals("weir-http-deadlines")) {
                looks.incrementAndGet();
            }
            return System.nanoTime() + offset.get();
        }

        /** Advances the clock, and returns after every deadline has been checked at the new time. */
        void advance(Duration time) {
            offset.addAndGet(time.toNanos());
            int seen = looks.get();
            // The first look may have begun before.
            await("the deadlines are checked").atMost(Duration.ofSeconds(30)).until(() -> looks.get() >= seen + 3);
        }
    }

    /** A command, such as one that waits for the database, has no deadline; only its client has. */
    @Test
    void aCommandHasNoDeadline() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        TestClock clock = new TestClock();
        try (ControlSocket socket = ControlSocket.bind(place())) {
            socket.serve(Map.of("/ask", query -> {
                inside.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return StorageCommands.worker(json -> json.writeNumberProperty("status", 0));
            }), clock);
            SocketChannel channel = asked();
            inside.await();
            clock.advance(Duration.ofHours(1));
            go.countDown();
            assertThat(reply(channel)).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void closesClientsThatSendNoWholeRequest() throws Exception {
        TestClock clock = new TestClock();
        try (ControlSocket socket = ControlSocket.bind(place())) {
            socket.serve(Map.of("/ask", answering("here")), clock);
            SocketChannel half = SocketChannel.open(UnixDomainSocketAddress.of(path()));
            half.write(ByteBuffer.wrap("GET /a".getBytes(StandardCharsets.US_ASCII)));
            assertThat(reply(asked())).contains("\"here\"");
            clock.advance(Duration.ofSeconds(11));
            assertThat(reply(half)).isEmpty();
        }
    }

    @Test
    void closesClientsThatDoNotReadTheirReply() throws Exception {
        TestClock clock = new TestClock();
        String large = "x".repeat(16 << 20);
        CountDownLatch inside = new CountDownLatch(1);
        try (ControlSocket socket = ControlSocket.bind(place())) {
            socket.serve(Map.of("/ask", query -> {
                inside.countDown();
                return StorageCommands.worker(json -> json.writeStringProperty("text", large));
            }, "/ping", answering("here")), clock);
            SocketChannel channel = asked();
            inside.await();
            // The reply is larger than the buffers of the socket, so it is being written when a byte has arrived.
            ByteBuffer first = ByteBuffer.allocate(1);
            channel.read(first);
            clock.advance(Duration.ofSeconds(11));
            assertThat(reply(channel).length()).isLessThan(large.length());
            assertThat(reply(sent("GET /ping HTTP/1.0\r\n\r\n"))).contains("\"here\"");
        }
    }

    @Test
    void answersWrongRequestsWithAnError() throws Exception {
        try (ControlSocket socket = ControlSocket.bind(place())) {
            socket.serve(Map.of("/ask", answering("here"), "/fail", query -> {
                throw new IllegalStateException("secret");
            }));
            assertThat(reply(sent("GET /other HTTP/1.0\r\n\r\n"))).startsWith("HTTP/1.1 404 Command not defined\r\n")
                    .endsWith("{\"error\":\"Command not defined\"}");
            assertThat(reply(sent("GET /fail HTTP/1.0\r\n\r\n"))).startsWith("HTTP/1.1 500 ").doesNotContain("secret");
            assertThat(reply(sent("nonsense\r\n\r\n"))).startsWith("HTTP/1.1 400 ").contains("{\"error\":\"");
            for (String method : new String[]{"DELETE", "HEAD", "PUT"}) {
                assertThat(reply(sent(method + " /ask HTTP/1.0\r\n\r\n"))).as(method).startsWith("HTTP/1.1 405 ")
                        .contains("\r\nAllow: GET, POST\r\n");
            }
            assertThat(reply(sent("GET /" + "a".repeat(70_000) + " HTTP/1.0\r\n\r\n"))).startsWith("HTTP/1.1 431 ");
        }
    }
}
