package dev.weir.interop;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.reply.Reply;

/** A client that sends commands byte by byte as documents describe them, without encryption. */
final class RawClient {
    private static final int WAIT_MILLIS = 1_500;
    private static final int ATTEMPTS = 4;
    private static final int LATE_MILLIS = 100;
    private static final int TAG_AT = 8;
    private static final int UNKNOWN_DIGEST = 9_999;
    private static final long UNTIL_SECONDS = 60;

    private final int port;

    RawClient(int port) {
        this.port = port;
    }

    /** Returns the bytes of a command of version 3 with a random-looking digest. */
    static byte[] command(int code, int flag, int value, int digest) {
        byte[] bytes = new byte[Protocol.COMMAND];
        begin(bytes, code, flag, value, digest).end();
        return bytes;
    }

    /** Returns the bytes of a command with shingles, the first of which are {@code own} and unlike those of others. */
    static byte[] shingled(int code, int digest, int family, int own) {
        byte[] bytes = new byte[Protocol.SHINGLED_COMMAND];
        long[] shingles = new long[Protocol.SHINGLES];
        for (int i = 0; i < shingles.length; i++) {
            shingles[i] = (i < own ? 1_000_003L * digest : 7_000_003L * family) + 104_729L * i;
        }
        begin(bytes, code, 1, 1, digest).shingles(shingles).end();
        return bytes;
    }

    private static CommandWriter begin(byte[] bytes, int code, int flag, int value, int digest) {
        byte[] random = new byte[Protocol.DIGEST];
        for (int i = 0; i < random.length; i++) {
            random[i] = (byte) (digest * 31 + i * 7 + (digest >> 8));
        }
        return new CommandWriter().begin(bytes, 0, 3, code).flag(flag).value(value).tag(0x01020304).digest(random, 0);
    }

    /** Returns the bytes of the reply; empty if there is none. */
    Optional<byte[]> bytes(byte[] request) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout(WAIT_MILLIS);
            for (int i = 0; i < ATTEMPTS; i++) {
                socket.send(new DatagramPacket(request, request.length, InetAddress.getLoopbackAddress(), port));
                byte[] buffer = new byte[2048];
                DatagramPacket reply = new DatagramPacket(buffer, buffer.length);
                try {
                    socket.receive(reply);
                    return Optional.of(Arrays.copyOf(buffer, reply.getLength()));
                } catch (SocketTimeoutException silent) {
                    // Ask again: datagrams may get lost.
                }
            }
            return Optional.empty();
        }
    }

    /** Returns whether a request gets no answer, although a check behind it from the same port gets one. */
    boolean ignores(byte[] request) throws IOException {
        byte[] check = command(CommandCode.CHECK, 1, 0, UNKNOWN_DIGEST);
        check[TAG_AT]++;
        try (DatagramSocket socket = new DatagramSocket()) {
            for (int i = 0; i < ATTEMPTS; i++) {
                for (byte[] datagram : new byte[][]{request, check}) {
                    socket.send(
                            new DatagramPacket(datagram, datagram.length, InetAddress.getLoopbackAddress(), port));
                }
                DatagramPacket reply = new DatagramPacket(new byte[2048], 2048);
                try {
                    socket.setSoTimeout(WAIT_MILLIS);
                    socket.receive(reply);
                    if (reply.getData()[TAG_AT] != check[TAG_AT]) {
                        return false;
                    }
                    socket.setSoTimeout(LATE_MILLIS);
                    socket.receive(reply);
                    return false;
                } catch (SocketTimeoutException silent) {
                    if (reply.getLength() < reply.getData().length) {
                        return true;
                    }
                    // Ask again: datagrams may get lost.
                }
            }
        }
        throw new IOException("the storage on port " + port + " answers nothing at all");
    }

    Reply ask(byte[] request) throws IOException {
        return bytes(request).flatMap(bytes -> Reply.decode(bytes, 0, bytes.length)).orElseThrow();
    }

    /** Asks until the reply is as expected: Rspamd acknowledges before it stores. Returns the last reply. */
    Reply await(byte[] request, Predicate<Reply> expected) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(UNTIL_SECONDS);
        Reply reply = ask(request);
        while (!expected.test(reply) && System.nanoTime() < deadline) {
            reply = ask(request);
        }
        return reply;
    }
}
