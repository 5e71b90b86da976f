package dev.weir.load.socket;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;

/** A TCP connection with a two-byte length before each request and answer. */
final class TcpQuerySocket implements QuerySocket {
    private static final int LENGTH = Short.BYTES;
    private static final int IN_BUFFER = 1 << 16;

    private final SocketChannel channel;
    private final int stride;
    private final ByteBuffer out;
    private final byte[][] requests = new byte[BATCH][];
    private final int[] lengths = new int[BATCH];
    private final ByteBuffer in = ByteBuffer.allocateDirect(IN_BUFFER).order(ByteOrder.LITTLE_ENDIAN);
    private final int[] answers = new int[BATCH];
    private int found;

    private TcpQuerySocket(SocketChannel channel, int maxBytes) {
        this.channel = channel;
        this.stride = LENGTH + maxBytes;
        this.out = ByteBuffer.allocateDirect(2 * BATCH * stride).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < BATCH; i++) {
            requests[i] = new byte[maxBytes];
        }
    }

    static TcpQuerySocket open(InetSocketAddress storage, int maxBytes) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.connect(storage);
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return new TcpQuerySocket(channel, maxBytes);
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public void put(int i, byte[] bytes, int length) {
        System.arraycopy(bytes, 0, requests[i], 0, length);
        lengths[i] = length;
    }

    @Override
    public void send(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            out.putShort((short) lengths[i]).put(requests[i], 0, lengths[i]);
        }
        flush();
    }

    private void flush() throws IOException {
        out.flip();
        channel.write(out);
        out.compact();
    }

    @Override
    public boolean canSend() {
        return out.remaining() >= BATCH * stride;
    }

    @Override
    public int poll() throws IOException {
        if (out.position() > 0) {
            flush();
        }
        // Answers that were read make room.
        int consumed = found == 0 ? 0 : answers[found - 1] + LENGTH + length(answers[found - 1]);
        in.flip().position(consumed);
        in.compact();
        if (channel.read(in) < 0) {
            throw new IOException("the storage closed the connection");
        }
        found = 0;
        int at = 0;
        while (found < BATCH && at + LENGTH <= in.position() && at + LENGTH + length(at) <= in.position()) {
            answers[found++] = at;
            at += LENGTH + length(at);
        }
        return found;
    }

    private int length(int at) {
        return in.getShort(at) & 0xffff;
    }

    @Override
    public int take(int i, byte[] target) {
        int length = Math.min(length(answers[i]), MAX_ANSWER);
        in.get(answers[i] + LENGTH, target, 0, length);
        return length;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
