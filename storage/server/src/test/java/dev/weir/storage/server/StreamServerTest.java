package dev.weir.storage.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import dev.weir.model.Digest;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.StorageStats;
import dev.weir.storage.server.stream.StreamLimits;
import dev.weir.testkit.StreamClient;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.box.Opened;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Tests a complete storage over connections, Unix-domain sockets, and several addresses. */
class StreamServerTest {
    @TempDir
    private @Nullable Path given;

    private Path folder = Path.of("");

    @BeforeEach
    void place() {
        folder = Objects.requireNonNull(given);
    }

    private static Bind inet(String address) {
        return new Bind.Inet(new InetSocketAddress(InetAddress.ofLiteral(address), 0));
    }

    private StorageConfig config(Bind... binds) {
        return StorageConfig.of(folder.resolve("data"))
                .withBackend(BackendKind.STORE).withListen(new Listen(List.of(binds), StreamLimits.DEFAULT))
                .withAllowUpdate(StorageConfig.loopback());
    }

    private static byte[] write(StreamClient client, long digest) {
        return client.request(Generation.MULTI_FLAG, CommandCode.WRITE, Samples.digest(digest), 1, 5);
    }

    private static byte[] check(StreamClient client, long digest) {
        return client.request(Generation.MULTI_FLAG, CommandCode.CHECK, Samples.digest(digest), 0, 0);
    }

    @Test
    void answersManyUpdatesAndChecksOverOneConnection() throws Exception {
        int updates = 500;
        try (StorageServer server = new StorageServer(config(inet("127.0.0.1")))) {
            InetSocketAddress address = server.start();
            try (StreamClient client = new StreamClient(address); UdpClient udp = new UdpClient(address)) {
                List<byte[]> requests = new ArrayList<>();
                for (int i = 0; i < updates; i++) {
                    requests.add(write(client, i));
                }
                client.sendRaw(StreamClient.framed(requests.toArray(byte[][]::new)));
                for (int i = 0; i < updates; i++) {
                    assertThat(client.reply().isMatch()).isTrue();
                }
                for (int i = 0; i < updates; i++) {
                    assertThat(client.ask(check(client, i)).value()).isEqualTo(5);
                }
                assertThat(udp.check(Samples.digest(7), null).value()).isEqualTo(5);
                StorageStats stats = server.stats();
                assertThat(stats.get(Counter.WRITES)).isEqualTo(updates);
                assertThat(stats.get(Counter.FRAMES)).isEqualTo(2L * updates);
                assertThat(stats.connections()).isEqualTo(1);
                assertThat(stats.heldBytes()).isZero();
            }
        }
    }

    @Test
    void closeAnswersAcceptedUpdatesFirst() throws Exception {
        StorageServer server = new StorageServer(config(inet("127.0.0.1")));
        try (StreamClient client = new StreamClient(server.start())) {
            int updates = 100;
            for (int i = 0; i < updates; i++) {
                client.send(write(client, i));
            }
            // The first reply shows that the server is reading the requests; it answers each one that it has read.
            assertThat(client.reply().isMatch()).isTrue();
            server.close();
            int answered = 1;
            try {
                while (client.reply().isMatch()) {
                    answered++;
                }
            } catch (IOException closed) {
                assertThat(answered).isBetween(1, updates);
            }
            try (StorageServer again = new StorageServer(config(inet("127.0.0.1")))) {
                again.start();
                assertThat(again.stats().engine().hashes()).isEqualTo(answered);
            }
        }
    }

    @Test
    void allAddressesServeTheSameStorage() throws Exception {
        try (StorageServer server = new StorageServer(config(inet("127.0.0.1"), inet("::1"), inet("127.0.0.2")))) {
            server.start();
            List<InetSocketAddress> addresses = server.addresses();
            assertThat(addresses).extracting(a -> a.getAddress().getHostAddress()).containsExactly("127.0.0.1",
                    "0:0:0:0:0:0:0:1", "127.0.0.2");
            try (UdpClient v4 = new UdpClient(addresses.get(0));
                    UdpClient v6 = new UdpClient(addresses.get(1), "::1", 10_000);
                    StreamClient stream6 = new StreamClient(addresses.get(1), "::1");
                    StreamClient stream4 = new StreamClient(addresses.get(2))) {
                assertThat(v4.write(Samples.digest(1), 1, 5, null).isMatch()).isTrue();
                assertThat(v6.write(Samples.digest(2), 1, 6, null).isMatch()).isTrue();
                assertThat(stream6.ask(write(stream6, 3)).isMatch()).isTrue();
                assertThat(stream4.ask(check(stream4, 1)).value()).isEqualTo(5);
                assertThat(stream4.ask(check(stream4, 2)).value()).isEqualTo(6);
                assertThat(v4.check(Samples.digest(3), null).value()).isEqualTo(5);
            }
        }
    }

