package dev.weir.milter.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.server.AcceptLoop;
import dev.weir.http.server.Deadlines;
import dev.weir.http.server.ListenSockets;
import dev.weir.milter.session.MilterCounters;
import dev.weir.milter.session.MilterCounters.Event;
import dev.weir.milter.session.MilterSession;
import dev.weir.milter.settings.MilterSettings;

/**
 * A server of the milter protocol over TCP and Unix-domain sockets, with a virtual thread for each connection.
 * {@link #start} once, {@link #close} once, from any thread.
 */
public final class MilterServer implements AutoCloseable {
    /** The time that a stop waits for mails in progress. */
    private static final Duration DRAIN = Duration.ofSeconds(5);

    private final MilterSession.Shared shared;
    private final Deadlines deadlines = new Deadlines("weir-milter-deadlines", System::nanoTime);
    private final RepeatedNotice notice = new RepeatedNotice(System::nanoTime);
    private final Set<MilterConnection> open = ConcurrentHashMap.newKeySet();
    private final ListenSockets listeners;
    private volatile MilterSettings settings;
    private volatile boolean closed;

    /**
     * Creates a server that does not accept yet.
     *
     * @param listeners bound sockets, which this closes in the end
     */
    public MilterServer(MilterSession.Shared shared, MilterSettings settings, ListenSockets listeners) {
        this.shared = shared;
        this.settings = settings;
        this.listeners = listeners;
    }

    /** Starts to accept connections. Returns the addresses. */
    public List<SocketAddress> start() {
        deadlines.start();
        listeners.accept("weir-milter-accept", this::accept);
        return listeners.addresses();
    }

    /** Replaces the settings. Mails in progress keep theirs. */
    public void reconfigure(MilterSettings others) {
        settings = others;
    }

    private void accept(ServerSocketChannel listener) {
        new AcceptLoop(this::arrive, () -> counters().count(Event.LOST), this::acceptFailed).run(listener);
    }

    private void acceptFailed(Throwable cause) {
        counters().count(Event.ACCEPT_FAILURE);
        notice.say("connections could not be accepted", cause);
    }

    private void arrive(SocketChannel channel) throws IOException {
        counters().count(Event.CONNECTION);
        boolean taken = false;
        try {
            if (channel.getRemoteAddress() instanceof InetSocketAddress address) {
                if (!settings.admits(address.getAddress())) {
                    counters().count(Event.NOT_ALLOWED);
                    notice.say("allow_ip does not contain a client", address.getAddress().getHostAddress());
                    return;
                }
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            if (open.size() >= settings.connections()) {
                counters().count(Event.OVERFLOW);
                notice.say("a connection was closed because there are too many", open.size());
                return;
            }
            MilterConnection connection = new MilterConnection(channel, this);
            open.add(connection);
            deadlines.add(connection);
            Thread.ofVirtual().name("weir-milter").start(connection);
            taken = true;
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    void ended(MilterConnection connection) {
        deadlines.remove(connection);
        open.remove(connection);
        if (closed) {
            synchronized (this) {
                notifyAll();
            }
        }
    }

    MilterSession session() {
        return new MilterSession(shared, settings);
    }

    BodyBudget.Share share() {
        return shared.budget().share();
    }

    MilterSettings settings() {
        return settings;
    }

    MilterCounters counters() {
        return shared.counters();
    }

    RepeatedNotice notice() {
        return notice;
    }

    boolean isClosed() {
        return closed;
    }

    long after(Duration time) {
        return System.nanoTime() + time.toNanos();
    }

    /** Returns the number of open connections. */
    public int open() {
        return open.size();
    }

    /** Stops listening, waits a few seconds for mails in progress, then closes all connections. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        listeners.close();
        open.forEach(MilterConnection::closeIfIdle);
        try {
            awaitEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        open.forEach(MilterConnection::close);
        deadlines.close();
    }

    private synchronized void awaitEmpty() throws InterruptedException {
        long end = after(DRAIN);
        while (!open.isEmpty()) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                return;
            }
            wait(left);
        }
    }
}
