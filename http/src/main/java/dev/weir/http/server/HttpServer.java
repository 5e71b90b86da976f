package dev.weir.http.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.weir.http.message.BodyBudget;
import dev.weir.net.ThreadScheduling;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server of HTTP/1.0 and 1.1 over TCP and sockets in the file system: one exchange a connection, a virtual thread each.
 *
 * <p>Own code because no kept library speaks as Rspamd's clients need it, see docs/decisions/0009-http-server.md.
 * {@link #start} once, {@link #close} once, from any thread.
 */
public final class HttpServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
    private static final int BACKLOG = 1024;

    /** How long a stop waits for the exchanges that are under way. */
    private static final Duration DRAIN = Duration.ofSeconds(5);
    /** After a failure to accept, such as too many open files: waiting is all that helps. */
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    private static final DateTimeFormatter DATE = DateTimeFormatter
            .ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH).withZone(ZoneOffset.UTC);

    private final List<SocketAddress> binds;
    private final BodyBudget budget;
    private volatile ServerLimits limits;
    private volatile HttpHandler handler;
    private final ServerCounters counters = new ServerCounters();
    private final Deadlines deadlines = new Deadlines("weir-http-deadlines", System::nanoTime);
    private final Places free;
    private final ConcurrentHashMap<InetAddress, Integer> perAddress = new ConcurrentHashMap<>();
    private final List<ServerSocketChannel> listeners = new ArrayList<>();
    private volatile Second second = new Second(-1, "");
    private boolean started;
    private volatile boolean closed;

    /**
     * A server that does not listen yet.
     *
     * @param binds addresses of the network, and {@link UnixDomainSocketAddress}es
     */
    public HttpServer(List<SocketAddress> binds, ServerLimits limits, BodyBudget budget, HttpHandler handler) {
        this.binds = List.copyOf(binds);
        this.limits = limits;
        this.budget = budget;
        this.handler = handler;
        this.free = new Places(limits.connections());
    }

    /** Places for connections, of which there may be fewer later on than are taken. */
    private static final class Places extends Semaphore {
        private static final long serialVersionUID = 1L;

        Places(int places) {
            super(places);
        }

        void take(int places) {
            reducePermits(places);
        }
    }

    /**
     * Goes on with other limits and another handler. Connections that are open stay, also where there are to be fewer; what
     * was handed to the old handler is answered by it.
     */
    public synchronized void reconfigure(ServerLimits others, HttpHandler next) {
        int more = others.connections() - limits.connections();
        limits = others;
        handler = next;
        if (more > 0) {
            free.release(more);
        } else {
            free.take(-more);
        }
    }

    /**
     * Begins to listen on all addresses.
     *
     * @return the addresses with the ports that were taken, in the order that they were given in
     * @throws IOException if one of them cannot be used, which the message names; nothing is open then
     * @throws IllegalStateException if it was started before
     */
    public synchronized List<SocketAddress> start() throws IOException {
        if (started || closed) {
            throw new IllegalStateException("a server can be started once");
        }
        started = true;
        List<SocketAddress> addresses = new ArrayList<>();
        for (SocketAddress bind : binds) {
            try {
                ServerSocketChannel listener = listen(bind);
                listeners.add(listener);
                addresses.add(listener.getLocalAddress());
            } catch (IOException e) {
                closeListeners();
                throw new IOException("cannot listen on " + bind + ": " + e.getMessage(), e);
            }
        }
        deadlines.start();
        for (ServerSocketChannel listener : listeners) {
            Thread.ofPlatform().name("weir-http-accept").daemon().start(() -> accept(listener));
        }
        return addresses;
    }

    private static ServerSocketChannel listen(SocketAddress bind) throws IOException {
        boolean unix = bind instanceof UnixDomainSocketAddress;
        if (bind instanceof UnixDomainSocketAddress file) {
            removeStale(file);
        }
        ServerSocketChannel listener = unix
                ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                : ServerSocketChannel.open();
        try {
            if (!unix) {
                listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            }
            listener.bind(bind, BACKLOG);
            if (bind instanceof UnixDomainSocketAddress file) {
                // Whoever can open it needs no password.
                Files.setPosixFilePermissions(file.getPath(), PosixFilePermissions.fromString("rw-rw----"));
            }
            return listener;
        } catch (IOException | RuntimeException e) {
            listener.close();
            throw e;
        }
    }

    /** A socket file that nobody listens behind is what a killed process left. */
    private static void removeStale(UnixDomainSocketAddress file) throws IOException {
        if (!Files.exists(file.getPath()) || Files.isRegularFile(file.getPath()) || Files.isDirectory(file.getPath())) {
            return;
        }
        try (SocketChannel probe = SocketChannel.open(file)) {
            LOG.debug("somebody listens on {}", probe.getRemoteAddress());
        } catch (IOException nobody) {
            Files.deleteIfExists(file.getPath());
        }
    }

    private void accept(ServerSocketChannel listener) {
        // Each connection wakes this thread, and what is under way should end before something else begins.
        ThreadScheduling.waitTurn();
        while (!closed) {
            free.acquireUninterruptibly();
            boolean taken = false;
            try {
                SocketChannel channel = listener.accept();
                counters.connected();
                taken = serve(channel);
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                LOG.warn("a connection could not be accepted: {}", e.toString());
                LockSupport.parkNanos(this, PAUSE);
            } finally {
                if (!taken) {
                    free.release();
                }
            }
        }
    }

    private boolean serve(SocketChannel channel) throws IOException {
        Client client = Client.UNIX;
        try {
            if (channel.getRemoteAddress() instanceof InetSocketAddress address) {
                client = Client.of(address.getAddress());
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        if (!admit(client)) {
            counters.refusedOne();
            channel.close();
            return false;
        }
        Connection connection = new Connection(channel, client, this);
        deadlines.add(connection);
        Thread.ofVirtual().name("weir-http").start(connection);
        return true;
    }

    private boolean admit(Client client) {
        if (client.address().isEmpty() || client.address().get().isLoopbackAddress()) {
            return true;
        }
        int now = perAddress.merge(client.address().get(), 1, Integer::sum);
        if (now <= limits.perAddress()) {
            return true;
        }
        leave(client);
        return false;
    }

    private void leave(Client client) {
        client.address().filter(address -> !address.isLoopbackAddress())
                .ifPresent(address -> perAddress.computeIfPresent(address,
                        (_, count) -> count > 1 ? Integer.valueOf(count - 1) : null));
    }

    void ended(Connection connection, Client client) {
        deadlines.remove(connection);
        leave(client);
        free.release();
    }

    /** A second since 1970 as replies tell it. */
    private record Second(long number, String text) {}

    /** The time as replies tell it (RFC 9110, 5.6.7), made once a second. */
    String date() {
        Instant now = Instant.now();
        Second last = second;
        if (last.number() != now.getEpochSecond()) {
            last = new Second(now.getEpochSecond(), DATE.format(now));
            second = last;
        }
        return last.text();
    }

    ServerLimits limits() {
        return limits;
    }

    BodyBudget budget() {
        return budget;
    }

    HttpHandler handler() {
        return handler;
    }

    /** What was counted. */
    public ServerCounters counters() {
        return counters;
    }

    /** Connections that are open at the moment. */
    public int open() {
        return deadlines.size();
    }

    /** Stops to listen, gives the exchanges under way a few seconds, then ends them. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            closeListeners();
        }
        try {
            if (!free.tryAcquire(limits.connections(), DRAIN.toMillis(), TimeUnit.MILLISECONDS)) {
                deadlines.expireAll();
            }
        } catch (InterruptedException e) {
            deadlines.expireAll();
            Thread.currentThread().interrupt();
        }
        deadlines.close();
    }

    private void closeListeners() {
        for (ServerSocketChannel listener : listeners) {
            try {
                SocketAddress address = listener.getLocalAddress();
                listener.close();
                if (address instanceof UnixDomainSocketAddress file) {
                    Files.deleteIfExists(file.getPath());
                }
            } catch (IOException e) {
                LOG.debug("closing a listener", e);
            }
        }
    }
}
