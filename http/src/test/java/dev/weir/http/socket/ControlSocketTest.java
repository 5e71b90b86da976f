package dev.weir.http.socket;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.storage.server.Bind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

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
        return query -> ControlReply.ofWorker(json -> json.writeStringProperty("text", text));
    }

    private SocketChannel asked() throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path()));
        channel.write(ByteBuffer.wrap("GET /ask HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
        return channel;
    }

    private static String reply(SocketChannel channel) throws IOException {
        try (channel) {
            return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void clientsWaitUntilItServes() throws Exception {
        try (ControlSocket socket = ControlSocket.bind(place())) {
            SocketChannel early = asked();
            socket.serve(Map.of("/ask", answering("here")));
            assertThat(reply(early)).startsWith("HTTP/1.1 200 ").contains("\"here\"");
        }
        assertThat(path()).doesNotExist();
    }

    /** More failures than there are places for clients: each of them must give its place back. */
    @Test
    void failuresToAcceptDoNotEndIt() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        try (ControlSocket socket = ControlSocket.bind(place(), accepting -> () -> {
            int failure = failures.getAndIncrement();
            if (failure < 40) {
                if (failure % 2 == 0) {
                    throw new IOException("Too many open files");
                }
                throw new OutOfMemoryError("unable to create native thread");
            }
            return accepting.accept();
        })) {
            socket.serve(Map.of("/ask", answering("still here")));
            assertThat(reply(asked())).contains("\"still here\"");
            assertThat(failures.get()).isGreaterThan(40);
        }
    }

    /** A command, such as one that waits for the database, has no deadline; only its client has. */
    @Test
    void aCommandMayTakeItsTime() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (ControlSocket socket = ControlSocket.bind(place())) {
            socket.serve(Map.of("/ask", query -> {
                inside.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return ControlReply.ofWorker(json -> json.writeNumberProperty("status", 0));
            }));
            SocketChannel channel = asked();
            inside.await();
            assertThat(socket.deadlines()).isZero();
            go.countDown();
            assertThat(reply(channel)).startsWith("HTTP/1.1 200 ");
        }
    }
}
