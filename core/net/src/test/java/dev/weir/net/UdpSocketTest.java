package dev.weir.net;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.weir.os.LinuxCalls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(value = 20, unit = TimeUnit.SECONDS)
class UdpSocketTest {
    private static final int MAX = 64;
    private static final UdpOptions OPTIONS = new UdpOptions(1 << 20, 1 << 20, false);

    /** The fastest kind of socket on this system, and the portable one. */
    enum Kind {
        OF_THE_SYSTEM {
            @Override
            UdpSocket bind(InetSocketAddress local) throws IOException {
                return UdpSocket.bind(local, OPTIONS);
            }

            @Override
            UdpSocket connect(InetSocketAddress remote) throws IOException {
                return UdpSocket.connect(remote, OPTIONS);
            }
        },
        PORTABLE {
            @Override
            UdpSocket bind(InetSocketAddress local) throws IOException {
                return ChannelUdpSocket.bind(local, OPTIONS);
            }

            @Override
            UdpSocket connect(InetSocketAddress remote) throws IOException {
                return ChannelUdpSocket.connect(remote, OPTIONS);
            }
        };

        abstract UdpSocket bind(InetSocketAddress local) throws IOException;

        abstract UdpSocket connect(InetSocketAddress remote) throws IOException;
    }

    private static InetSocketAddress any(String host) {
        return new InetSocketAddress(InetAddress.ofLiteral(host), 0);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(Packets packets, int i) {
        byte[] target = new byte[MAX];
        return new String(target, 0, packets.copyTo(i, target), StandardCharsets.UTF_8);
    }

    private static void send(UdpSocket socket, Packets packets, String... texts) {
        for (int i = 0; i < texts.length; i++) {
            packets.put(i, bytes(texts[i]), 0, bytes(texts[i]).length);
        }
        assertThat(socket.send(packets, texts.length)).isEqualTo(texts.length);
    }

    private static Set<String> receive(UdpSocket socket, Packets packets, int count) throws IOException {
        Set<String> texts = new HashSet<>();
        while (texts.size() < count) {
            int received = socket.receive(packets);
            for (int i = 0; i < received; i++) {
                texts.add(text(packets, i));
            }
        }
        return texts;
    }

    private static void roundTrip(Kind kind, String host) throws IOException {
        try (UdpSocket server = kind.bind(any(host)); UdpSocket client = kind.connect(server.local())) {
            Packets in = new Packets(4, MAX);
            Packets out = new Packets(8, MAX);
            send(client, out, "one", "two", "three", "four", "five", "six");
            Set<String> seen = new HashSet<>();
            while (seen.size() < 6) {
                int count = server.receive(in);
                for (int i = 0; i < count; i++) {
                    assertThat(in.source(i)).isEqualTo(InetAddress.ofLiteral(host));
                    assertThat(in.sourcePort(i)).isEqualTo(client.local().getPort());
                    byte[] reply = bytes(">" + text(in, i));
                    seen.add(text(in, i));
                    // The two ways to set an address: directly, and from a kept copy.
                    if (i % 2 == 0) {
                        out.put(i, reply, 0, reply.length, in, i);
                    } else {
                        out.put(i, reply, 0, reply.length, in.keepAddress(i));
                    }
                }
                assertThat(server.send(out, count)).isEqualTo(count);
            }
            assertThat(receive(client, in, 6))
                    .containsExactlyInAnyOrder(">one", ">two", ">three", ">four", ">five", ">six");
            assertThat(client.poll(in)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void sendsAndReceivesBatches(Kind kind) throws IOException {
        roundTrip(kind, "127.0.0.1");
    }

    @ParameterizedTest
    @EnumSource
    void supportsIpv6(Kind kind) throws IOException {
        roundTrip(kind, "::1");
    }

    @ParameterizedTest
    @EnumSource
    void truncatesLongDatagramsAndKeepsEmptyOnes(Kind kind) throws IOException {
        try (UdpSocket server = kind.bind(any("127.0.0.1")); UdpSocket client = kind.bind(any("127.0.0.1"))) {
            Packets out = new Packets(2, 2 * MAX);
            byte[] to = Packets.address(server.local());
            out.put(0, new byte[2 * MAX], 0, 2 * MAX, to);
            assertThat(client.send(out, 1)).isEqualTo(1);
            Packets in = new Packets(1, MAX);
            assertThat(server.receive(in)).isEqualTo(1);
            assertThat(in.length(0)).isEqualTo(MAX);
            out.put(0, new byte[1], 0, 1, to);
            assertThat(client.send(out, 1)).isEqualTo(1);
            assertThat(server.receive(in)).isEqualTo(1);
            assertThat(in.length(0)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void sendsTheOthersIfOnePacketFails(Kind kind) throws IOException {
        try (UdpSocket server = kind.bind(any("127.0.0.1")); UdpSocket client = kind.bind(any("127.0.0.1"))) {
            Packets out = new Packets(3, MAX);
            byte[] to = Packets.address(server.local());
            out.put(0, bytes("first"), 0, 5, to);
            // Sending to the broadcast address requires an option.
            out.put(1, bytes("lost"), 0, 4,
                    Packets.address(new InetSocketAddress(InetAddress.ofLiteral("255.255.255.255"), 9)));
            out.put(2, bytes("last"), 0, 4, to);
            assertThat(client.send(out, 3)).isEqualTo(2);
            assertThat(receive(server, new Packets(3, MAX), 2)).containsExactlyInAnyOrder("first", "last");
        }
    }

    @ParameterizedTest
    @EnumSource
    void coupledPacketsArriveSeparately(Kind kind) throws IOException {
        try (UdpSocket server = kind.bind(any("127.0.0.1")); UdpSocket client = kind.connect(server.local())) {
            int count = 150;
            Packets out = new Packets(count, MAX);
            Set<String> expected = new HashSet<>();
            for (int i = 0; i < count; i++) {
                String text = "packet %04d".formatted(i);
                expected.add(text);
                out.put(i, bytes(text), 0, text.length());
            }
            assertThat(client.sendTogether(out, count)).isEqualTo(count);
            assertThat(receive(server, new Packets(64, MAX), count)).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    @ParameterizedTest
    @EnumSource
    void coupledPacketsReachTheirOwnAddresses(Kind kind) throws IOException {
        try (UdpSocket one = kind.bind(any("127.0.0.1"));
                UdpSocket other = kind.bind(any("127.0.0.1"));
                UdpSocket client = kind.bind(any("127.0.0.1"))) {
            byte[] toOne = Packets.address(one.local());
            byte[] toOther = Packets.address(other.local());
            // Sending to the broadcast address requires an option.
            byte[] toAll = Packets.address(new InetSocketAddress(InetAddress.ofLiteral("255.255.255.255"), 9));
            String[] texts = {"a1", "a2", "a3", "longer", "b1", "b2", "x1", "x2", "a4", "b3", "y1", "a5", "a6"};
            Packets out = new Packets(texts.length, MAX);
            for (int i = 0; i < texts.length; i++) {
                byte[] to = switch (texts[i].charAt(0)) {
                    case 'b' -> toOther;
                    case 'x', 'y' -> toAll;
                    default -> toOne;
                };
                out.put(i, bytes(texts[i]), 0, texts[i].length(), to);
            }
            assertThat(client.sendTogether(out, texts.length)).isEqualTo(texts.length - 3);
            assertThat(receive(one, new Packets(8, MAX), 7))
                    .containsExactlyInAnyOrder("a1", "a2", "a3", "longer", "a4", "a5", "a6");
            assertThat(receive(other, new Packets(8, MAX), 3)).containsExactlyInAnyOrder("b1", "b2", "b3");
        }
    }

    /** The system reports the same error for an invalid port as for a train that it cannot split. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aBadAddressDoesNotDisableCoupling() throws IOException {
        try (UdpSocket server = UdpSocket.bind(any("127.0.0.1"), OPTIONS);
                UdpSocket client = UdpSocket.bind(any("127.0.0.1"), OPTIONS)) {
            Packets out = new Packets(4, MAX);
            for (int i = 0; i < 2; i++) {
                out.put(i, bytes("lost"), 0, 4, Packets.address(any("127.0.0.1")));
                out.put(2 + i, bytes("good" + i), 0, 5, Packets.address(server.local()));
            }
            assertThat(client.sendTogether(out, 4)).isEqualTo(2);
            assertThat(receive(server, new Packets(4, MAX), 2)).containsExactlyInAnyOrder("good0", "good1");
            assertThat(((LinuxUdpSocket) client).trains).isTrue();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void sendsPacketsOneByOneIfTheSystemCannotSplit() throws Throwable {
        try (UdpSocket server = UdpSocket.bind(any("127.0.0.1"), OPTIONS);
                UdpSocket client = UdpSocket.bind(any("127.0.0.1"), OPTIONS)) {
            // The system refuses to cut for a socket without checksums: socket(7) of <asm-generic/socket.h>,
            // SO_NO_CHECK.
            try (Arena arena = Arena.ofConfined()) {
                int set = (int) LinuxCalls.SETSOCKOPT.invokeExact(LinuxCalls.newState(arena),
                        ((LinuxUdpSocket) client).descriptor, LinuxCalls.SOL_SOCKET, 11,
                        arena.allocateFrom(ValueLayout.JAVA_INT, 1), Integer.BYTES);
                assertThat(set).isZero();
            }
            Packets out = new Packets(5, MAX);
            String[] texts = {"single", "p1", "p2", "p3", "q1"};
            for (int i = 0; i < texts.length; i++) {
                out.put(i, bytes(texts[i]), 0, texts[i].length(), Packets.address(server.local()));
            }
            assertThat(client.sendTogether(out, texts.length)).isEqualTo(texts.length);
            assertThat(receive(server, new Packets(5, MAX), 5)).containsExactlyInAnyOrder(texts);
            assertThat(((LinuxUdpSocket) client).trains).isFalse();
            assertThat(client.sendTogether(out, texts.length)).isEqualTo(texts.length);
            assertThat(receive(server, new Packets(5, MAX), 5)).containsExactlyInAnyOrder(texts);
        }
    }

    @ParameterizedTest
    @EnumSource
    void wakesAWaitingReceive(Kind kind) throws Exception {
        try (UdpSocket server = kind.bind(any("127.0.0.1"))) {
            CompletableFuture<Integer> waiting = new CompletableFuture<>();
            Thread thread = Thread.ofPlatform().start(() -> {
                try {
                    waiting.complete(server.receive(new Packets(1, MAX)));
                } catch (IOException e) {
                    waiting.completeExceptionally(e);
                }
            });
            server.wake();
            assertThat(waiting.get()).isZero();
            thread.join();
            assertThat(server.receive(new Packets(1, MAX))).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rejectsAnAddressInUse(Kind kind) throws IOException {
        try (UdpSocket server = kind.bind(any("127.0.0.1"))) {
            assertThatThrownBy(() -> kind.bind(server.local())).isInstanceOf(BindException.class)
                    .hasMessageContaining("Address already in use");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aConnectedSocketReportsAClosedPort(Kind kind) throws IOException {
        InetSocketAddress nobody;
        try (UdpSocket server = kind.bind(any("127.0.0.1"))) {
            nobody = server.local();
        }
        try (UdpSocket client = kind.connect(nobody)) {
            send(client, new Packets(1, MAX), "hello");
            assertThatThrownBy(() -> client.receive(new Packets(1, MAX)))
                    .isInstanceOf(PortUnreachableException.class);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void severalSocketsShareAnAddress() throws IOException {
        UdpOptions shared = new UdpOptions(1 << 16, 1 << 16, true);
        try (UdpSocket one = UdpSocket.bind(any("127.0.0.1"), shared);
                UdpSocket other = UdpSocket.bind(one.local(), shared)) {
            Packets in = new Packets(8, MAX);
            int first = 0;
            int second = 0;
            for (int i = 0; i < 64; i++) {
                try (UdpSocket client = UdpSocket.connect(one.local(), OPTIONS)) {
                    send(client, new Packets(1, MAX), "hello");
                }
                first += one.poll(in);
                second += other.poll(in);
            }
            assertThat(first + second).isEqualTo(64);
            assertThat(first).isBetween(1, 63);
        }
    }

    @Test
    void rejectsInvalidArguments() {
        assertThatThrownBy(() -> new Packets(0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Packets(1, 1 << 17)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new UdpOptions(0, 1, false)).isInstanceOf(IllegalArgumentException.class);
        Packets packets = new Packets(2, MAX);
        assertThatThrownBy(() -> packets.put(2, new byte[1], 0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> packets.put(0, new byte[MAX + 1], 0, MAX + 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> Packets.address(InetSocketAddress.createUnresolved("nowhere.invalid", 1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("nowhere.invalid");
    }
}
