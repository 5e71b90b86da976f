package dev.weir.http.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import dev.weir.model.failure.Reason;
import dev.weir.net.ListenAddress;
import dev.weir.net.UnixPlace;
import dev.weir.net.UnixSocketFile;
import dev.weir.os.UninterruptibleJoin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bound listeners of a server. Clients that connect before the server starts wait. {@link #bind} once, {@link
 * #close} any number of times, from any thread.
 */
public final class ListenSockets implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ListenSockets.class);
    private static final int BACKLOG = 1024;

    /** The mode of the file. Whoever can open the socket needs no password. */
    private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-rw----");

    private final List<ServerSocketChannel> channels = new ArrayList<>();
    private final Set<ServerSocketChannel> tls = new HashSet<>();
    private final List<SocketAddress> addresses = new ArrayList<>();
    private final List<UnixSocketFile> files = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private boolean closed;

    private ListenSockets() {}

    /**
     * Binds all addresses.
     *
     * @param binds network addresses and {@link UnixDomainSocketAddress}es or {@link UnixPlace}s
     * @throws IOException if an address cannot be used; the message names it, and nothing stays open
     */
    public static ListenSockets bind(List<? extends SocketAddress> binds) throws IOException {
        ListenSockets listeners = new ListenSockets();
        try {
            for (SocketAddress bind : binds) {
                if (!isCovered(bind, binds)) {
                    listeners.open(bind);
                }
            }
            return listeners;
        } catch (Throwable e) {
            listeners.close();
            throw e;
        }
    }

    /**
     * Binds one Unix-domain socket with the mode of its file.
     *
     * @throws IOException if the system refuses, or another process listens there
     */
    public static ListenSockets bind(UnixSocketFile file) throws IOException {
        ListenSockets listeners = new ListenSockets();
        try {
            listeners.open(file);
            return listeners;
        } catch (Throwable e) {
            listeners.close();
            throw e;
        }
    }

    /** Wraps bound channels, for tests. */
    static ListenSockets of(ServerSocketChannel bound) throws IOException {
        ListenSockets listeners = new ListenSockets();
        listeners.channels.add(bound);
        listeners.addresses.add(bound.getLocalAddress());
        return listeners;
    }

    /** Returns the listeners of a server that does not listen. */
    static ListenSockets none() {
        return new ListenSockets();
    }

    private static boolean isCovered(SocketAddress bind, List<? extends SocketAddress> all) {
        return bind instanceof InetSocketAddress address && all.stream()
                .anyMatch(other -> other instanceof InetSocketAddress wider && ListenAddress.covers(wider, address));
    }

    private void open(SocketAddress bind) throws IOException {
        try {
            switch (bind) {
                case UnixDomainSocketAddress socket -> {
                    open(new UnixSocketFile(socket.getPath(), MODE));
                    addresses.add(bind);
                }
                case UnixPlace socket -> {
                    open(socket.file(MODE));
                    addresses.add(bind);
                }
                case InetSocketAddress address -> {
                    ServerSocketChannel channel = ListenAddress.channelFor(address);
                    channels.add(channel);
                    channel.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(address, BACKLOG);
                    InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
                    if (address instanceof TlsAddress) {
                        tls.add(channel);
                        local = new TlsAddress(local);
                    }
                    addresses.add(local);
                }
                default -> throw new IOException("it is neither a network address nor a Unix-domain socket");
            }
        } catch (IOException e) {
            throw new IOException("cannot listen on " + describe(bind) + ": " + Reason.of(e), e);
        }
    }

    private void open(UnixSocketFile file) throws IOException {
        ServerSocketChannel channel = file.open();
        channels.add(channel);
        file.bind(channel, BACKLOG);
        files.add(file);
    }

    private static String describe(SocketAddress bind) {
        return bind instanceof InetSocketAddress address && !address.isUnresolved()
                ? address.getAddress().getHostAddress() + " port " + address.getPort()
                : bind.toString();
    }

    /** Returns the addresses with their actual ports, in the given order. */
    public List<SocketAddress> addresses() {
        return List.copyOf(addresses);
    }

    /** Returns whether connections from a listener begin with TLS. */
    boolean isTls(ServerSocketChannel channel) {
        return tls.contains(channel);
    }

    /**
     * Starts a thread for each listener.
     *
     * @param name the name of the threads
     * @param accepting accepts connections until the listener is closed
     */
    public synchronized void accept(String name, Consumer<ServerSocketChannel> accepting) {
        for (ServerSocketChannel channel : channels) {
            threads.add(Thread.ofPlatform().name(name).daemon().start(() -> accepting.accept(channel)));
        }
    }

    /**
     * Closes the listeners, removes the socket files, and waits for the accepting threads: an accept in progress may
     * still get a connection from the kernel. There is no new connection afterwards.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        for (ServerSocketChannel channel : channels) {
            try {
                channel.close();
            } catch (IOException e) {
                LOG.debug("closing a listener", e);
            }
        }
        for (UnixSocketFile file : files) {
            try {
                file.delete();
            } catch (IOException e) {
                LOG.warn("cannot delete the socket {}: {}", file, Reason.of(e));
            }
        }
        threads.forEach(UninterruptibleJoin::of);
    }
}
