package dev.weir.testkit;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Arrays;

import dev.weir.model.Digest;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.frame.FrameReader;
import dev.weir.wire.frame.FrameWriter;
import dev.weir.wire.reply.Reply;

/** A client that sends and receives frames over TCP, also byte by byte. */
public final class StreamClient implements Closeable {
    private static final int TIMEOUT = 20_000;
    private static final int DRAIN = 20;

    private final Socket socket = new Socket();
    private int tag;

    public StreamClient(InetSocketAddress server) throws IOException {
        this(server, "127.0.0.1");
    }

    public StreamClient(InetSocketAddress server, String source) throws IOException {
        this(server, source, 0);
    }

    /** @param receiveBuffer bytes that the system takes for a client that does not read; 0 for the usual */
    public StreamClient(InetSocketAddress server, String source, int receiveBuffer) throws IOException {
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.bind(new InetSocketAddress(InetAddress.ofLiteral(source), 0));
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT);
        socket.connect(server, TIMEOUT);
    }

    /** Returns a request as a datagram, with a unique tag. */
    public byte[] request(Generation generation, int code, Digest digest, int flag, int value) {
        byte[] bytes = new byte[Protocol.SHINGLED_COMMAND];
        return Arrays.copyOf(bytes, new CommandWriter().begin(bytes, 0, generation, code).flag(flag).value(value)
                .tag(++tag).digest(digest.toBytes(), 0).end());
    }

    /** Returns the bytes of a ping. */
    public byte[] ping(int value) {
        return request(Generation.V4, CommandCode.PING, Digest.of(new byte[Digest.BYTES]), 1, value);
    }

    public static byte[] framed(byte[]... requests) {
        ByteBuffer frames = ByteBuffer.allocate(Arrays.stream(requests).mapToInt(r -> r.length + FrameReader.HEADER)
                .sum());
        for (byte[] request : requests) {
            FrameWriter.put(frames, request, 0, request.length);
        }
        return frames.array();
    }

    public void sendRaw(byte[] bytes, int from, int to) throws IOException {
        socket.getOutputStream().write(bytes, from, to - from);
    }

    public void sendRaw(byte[] bytes) throws IOException {
        sendRaw(bytes, 0, bytes.length);
    }

    public void send(byte[] request) throws IOException {
        sendRaw(framed(request));
    }

    /** Returns the next frame of the server. */
    public byte[] receive() throws IOException {
        int low = read();
        int length = low | read() << 8;
        byte[] bytes = socket.getInputStream().readNBytes(length);
        if (bytes.length < length) {
            throw new IOException("the stream ends within a frame");
        }
        return bytes;
    }

    private int read() throws IOException {
        int value = socket.getInputStream().read();
        if (value < 0) {
            throw new IOException("the stream ends");
        }
        return value;
    }

    public Reply ask(byte[] request) throws IOException {
        send(request);
        return reply();
    }

    public Reply reply() throws IOException {
        byte[] bytes = receive();
        return Reply.decode(bytes, 0, bytes.length).orElseThrow();
    }

    /** Waits until the server closes the connection or sends a byte; returns whether it closed. */
    public boolean isClosedByServer() throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException reset) {
            return true;
        }
    }

    /** Reads until the stream ends or stays silent for a moment. */
    public void drain() throws IOException {
        socket.setSoTimeout(DRAIN);
        try {
            socket.getInputStream().readAllBytes();
        } catch (SocketException | SocketTimeoutException closedOrOpen) {
            // An update that is never stored keeps the connection open; here none is stored.
            return;
        }
    }

    /** Ends the output; the input stays open. */
    public void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** Closes the connection with a reset. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
