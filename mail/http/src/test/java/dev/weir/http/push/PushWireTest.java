package dev.weir.http.push;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.http.crypt.HttpCrypt;
import dev.weir.model.FlagValue;
import dev.weir.model.Networks;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.push.BatchSpan;
import dev.weir.storage.push.LogPlace;
import dev.weir.storage.push.PushNode;
import dev.weir.storage.push.PushSettings;
import dev.weir.storage.push.PushTransport;
import dev.weir.storage.push.PushedUpdates;
import dev.weir.storage.push.SlavePlace;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.key.Base32;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.Secret;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The bytes of a genuine master 1.9.4 at a slave of Weir, and those of a genuine slave 1.9.4 at a master of Weir. */
class PushWireTest {
    private static final KeyPair MASTER = pair("a3rfyugwhqwfo4gah19nhz3e8hy4isow9gtjx3pyoxnsipkf6s1y");
    private static final KeyPair SLAVE = pair("ehfdq419xih1bfkfnyrbmuezrkcwquedx9gjan759mit11ernd7y");

    private static final BatchSpan SPAN = new BatchSpan(new LogPlace(1, 2, 3), new LogPlace(1, 5, -1), true);

    @TempDir
    private Path folder = Path.of("");

    /** The clock of the server. */
    private final AtomicLong now = new AtomicLong();
    private @Nullable StorageEngine engine;
    private @Nullable PushServer server;

