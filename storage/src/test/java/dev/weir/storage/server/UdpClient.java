package dev.weir.storage.server;

import java.io.Closeable;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Optional;

import dev.weir.model.Digest;
import dev.weir.wire.Generation;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;

/** A client that speaks in the clear and waits for each answer, like Rspamd's. */
final class UdpClient implements Closeable {
    /** Bytes of replies that may wait: some tests send hundreds of requests before they read. */
    private static final int RECEIVE_BUFFER = 4 << 20;

    private final DatagramSocket socket;
    private InetSocketAddress server;
    private final byte[] bytes = new byte[2048];
    private int tag;

    UdpClient(InetSocketAddress server) throws IOException {
        this(server, "127.0.0.1", 10_000);
    }

    UdpClient(InetSocketAddress server, String source, int timeoutMillis) throws IOException {
        this.server = server;
        this.socket = new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral(source), 0));
        socket.setReceiveBufferSize(RECEIVE_BUFFER);
        socket.setSoTimeout(timeoutMillis);
    }

    Reply write(Digest digest, int flag, int weight, long @Nullable [] shingles) throws IOException {
        return ask(Generation.V4, CommandCode.WRITE, digest, flag, weight, shingles);
    }

    Reply delete(Digest digest, int flag) throws IOException {
        return ask(Generation.V4, CommandCode.DEL, digest, flag, 0, null);
    }

    Reply check(Digest digest, long @Nullable [] shingles) throws IOException {
        return ask(Generation.MULTI_FLAG, CommandCode.CHECK, digest, 0, 0, shingles);
    }

    Reply ask(Generation generation, int code, Digest digest, int flag, int value, long @Nullable [] shingles)
            throws IOException {
        send(generation, code, digest, flag, value, shingles);
        return receive().orElseThrow();
    }

    void send(Generation generation, int code, Digest digest, int flag, int value, long @Nullable [] shingles)
            throws IOException {
        sendRaw(request(generation, code, digest, flag, value, shingles));
    }

    /** A request with a tag of its own, to be sent by {@link #sendRaw}. */
    byte[] request(Generation generation, int code, Digest digest, int flag, int value, long @Nullable [] shingles) {
        tag++;
        CommandWriter writer = new CommandWriter().begin(bytes, 0, generation, code).flag(flag).value(value).tag(tag)
                .digest(digest.toBytes(), 0);
        if (shingles != null) {
            writer.shingles(shingles);
        }
        return Arrays.copyOf(bytes, writer.end());
    }

    /** From now on another server is asked, from the same port. */
    void turnTo(InetSocketAddress other) {
        server = other;
    }

    void sendRaw(byte[] datagram) throws IOException {
        socket.send(new DatagramPacket(datagram, datagram.length, server));
    }

    Optional<Reply> receive() throws IOException {
        DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
        socket.receive(packet);
        return Reply.decode(bytes, 0, packet.getLength());
    }

    @Override
    public void close() {
        socket.close();
    }
}