    @Test
    void ipv6WildcardAddressServesBothFamilies() throws Exception {
        try (StorageServer server = new StorageServer(config(inet("::")))) {
            int port = server.start().getPort();
            for (String host : new String[]{"127.0.0.1", "::1"}) {
                InetSocketAddress address = new InetSocketAddress(InetAddress.ofLiteral(host), port);
                try (UdpClient udp = new UdpClient(address, host, 10_000);
                        StreamClient stream = new StreamClient(address, host)) {
                    // An IPv4 client on the IPv6 socket must still match an IPv4 network in allow_update.
                    assertThat(udp.write(Samples.digest(1), 1, 5, null).isMatch()).isTrue();
                    assertThat(stream.ask(write(stream, 2)).isMatch()).isTrue();
                }
            }
            assertThat(server.stats().get(Counter.FORBIDDEN)).isZero();
        }
    }

    @Test
    void ignoresDuplicateAndCoveredAddresses() {
        Bind four = new Bind.Inet(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 11335));
        Bind six = new Bind.Inet(new InetSocketAddress(InetAddress.ofLiteral("::"), 11335));
        assertThat(new Listen(List.of(four, six, six), StreamLimits.DEFAULT).binds()).containsExactly(six);
        assertThat(new Listen(List.of(four), StreamLimits.DEFAULT).binds()).containsExactly(four);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Listen(List.of(socket("x")), StreamLimits.DEFAULT));
    }

    /** As in Rspamd, 0.0.0.0 means IPv4 only, for both datagrams and connections. */
    @Test
    void addressHasTheSameMeaningForUdpAndTcp() throws Exception {
        InetAddress six = InetAddress.ofLiteral("::1");
        InetAddress four = InetAddress.ofLiteral("127.0.0.1");
        try (StorageServer server = new StorageServer(config(inet("0.0.0.0")))) {
            int port = server.start().getPort();
            assertThat(answers(new InetSocketAddress(four, port))).isTrue();
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> SocketChannel.open(new InetSocketAddress(six, port)));
            try (DatagramChannel udp = DatagramChannel.open()) {
                udp.connect(new InetSocketAddress(six, port));
                udp.write(ByteBuffer.allocate(80));
                // The system reports that nothing listens there.
                assertThatExceptionOfType(PortUnreachableException.class)
                        .isThrownBy(() -> udp.read(ByteBuffer.allocate(80)));
            }
        }
        try (StorageServer server = new StorageServer(config(inet("::")))) {
            int port = server.start().getPort();
            assertThat(answers(new InetSocketAddress(four, port))).isTrue();
            assertThat(answers(new InetSocketAddress(six, port))).isTrue();
        }
    }

    /** Returns whether the address answers over both UDP and TCP. */
    private static boolean answers(InetSocketAddress address) throws Exception {
        String source = address.getAddress().getHostAddress();
        try (StreamClient client = new StreamClient(address, source);
                UdpClient udp = new UdpClient(address, source, 10_000)) {
            client.send(check(client, 1));
            return client.receive().length > 0 && !udp.check(Samples.digest(1), null).isMatch();
        }
    }

    private static Bind.Unix socket(String path) {
        return new Bind.Unix(Path.of(path), PosixFilePermissions.fromString("rw-rw----"));
    }

    @Test
    void createsServesAndRemovesAUnixSocket() throws Exception {
        Path path = folder.resolve("fuzzy.sock");
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(path));
        }
        assertThat(path).exists();
        try (StorageServer server = new StorageServer(config(inet("127.0.0.1"), socket(path.toString())))) {
            server.start();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path))).isEqualTo("rw-rw----");
            byte[] request = new byte[Protocol.COMMAND];
            new CommandWriter().begin(request, 0, Generation.V3, CommandCode.WRITE).flag(1).value(5).tag(9)
                    .digest(Samples.digest(1).toBytes(), 0).end();
            try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
                client.write(ByteBuffer.wrap(StreamClient.framed(request)));
                ByteBuffer reply = ByteBuffer.allocate(18);
                while (reply.hasRemaining()) {
                    assertThat(client.read(reply)).isPositive();
                }
                assertThat(Reply.decode(reply.array(), 2, 16).orElseThrow().isMatch()).isTrue();
            }
            try (StorageServer second = new StorageServer(StorageConfig.of(folder.resolve("other"))
                    .withBackend(BackendKind.STORE)
                    .withListen(
                            new Listen(List.of(inet("127.0.0.1"), socket(path.toString())), StreamLimits.DEFAULT)))) {
                assertThatExceptionOfType(StorageException.class).isThrownBy(second::start)
                        .withMessageContaining("another process listens there");
            }
            assertThat(path).exists();
        }
        assertThat(path).doesNotExist();
        Files.writeString(path, "not yours");
        try (StorageServer server = new StorageServer(config(inet("127.0.0.1"), socket(path.toString())))) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(server::start)
                    .withMessageContaining("cannot listen on " + path).withMessageContaining("is not a socket");
        }
        assertThat(path).hasContent("not yours");
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("data", "other", "fuzzy.sock");
    }

    private static byte[] text(int code, int value, int flag, Digest digest) {
        byte[] request = new byte[Protocol.TEXT_COMMAND];
        request[0] = (byte) code;
        request[8] = (byte) value;
        request[12] = (byte) flag;
        System.arraycopy(digest.toBytes(), 0, request, 16, Protocol.DIGEST);
        return request;
    }

    private static byte[] command(int version, int code, int value, Digest digest) {
        byte[] request = new byte[Protocol.COMMAND];
        new CommandWriter().begin(request, 0, version, code).flag(3).value(value).tag(9)
                .digest(digest.toBytes(), 0).end();
        return request;
    }

    @Test
    void answersAndCountsEveryGeneration() throws Exception {
        KeyPair key = KeyPair.generate(new SecureRandom());
        StorageConfig config = config(inet("127.0.0.1")).withKeyPairs(List.of(key));
        InetAddress here = InetAddress.ofLiteral("127.0.0.1");
        Digest digest = Samples.digest(1);
        try (StorageServer server = new StorageServer(config)) {
            InetSocketAddress address = server.start();
            assertThat(TestClient.exchange(address, here, text(1, 7, 3, digest), true)).asString().isEqualTo("OK\r\n");
            assertThat(TestClient.exchange(address, here, text(0, 0, 0, digest), false)).asString()
                    .isEqualTo("OK 7 3\r\n");
            assertThat(TestClient.exchange(address, here, text(0, 0, 0, Samples.digest(2)), false)).asString()
                    .isEqualTo("ERR\r\n");
            assertThat(TestClient.exchange(address, here, text(2, 0, 3, digest), true)).asString().isEqualTo("OK\r\n");
            assertThat(server.stats().engine().hashes()).isZero();
            int[][] versionsAndLengths = {{2, 16}, {3, 16}, {4, 96}, {5, 144}, {0x14, 144}};
            for (int[] version : versionsAndLengths) {
                byte[] stored = Objects.requireNonNull(
                        TestClient.exchange(address, here, command(version[0], CommandCode.WRITE, 1, digest), true));
                assertThat(stored).hasSize(version[1]);
                byte[] hit = Objects.requireNonNull(
                        TestClient.exchange(address, here, command(version[0], CommandCode.CHECK, 0, digest), false));
                assertThat(hit).hasSize(version[1]);
                assertThat(Reply.decode(hit, 0, hit.length).orElseThrow().flag()).isEqualTo(3);
            }
            assertThat(encrypted(address, key, command(3, CommandCode.CHECK, 0, digest))).hasSize(40 + 16);
            StorageStats stats = server.stats();
            assertThat(stats.get(Counter.GENERATION_0_6)).isEqualTo(4);
            assertThat(stats.get(Counter.GENERATION_0_8)).isEqualTo(2);
            assertThat(stats.get(Counter.GENERATION_0_9)).isEqualTo(2);
            assertThat(stats.get(Counter.GENERATION_1_0)).isEqualTo(1);
            // The pings of the exchanges also belong to this generation.
            assertThat(stats.get(Counter.GENERATION_1_7)).isEqualTo(2 + stats.get(Counter.PINGS));
            assertThat(stats.get(Counter.GENERATION_4_0)).isEqualTo(4);
        }
    }

    private static byte[] encrypted(InetSocketAddress address, KeyPair key, byte[] plain) throws IOException {
        SecureRandom random = new SecureRandom();
        Box box = new Box(random);
        ClientSession session = ClientSession.of(KeyPair.generate(random), key.publicKey()).orElseThrow();
        byte[] request = new byte[Protocol.REQUEST_HEADER + plain.length];
        System.arraycopy(plain, 0, request, Protocol.REQUEST_HEADER, plain.length);
        box.sealRequest(session, request, 0, plain.length);
        try (StreamClient client = new StreamClient(address)) {
            client.send(request);
            byte[] reply = client.receive();
            assertThat(box.openReply(session.shared(), reply, 0, reply.length)).isEqualTo(Opened.OK);
            return reply;
        }
    }

    @Test
    void framesMayExceedDatagramsAndHaveNoTextForm() throws Exception {
        KeyPair key = KeyPair.generate(new SecureRandom());
        try (StorageServer server = new StorageServer(config(inet("127.0.0.1")).withKeyPairs(List.of(key)))) {
            InetSocketAddress address = server.start();
            byte[] longest = Arrays.copyOf(command(4, CommandCode.CHECK, 0, Samples.digest(1)),
                    Protocol.MAX_FRAME - Protocol.REQUEST_HEADER);
            // Sender IPv4 addresses of five bytes each, and a domain to fill the rest.
            int at = Protocol.COMMAND;
            for (; longest.length - at >= 5 + 7; at += 5) {
                longest[at] = '4';
            }
            longest[at] = 'd';
            longest[at + 1] = (byte) (longest.length - at - 2);
            assertThat(encrypted(address, key, longest)).hasSize(40 + 96);
            try (StreamClient client = new StreamClient(address)) {
                client.send(text(0, 0, 0, Samples.digest(1)));
                assertThat(client.ask(client.ping(77)).value()).isEqualTo(77);
            }
            assertThat(server.stats().dropped()).isEqualTo(1);
        }
    }

    @Test
    void thousandsOfHalfOpenConnectionsLockNoClientOut() throws Exception {
        int attackers = 1_500;
        StreamLimits limits = StreamLimits.DEFAULT.withConnections(200, 50);
        StorageConfig config = config(inet("127.0.0.1"));
        List<StreamClient> halfOpen = new ArrayList<>();
        try (StorageServer server = new StorageServer(config.withListen(config.listen().withStreams(limits)))) {
            InetSocketAddress address = server.start();
            try (StreamClient tcp = new StreamClient(address, "127.9.9.9"); UdpClient udp = new UdpClient(address)) {
                assertThat(tcp.ask(write(tcp, 1)).isMatch()).isTrue();
                byte[] part = Arrays.copyOf(StreamClient.framed(tcp.ping(1)), 40);
                for (int i = 0; i < attackers; i++) {
                    StreamClient attacker = new StreamClient(address, "127.0." + i % 8 + "." + (1 + i % 30));
                    halfOpen.add(attacker);
                    if (i % 2 == 0) {
                        attacker.sendRaw(part);
                    }
                    if (i % 10 == 0) {
                        assertThat(tcp.ask(check(tcp, 1)).value()).isEqualTo(5);
                        assertThat(udp.check(Samples.digest(1), null).value()).isEqualTo(5);
                        assertThat(server.stats().connections()).isLessThanOrEqualTo(200);
                        assertThat(server.stats().heldBytes()).isLessThanOrEqualTo(200 * 256);
                    }
                }
                try (StreamClient newcomer = new StreamClient(address, "127.8.8.8")) {
                    assertThat(newcomer.ask(check(newcomer, 1)).value()).isEqualTo(5);
                }
                assertThat(server.stats().get(Counter.CONNECTION_NO_ROOM)).isZero();
                assertThat(server.stats().get(Counter.CONNECTION_LOST)).isZero();
            }
        } finally {
            for (StreamClient attacker : halfOpen) {
                attacker.close();
            }
        }
    }
}