    private static KeyPair pair(String secret) {
        return KeyPair.of(Secret.of(Base32.decode(secret).orElseThrow()));
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = PushWireTest.class.getResourceAsStream(name)) {
            assertThat(in).isNotNull();
            return in.readAllBytes();
        }
    }

    private PushServer start(PushSettings settings) throws Exception {
        StorageEngine started = StorageEngine.start(EngineConfig.DEFAULT, EngineFolder.open(folder));
        engine = started;
        PushNode node = new PushNode(settings, folder, Optional.empty(), started, (slave, host, body, span) -> {
            throw new AssertionError("nothing is sent");
        }, Duration.ofSeconds(1));
        node.start((_, _) -> {});
        PushServer door = new PushServer(settings, node.intake().orElseThrow(), now::get);
        door.start();
        server = door;
        return door;
    }

    private static PushSettings settings(KeyPair masterKey) {
        return new PushSettings(SLAVE, false, Networks.dualStack("127.0.0.0/8"), masterKey.publicKey(),
                Map.of(1, 10, 2, 20), Duration.ofSeconds(10), List.of());
    }

    @BeforeEach
    void noneRuns() {
        assertThat(server).isNull();
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
        if (engine != null) {
            engine.close();
        }
    }

    /** Sends bytes over a real connection that the server takes over after the first few, and returns the answer. */
    private static byte[] exchange(PushServer door, byte[] request, InetAddress remote) throws IOException {
        try (ServerSocketChannel listening = ServerSocketChannel.open()) {
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (Socket client = new Socket()) {
                client.connect(listening.getLocalAddress());
                SocketChannel accepted = listening.accept();
                door.take(accepted, remote, Arrays.copyOf(request, 5));
                client.getOutputStream().write(request, 5, request.length - 5);
                return client.getInputStream().readAllBytes();
            } catch (java.net.SocketException e) {
                // The server closed the connection while something was unread.
                return new byte[0];
            }
        }
    }

    private static String opened(byte[] reply) {
        String text = new String(reply, StandardCharsets.ISO_8859_1);
        assertThat(text).startsWith("HTTP/1.1 200 OK\r\n");
        byte[] sealed = Arrays.copyOfRange(reply, text.indexOf("\r\n\r\n") + 4, reply.length);
        SharedKey key = SharedKey.of(MASTER.secret(), SLAVE.publicKey()).orElseThrow();
        return new String(new HttpCrypt(List.of(MASTER), new SecureRandom()).open(key, sealed).orElseThrow(),
                StandardCharsets.ISO_8859_1);
    }

    @Test
    void appliesTheRequestOfAGenuineMaster() throws Exception {
        PushServer door = start(settings(MASTER));
        byte[] request = resource("master-request.http");
        String reply = opened(exchange(door, request, InetAddress.getLoopbackAddress()));
        assertThat(reply).startsWith("HTTP/1.1 200 OK\r\n").contains("Weir-Revision: 2\r\n", "Content-Length: 0\r\n",
                "Content-Type: text/plain\r\n");
        byte[] inner = resource("master-request.inner");
        String head = new String(inner, StandardCharsets.ISO_8859_1);
        PushedUpdates sent = PushedUpdates.read(
                Arrays.copyOfRange(inner, head.indexOf("\r\n\r\n") + 4, inner.length));
        StorageEngine running = java.util.Objects.requireNonNull(engine);
        assertThat(sent.elements()).hasSize(2);
        assertThat(running.find(sent.elements().get(0).digest())).extracting(FlagValue::flag, FlagValue::value)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(10, 5L));
        assertThat(running.find(sent.elements().get(1).digest())).extracting(FlagValue::flag, FlagValue::value)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(20, 7L));
        assertThat(opened(exchange(door, request, InetAddress.getLoopbackAddress())))
                .startsWith("HTTP/1.1 409 it is older than batch 2\r\n");
    }

    @Test
    void refusesStrangers() throws Exception {
        PushServer door = start(settings(KeyPair.generate(new SecureRandom())));
        byte[] request = resource("master-request.http");
        assertThat(opened(exchange(door, request, InetAddress.getLoopbackAddress()))).startsWith("HTTP/1.1 403 ");
        assertThat(exchange(door, request, InetAddress.ofLiteral("192.0.2.1"))).isEmpty();
        byte[] damaged = request.clone();
        damaged[damaged.length - 1] ^= 1;
        assertThat(exchange(door, damaged, InetAddress.getLoopbackAddress())).isEmpty();
        String plain = "POST /update_v1/slave1 HTTP/1.0\r\nContent-Length: 2\r\n\r\nab";
        assertThat(new String(exchange(door, plain.getBytes(StandardCharsets.US_ASCII),
                InetAddress.getLoopbackAddress()), StandardCharsets.US_ASCII)).startsWith("HTTP/1.1 403 ");
        assertThat(java.util.Objects.requireNonNull(engine).stats().hashes()).isZero();
        assertThat(door.metrics()).extracting(metric -> metric.samples().getFirst().value()).containsExactly(1.0, 3.0);
    }

    /** Without master_key, every batch of a master is one that it should warn of, and one may come each second. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void warnsOfASenderOnceAnHour(boolean refused) throws Exception {
        PushServer door = start(new PushSettings(SLAVE, false, Networks.dualStack("127.0.0.0/8"),
                refused ? SLAVE.publicKey() : null, Map.of(1, 10, 2, 20), Duration.ofSeconds(10), List.of()));
        byte[] request = resource("master-request.http");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger log = (Logger) LoggerFactory.getLogger(PushServer.class);
        log.addAppender(lines);
        try {
            for (long at : new long[]{0, 1, TimeUnit.HOURS.toNanos(1)}) {
                now.set(at);
                exchange(door, request, InetAddress.getLoopbackAddress());
            }
        } finally {
            log.detachAppender(lines);
        }
        assertThat(lines.list).hasSize(2).allSatisfy(line -> assertThat(line.getFormattedMessage())
                .contains(refused ? "may not push with the key " : "every key is allowed: set master_key",
                        MASTER.publicKey().toString()));
    }

    /** Both sides of Weir: the place in the log travels with the batch and with the answer. */
    @Test
    void twoStoragesOfWeirTellEachOtherTheirPlaces() throws Exception {
        PushServer door = start(settings(MASTER));
        try (ServerSocketChannel listening = ServerSocketChannel.open()) {
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Thread accepting = Thread.ofVirtual().start(() -> {
                try {
                    for (int i = 0; i < 3; i++) {
                        SocketChannel accepted = listening.accept();
                        ByteBuffer begin = ByteBuffer.allocate(5);
                        while (begin.hasRemaining()) {
                            accepted.read(begin);
                        }
                        door.take(accepted, InetAddress.getLoopbackAddress(), begin.array());
                    }
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            PushSettings.Slave slave = new PushSettings.Slave("s", List.of(), SLAVE.publicKey());
            PushSettings.Host host = new PushSettings.Host("127.0.0.1", listening.socket().getLocalPort());
            byte[] inner = resource("master-request.inner");
            String head = new String(inner, StandardCharsets.ISO_8859_1);
            byte[] body = Arrays.copyOfRange(inner, head.indexOf("\r\n\r\n") + 4, inner.length);
            PushClient client = new PushClient(MASTER);
            BatchSpan later = new BatchSpan(SPAN.to(), SPAN.to(), false);
            assertThat(client.push(slave, host, body, later)).isEqualTo(
                    new PushTransport.Reply(409, 0, new SlavePlace.Nothing()));
            assertThat(client.push(slave, host, body, SPAN)).isEqualTo(
                    new PushTransport.Reply(200, 2, new SlavePlace.At(SPAN.to())));
            assertThat(client.push(slave, host, body, SPAN)).isEqualTo(
                    new PushTransport.Reply(409, 2, new SlavePlace.At(SPAN.to())));
            accepting.join();
        }
    }

    /** Answers one connection with recorded bytes, and returns what it got. */
    private static CompletableFuture<byte[]> answering(ServerSocket listening, byte[] reply, int request) {
        CompletableFuture<byte[]> got = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try (Socket socket = listening.accept()) {
                got.complete(socket.getInputStream().readNBytes(request));
                socket.getOutputStream().write(reply);
            } catch (IOException e) {
                got.completeExceptionally(e);
            }
        });
        return got;
    }

    @Test
    void understandsTheAnswerOfAGenuineSlaveAndSendsWhatAGenuineMasterSends() throws Exception {
        byte[] inner = resource("master-request.inner");
        String head = new String(inner, StandardCharsets.ISO_8859_1);
        byte[] body = Arrays.copyOfRange(inner, head.indexOf("\r\n\r\n") + 4, inner.length);
        // A slave of Rspamd does not read this header.
        String batch = "Weir-Batch: " + SPAN + "\r\n";
        int length = resource("master-request.http").length - "rspamd-1.9.4".length() + "weir".length()
                + batch.length();
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<byte[]> got = answering(listening, resource("slave-reply.http"), length);
            PushSettings.Slave slave = new PushSettings.Slave("slave1", List.of(), SLAVE.publicKey());
            PushTransport.Reply reply = new PushClient(MASTER).push(slave,
                    new PushSettings.Host("127.0.0.1", listening.getLocalPort()), body, SPAN);
            assertThat(reply).isEqualTo(PushTransport.Reply.of(200, -1));
            String sent = new String(got.get(), StandardCharsets.ISO_8859_1);
            String genuine = new String(resource("master-request.http"), StandardCharsets.ISO_8859_1);
            assertThat(sent.substring(0, sent.indexOf("\r\n\r\n")).lines().sorted())
                    .containsExactlyElementsOf(genuine.substring(0, genuine.indexOf("\r\n\r\n"))
                            .replace("Content-Length: 554", "Content-Length: " + (546 + batch.length()))
                            .lines().sorted().toList());
            SharedKey key = SharedKey.of(SLAVE.secret(), MASTER.publicKey()).orElseThrow();
            byte[] sealed = sent.substring(sent.indexOf("\r\n\r\n") + 4).getBytes(StandardCharsets.ISO_8859_1);
            byte[] plain = new HttpCrypt(List.of(SLAVE), new SecureRandom()).open(key, sealed).orElseThrow();
            assertThat(new String(plain, StandardCharsets.ISO_8859_1))
                    .isEqualTo(head.replace("rspamd-1.9.4\r\n", "weir\r\n" + batch));
        }
    }

    @Test
    void believesNoAnswerThatTheSlaveDidNotSeal() throws Exception {
        byte[] forged = resource("slave-reply.http");
        forged[forged.length - 1] ^= 1;
        byte[] plain = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        byte[] endless = ByteBuffer.allocate(100_000).put("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII))
                .array();
        for (byte[] reply : List.of(forged, plain, endless, new byte[0], new byte[]{1, 2, 3},
                Arrays.copyOf(resource("slave-reply.http"), 200))) {
            try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                CompletableFuture<byte[]> got = answering(listening, reply, 100);
                PushSettings.Slave slave = new PushSettings.Slave("slave1", List.of(), SLAVE.publicKey());
                assertThatThrownBy(() -> new PushClient(MASTER).push(slave,
                        new PushSettings.Host("127.0.0.1", listening.getLocalPort()), new byte[8], SPAN))
                        .isInstanceOf(IOException.class);
                assertThat(got.get()).hasSize(100);
            }
        }
    }
}
