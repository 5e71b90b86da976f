package dev.weir.storage.server.stream;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

import dev.weir.testkit.StreamClient;

/** A client that sends as long as the system accepts data, and reads only on request. */
final class SlowReader implements Closeable {
    private static final int SMALL = 4_096;
    private static final int FRAMES = 500;
    private static final long PATIENCE_MILLIS = 20_000;

    private final SocketChannel channel = SocketChannel.open();
    private ByteBuffer rest = ByteBuffer.allocate(0);

    SlowReader(InetSocketAddress server) throws IOException {
        channel.setOption(StandardSocketOptions.SO_RCVBUF, SMALL);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, SMALL);
        channel.connect(server);
        channel.configureBlocking(false);
    }

    /** Sends frames until the system accepts no more, up to a limit. Returns the number of frames begun. */
    int send(byte[] frame) throws IOException {
        if (rest.hasRemaining() && channel.write(rest) >= 0 && rest.hasRemaining()) {
            return 0;
        }
        byte[] framed = StreamClient.framed(frame);
        for (int i = 0; i < FRAMES; i++) {
            rest = ByteBuffer.wrap(framed);
            if (channel.write(rest) == 0) {
                rest = ByteBuffer.allocate(0);
                return i;
            }
            if (rest.hasRemaining()) {
                return i + 1;
            }
        }
        return FRAMES;
    }

    /**
     * Reads the given number of bytes and meanwhile sends the rest of a frame. Returns fewer only if no more arrive.
     */
    long read(long bytes) throws IOException {
        long read = 0;
        ByteBuffer in = ByteBuffer.allocate(1 << 16);
        try (Selector selector = Selector.open()) {
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            while (read < bytes) {
                if (rest.hasRemaining()) {
                    channel.write(rest);
                }
                key.interestOps(SelectionKey.OP_READ | (rest.hasRemaining() ? SelectionKey.OP_WRITE : 0));
                if (selector.select(_ -> {}, PATIENCE_MILLIS) == 0) {
                    return read;
                }
                int count = channel.read(in.clear());
                if (count < 0) {
                    return read;
                }
                read += count;
            }
        }
        return read;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
