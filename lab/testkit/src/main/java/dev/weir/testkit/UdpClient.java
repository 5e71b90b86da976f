package dev.weir.testkit;

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

/** A client that sends plain datagrams and waits for each reply. */
public final class UdpClient implements Closeable {
    /** Receive buffer in bytes. Some tests send hundreds of requests before they read the replies. */
    private static final int RECEIVE_BUFFER = 4 << 20;

    private final DatagramSocket socket;
    private InetSocketAddress server;
    private final byte[] bytes = new byte[2048];
    private int tag;

    /** Creates a client at 127.0.0.1 that waits ten seconds for a reply. */
    public UdpClient(InetSocketAddress server) throws IOException {
        this(server, "127.0.0.1", 10_000);
    }

    /**
     * Creates a client.
     *
     * @param source the address to send from
     * @param timeoutMillis how long {@link #receive} waits
     */
    public UdpClient(InetSocketAddress server, String source, int timeoutMillis) throws IOException {
        this.server = server;
        this.socket = new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral(source), 0));
        socket.setReceiveBufferSize(RECEIVE_BUFFER);
        socket.setSoTimeout(timeoutMillis);
    }

    /** Adds a weight to a flag and returns the reply. */
    public Reply write(Digest digest, int flag, int weight, long @Nullable [] shingles) throws IOException {
        return ask(Generation.V4, CommandCode.WRITE, digest, flag, weight, shingles);
    }

    /** Deletes a flag and returns the reply. */
    public Reply delete(Digest digest, int flag) throws IOException {
        return ask(Generation.V4, CommandCode.DEL, digest, flag, 0, null);
    }

    /** Checks a hash and returns the reply. */
    public Reply check(Digest digest, long @Nullable [] shingles) throws IOException {
        return ask(Generation.MULTI_FLAG, CommandCode.CHECK, digest, 0, 0, shingles);
    }

    /** Sends any command and returns the reply. */
    public Reply ask(Generation generation, int code, Digest digest, int flag, int value, long @Nullable [] shingles)
            throws IOException {
        send(generation, code, digest, flag, value, shingles);
        return receive().orElseThrow();
    }

    /** Sends any command without waiting. */
    public void send(Generation generation, int code, Digest digest, int flag, int value, long @Nullable [] shingles)
            throws IOException {
        sendRaw(request(generation, code, digest, flag, value, shingles));
    }

    /** Returns the bytes of a command with a new tag, for {@link #sendRaw}. */
    public byte[] request(Generation generation, int code, Digest digest, int flag, int value,
            long @Nullable [] shingles) {
        tag++;
        CommandWriter writer = new CommandWriter().begin(bytes, 0, generation, code).flag(flag).value(value).tag(tag)
                .digest(digest.toBytes(), 0);
        if (shingles != null) {
            writer.shingles(shingles);
        }
        return Arrays.copyOf(bytes, writer.end());
    }

    /** Changes the server for later requests; the local port stays the same. */
    public void turnTo(InetSocketAddress other) {
        server = other;
    }

    /** Sends a datagram. */
    public void sendRaw(byte[] datagram) throws IOException {
        socket.send(new DatagramPacket(datagram, datagram.length, server));
    }

    /**
     * Receives a datagram and decodes it.
     *
     * @return empty if it is not a reply
     * @throws java.net.SocketTimeoutException if none arrives in time
     */
    public Optional<Reply> receive() throws IOException {
        byte[] reply = receiveRaw();
        return Reply.decode(reply, 0, reply.length);
    }

    /**
     * Receives a datagram.
     *
     * @throws java.net.SocketTimeoutException if none arrives in time
     */
    public byte[] receiveRaw() throws IOException {
        DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
        socket.receive(packet);
        return Arrays.copyOf(bytes, packet.getLength());
    }

    /** Changes how long {@link #receive} waits. */
    public void timeout(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    @Override
    public void close() {
        socket.close();
    }
}
