package dev.weir.http.server;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A listener whose first accepts fail, in turn with an exception and with an error. */
final class FailingListener extends ServerSocketChannel {
    final AtomicInteger accepts = new AtomicInteger();
    private final ServerSocketChannel channel;
    private final int failures;

    FailingListener(ServerSocketChannel channel, int failures) {
        super(channel.provider());
        this.channel = channel;
        this.failures = failures;
    }

    @Override
    public SocketChannel accept() throws IOException {
        int accept = accepts.getAndIncrement();
        if (accept >= failures) {
            return channel.accept();
        }
        if (accept % 2 == 0) {
            throw new IOException("Too many open files");
        }
        throw new OutOfMemoryError("unable to create native thread");
    }

    @Override
    public ServerSocketChannel bind(SocketAddress local, int backlog) throws IOException {
        channel.bind(local, backlog);
        return this;
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        channel.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return channel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }

    @Override
    public ServerSocket socket() {
        return channel.socket();
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        return channel.getLocalAddress();
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        channel.close();
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        channel.configureBlocking(block);
    }
}
