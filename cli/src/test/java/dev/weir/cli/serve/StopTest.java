package dev.weir.cli.serve;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import dev.weir.testkit.FreePort;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** How long {@code weir serve} takes to stop. */
@Timeout(300)
class StopTest {
    /** Three servers that wait five seconds each take longer, and a loaded machine takes less. */
    private static final Duration BOUND = Duration.ofSeconds(10);

    @TempDir
    private @Nullable Path folder;

    private final List<AutoCloseable> idle = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable connection : idle) {
            connection.close();
        }
    }

    @Test
    void idleConnectionsDoNotHoldAStop() throws Exception {
        Path root = Objects.requireNonNull(folder);
        KeyPair pair = KeyPair.generate(new SecureRandom());
        ServeProcess.Node node = ServeProcess.Node.in(root, pair);
        int http = FreePort.find();
        int milter = FreePort.find();
        int smtp = FreePort.find();
        node.configure("", node.followedBy("other", node, ""));
        Files.writeString(root.resolve("weir.conf"), Files.readString(root.resolve("weir.conf"))
                + String.format(Locale.ROOT, """
                        worker "controller" { bind_socket = "127.0.0.1:%d"; }
                        worker "milter" { bind_socket = "127.0.0.1:%d"; }
                        worker "trap" { bind_socket = "127.0.0.1:%d"; addresses = ["trap@example.com"]; }
                        """, http, milter, smtp));
        try (ServeProcess storage = ServeProcess.startWithHttp(node)) {
            storage.awaitReady();
            for (int port : List.of(http, milter, smtp, node.feed())) {
                idle.add(connect(port));
            }
            SocketChannel control = SocketChannel.open(StandardProtocolFamily.UNIX);
            idle.add(control);
            control.connect(UnixDomainSocketAddress.of(node.data().resolve("control.sock")));
            // Each server has taken its connection, and waits for a request.
            storage.ask("/status");

            long begun = System.nanoTime();
            storage.end();
            assertThat(storage.awaitEnd(Duration.ofMinutes(2))).isZero();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(BOUND);
        }
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 30_000);
        return socket;
    }

    /** The start holds a lock that the end needs, and it may take minutes. */
    @Test
    void aSignalDuringTheStartEndsItSoon() throws Exception {
        Path root = Objects.requireNonNull(folder);
        ServeProcess.Node node = ServeProcess.Node.in(root, KeyPair.generate(new SecureRandom()));
        node.configure("", "");
        try (ServeProcess storage = ServeProcess.start(node)) {
            // The lock of the folder says that the process has begun to open it.
            long limit = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
            while (!Files.exists(node.data())) {
                assertThat(System.nanoTime()).isLessThan(limit);
                Thread.sleep(1);
            }
            long begun = System.nanoTime();
            storage.end();
            storage.awaitEnd(Duration.ofMinutes(2));
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(BOUND);
        }
    }
}
