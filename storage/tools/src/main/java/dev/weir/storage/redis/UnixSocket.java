package dev.weir.storage.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * A connection to a Unix-domain socket in the form of a {@link Socket}, which is what the client for Redis asks for.
 * Java has such sockets only as channels, without a time limit for reading. Not thread-safe.
 */
final class UnixSocket extends Socket {
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private int patienceMillis;

    private UnixSocket(SocketChannel channel) throws IOException {
        this.channel = channel;
        this.selector = Selector.open();
        try {
            channel.configureBlocking(false);
            this.key = channel.register(selector, SelectionKey.OP_READ);
        } catch (Throwable e) {
            selector.close();
            throw e;
        }
    }

    static UnixSocket connect(Path path) throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
        try {
            return new UnixSocket(channel);
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    private void await(int operation) throws IOException {
        key.interestOps(operation);
        selector.selectedKeys().clear();
        if (selector.select(patienceMillis) == 0) {
            if (!selector.isOpen() || Thread.currentThread().isInterrupted()) {
                throw new IOException("the connection was closed");
            }
            throw new SocketTimeoutException("there is no answer in time");
        }
    }

    @Override
    public InputStream getInputStream() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                ByteBuffer buffer = ByteBuffer.wrap(target, offset, length);
                int count = channel.read(buffer);
                while (count == 0 && length > 0) {
                    await(SelectionKey.OP_READ);
                    count = channel.read(buffer);
                }
                return count;
            }
        };
    }

    @Override
    public OutputStream getOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                write(new byte[]{(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] source, int offset, int length) throws IOException {
                ByteBuffer buffer = ByteBuffer.wrap(source, offset, length);
                while (buffer.hasRemaining()) {
                    if (channel.write(buffer) == 0) {
                        await(SelectionKey.OP_WRITE);
                    }
                }
            }
        };
    }

    @Override
    public void setSoTimeout(int millis) {
        patienceMillis = millis;
    }

    @Override
    public int getSoTimeout() {
        return patienceMillis;
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        try {
            return channel.getRemoteAddress();
        } catch (IOException e) {
            return UnixDomainSocketAddress.of("");
        }
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public boolean isBound() {
        return channel.isConnected();
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        try (selector) {
            channel.close();
        }
    }

    @Override
    public String toString() {
        return String.valueOf(getRemoteSocketAddress());
    }
}
