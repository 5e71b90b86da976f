package dev.weir.http.server;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A listener whose accepts a test decides. */
final class ScriptedListener extends ServerSocketChannel {
    /** What an accept does. */
    @FunctionalInterface
    interface Accept {
        /** Returns a connection. {@code number} counts the accepts from 0. */
        SocketChannel from(ServerSocketChannel channel, int number) throws IOException;
    }

    final AtomicInteger accepts = new AtomicInteger();
    private final ServerSocketChannel channel;
    private final Accept accept;

    ScriptedListener(ServerSocketChannel channel, Accept accept) {
        super(channel.provider());
        this.channel = channel;
        this.accept = accept;
    }

    @Override
    public SocketChannel accept() throws IOException {
        return accept.from(channel, accepts.getAndIncrement());
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
