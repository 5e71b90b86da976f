package dev.weir.http.replication;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.weir.storage.replication.ReplicationSettings;
import dev.weir.wire.key.KeyPair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A leader that stops in the middle of its answer, as one does whose machine loses its power. */
@Timeout(60)
class FeedClientTest {
    private static final KeyPair OWN = KeyPair.generate(new SecureRandom());
    private static final KeyPair LEADER = KeyPair.generate(new SecureRandom());
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int PIECES = 8;

    private final ConcurrentLinkedQueue<Closeable> open = new ConcurrentLinkedQueue<>();

    /** What a leader sends behind the question. */
    @FunctionalInterface
    private interface Answer {
        void send(OutputStream out) throws IOException, InterruptedException;
    }

    @AfterEach
    void close() throws IOException {
        for (Closeable each : open) {
            each.close();
        }
    }

    private FeedClient client(Duration patience, Duration whole, Answer answer) throws IOException {
        ServerSocket server = new ServerSocket(0, 8, InetAddress.ofLiteral("127.0.0.1"));
        open.add(server);
        Thread.ofVirtual().start(() -> {
            try {
                Socket socket = server.accept();
                open.add(socket);
                socket.getInputStream().read();
                answer.send(socket.getOutputStream());
            } catch (IOException | InterruptedException e) {
                // The test is over.
                return;
            }
        });
        return FeedClient.to(new ReplicationSettings.Upstream("127.0.0.1", server.getLocalPort(), LEADER.publicKey()),
                OWN, patience, whole);
    }

    private static void head(OutputStream out, int status, int length) throws IOException {
        out.write(("HTTP/1.1 " + status + " x\r\nContent-Length: " + length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    @Test
    void anAnswerThatStopsInTheMiddleEnds() throws IOException {
        for (int status : List.of(200, 403)) {
            // The patience is also that for the head, and the first request of a JVM is slow.
            FeedClient client = client(Duration.ofSeconds(3), LONG, out -> {
                head(out, status, 1_000);
                out.write(new byte[10]);
                out.flush();
            });
            assertThatThrownBy(() -> client.ask(new byte[3])).isInstanceOf(IOException.class)
                    .hasMessageContaining("stopped");
        }
    }

    @Test
    void anAnswerThatNeverBeginsEnds() throws IOException {
        FeedClient client = client(Duration.ofMillis(300), LONG, _ -> {});
        assertThatThrownBy(() -> client.ask(new byte[3])).isInstanceOf(IOException.class);
    }

    /** It takes much longer than the patience, and arrives. */
    @Test
    void aSlowLineWorks() throws IOException {
        AtomicBoolean whole = new AtomicBoolean();
        FeedClient client = client(Duration.ofSeconds(3), LONG, out -> {
            head(out, 200, PIECES);
            for (int i = 0; i < PIECES; i++) {
                Thread.sleep(500);
                whole.set(i == PIECES - 1);
                out.write(i);
                out.flush();
            }
        });
        assertThatThrownBy(() -> client.ask(new byte[3])).isInstanceOf(IOException.class)
                .hasMessageContaining("not sealed").satisfies(_ -> {
                    if (!whole.get()) {
                        throw new AssertionError("the answer was not read to its end");
                    }
                });
    }

    @Test
    void anAnswerThatTricklesEnds() throws IOException {
        FeedClient client = client(LONG, Duration.ofMillis(600), out -> {
            head(out, 200, 10_000);
            for (int i = 0; i < 10_000; i++) {
                Thread.sleep(50);
                out.write(i);
                out.flush();
            }
        });
        assertThatThrownBy(() -> client.ask(new byte[3])).isInstanceOf(IOException.class)
                .hasMessageContaining("longer");
    }
}
