package dev.weir.http.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.tls.TlsContext;
import dev.weir.model.Network;
import dev.weir.net.UnixPlace;
import dev.weir.os.ThreadScheduling;
import org.jspecify.annotations.Nullable;

/**
 * A server of HTTP/1.0 and HTTP/1.1 over TCP and Unix-domain sockets, with a virtual thread for each connection. Jetty
 * reads and writes ({@link Engine}, docs/decisions/0032-jetty.md); this class decides who has a place, and for how
 * long. {@link #start} once, {@link #close} once, from any thread.
 */
public final class HttpServer implements AutoCloseable {
    /** The time that a connection may rest after a reply. Prometheus asks once a minute. */
    static final Duration IDLE = Duration.ofSeconds(75);
    /** The time that a stop waits for exchanges in progress. */
    private static final Duration DRAIN = Duration.ofSeconds(5);
    /** The time in which a request must arrive that was on its way when a stop began. */
    private static final Duration ON_THE_WAY = Duration.ofMillis(300);

    private static final byte[] NOTHING = {};

    private final List<SocketAddress> binds;
    private final BodyBudget budget;
    private volatile ServerLimits limits;
    private volatile HttpHandler handler;
    private volatile @Nullable TlsContext tls;
    private volatile Duration hsts = Duration.ZERO;
    private final ServerCounters counters = new ServerCounters();
    private final LongSupplier nanos;
    private final Deadlines deadlines;
    private final AdmissionControl<ChannelEndPoint> admission;
    private final FullNotice full;
    private final Engine engine;
    private ListenSockets listeners = ListenSockets.none();
    private boolean started;
    private volatile boolean closed;

    /**
     * Creates a server that does not listen yet.
     *
     * @param binds network addresses and {@link UnixDomainSocketAddress}es or {@link UnixPlace}s
     */
    public HttpServer(List<SocketAddress> binds, ServerLimits limits, BodyBudget budget, HttpHandler handler) {
        this(binds, limits, budget, handler, System::nanoTime);
    }

    /**
     * Creates a server with another clock for deadlines.
     *
     * @param binds as in the other constructor; empty if {@link #start(ListenSockets)} gets bound listeners
     * @param nanos a clock like {@link System#nanoTime}
     */
    public HttpServer(List<SocketAddress> binds, ServerLimits limits, BodyBudget budget, HttpHandler handler,
            LongSupplier nanos) {
        this.nanos = nanos;
        this.deadlines = new Deadlines("weir-http-deadlines", nanos);
        this.binds = List.copyOf(binds);
        this.limits = limits;
        this.budget = budget;
        this.handler = handler;
        this.admission = new AdmissionControl<>(limits.connections(), limits.perAddress());
        this.full = new FullNotice(counters, System::nanoTime);
        this.engine = new Engine(this);
        engine.headBytes(limits.request().headBytes());
    }

    /**
     * Replaces limits and handler. Open connections stay, even if there are more than the new limit, and the old
     * handler answers the requests that it has.
     */
    public synchronized void reconfigure(ServerLimits others, HttpHandler next) {
        limits = others;
        handler = next;
        admission.resize(others.connections(), others.perAddress());
        engine.headBytes(others.request().headBytes());
    }

    /**
     * Sets the certificate of connections from now on, before the server starts or later.
     *
     * @param promise how long a browser may use this host with TLS only; zero if it need not
     */
    public void secure(TlsContext context, Duration promise) {
        tls = context;
        hsts = promise;
    }

    Duration hsts() {
        return hsts;
    }

    /**
     * Starts to listen on all addresses.
     *
     * @return the addresses with their actual ports, in the given order
     * @throws IOException if an address cannot be used; the message names it, and nothing stays open
     * @throws IllegalStateException if it was started before
     */
    public List<SocketAddress> start() throws IOException {
        return start(ListenSockets.bind(binds));
    }

    /**
     * Starts to accept connections from bound listeners, and closes them in the end.
     *
     * @return their addresses
     * @throws IllegalStateException if it was started before
     */
    public synchronized List<SocketAddress> start(ListenSockets bound) {
        if (started || closed) {
            bound.close();
            throw new IllegalStateException("a server can be started once");
        }
        started = true;
        listeners = bound;
        engine.start();
        deadlines.start();
        listeners.accept("weir-http-accept", this::accept);
        return listeners.addresses();
    }

    /**
     * Starts to serve the connections that it {@link #adopt adopts}, and no others.
     *
     * @throws IllegalStateException if it was started before
     */
    public void startWithoutAddress() {
        start(ListenSockets.none());
    }

    /**
     * Serves a connection that another part of the program accepted.
     *
     * @param channel a connection in blocking mode, which the server closes
     * @param begun what was read from it
     */
    public void adopt(SocketChannel channel, byte[] begun) {
        try {
            synchronized (this) {
                if (!closed) {
                    arrive(channel, begun, false);
                    return;
                }
            }
            channel.close();
        } catch (IOException | RuntimeException e) {
            counters.acceptFailure();
            full.say("connections could not be taken over", e);
        }
    }

    private void accept(ServerSocketChannel listener) {
        // Each connection wakes this thread, and running exchanges should end before new ones begin.
        ThreadScheduling.useBatchPolicy();
        boolean tls = listeners.isTls(listener);
        new AcceptLoop(channel -> arrive(channel, NOTHING, tls), counters::lostOne, this::acceptFailed).run(listener);
    }

    private void acceptFailed(Throwable cause) {
        counters.acceptFailure();
        full.say("connections could not be accepted", cause);
    }

    private void arrive(SocketChannel channel, byte[] begun, boolean tls) throws IOException {
        counters.connected();
        boolean taken = false;
        try {
            Client client = Client.UNIX;
            if (channel.getRemoteAddress() instanceof InetSocketAddress address) {
                client = Client.of(address.getAddress());
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            ChannelEndPoint connection = new ChannelEndPoint(channel, begun, client, tls, this);
            deadlines.add(connection);
            AdmissionControl.Change<ChannelEndPoint> change = admission.arrive(connection, network(client));
            taken = change.refusal().isEmpty();
            change.refusal().ifPresent(refusal -> {
                deadlines.remove(connection);
                refuse(refusal);
            });
            change.displaced().ifPresent(this::displace);
            change.entering().forEach(entering -> enter(entering, entering != connection));
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    private static Optional<Network> network(Client client) {
        return client.address().filter(address -> !address.isLoopbackAddress()).map(AdmissionControl::networkOf);
    }

    private void refuse(AdmissionControl.Refusal refusal) {
        switch (refusal) {
            case TOO_MANY_OF_ADDRESS -> counters.refusedOne();
            case FULL -> counters.overflow();
        }
        full.say("connections are refused", refusal == AdmissionControl.Refusal.FULL
                ? "every place serves a request"
                : "an address has all that it may have");
    }

    private void displace(ChannelEndPoint connection) {
        counters.displacedOne();
        deadlines.remove(connection);
        connection.displace();
        full.say("idle connections are closed because others need their places",
                "the last one of " + connection.client());
    }

    private void enter(ChannelEndPoint connection, boolean late) {
        if (late) {
            connection.enterLate();
        }
        boolean running = false;
        try {
            Thread.ofVirtual().name("weir-http").start(connection);
            running = true;
        } finally {
            if (!running) {
                connection.displace();
                ended(connection);
            }
        }
    }

    /**
     * Records that a connection has sent a complete request, or the head of one that has access. Returns false if the
     * connection has lost its place.
     */
    boolean asks(ChannelEndPoint connection) {
        return admission.prove(connection);
    }

    /** Ends a connection that is over its time, also if it waits for a place. */
    void dismiss(ChannelEndPoint connection) {
        if (admission.isWaiting(connection)) {
            counters.timeOut();
            ended(connection);
        }
    }

    /** Removes a closed connection. */
    void ended(ChannelEndPoint connection) {
        deadlines.remove(connection);
        admission.leave(connection).entering().forEach(entering -> enter(entering, true));
    }

    /** Begins to serve a connection, on its thread. */
    void open(ChannelEndPoint connection) {
        if (!connection.isTls()) {
            engine.open(connection, Optional.empty());
            return;
        }
        TlsContext secured = tls;
        if (secured == null) {
            throw new IllegalStateException("there is no certificate");
        }
        engine.open(connection, Optional.of(secured.engine()));
    }

    /** Records that a connection waits for its next request. Returns false if it must end. */
    boolean rests(ChannelEndPoint connection) {
        return !closed && admission.rest(connection);
    }

    /** Returns whether a connection may stay for another request. */
    boolean hasRoom() {
        return !closed && admission.waiting() == 0;
    }

    /** Returns the header line with the present time. */
    String date() {
        return engine.date();
    }

    /** Returns the time after a duration, on the clock of the deadlines. */
    long after(Duration time) {
        return nanos.getAsLong() + time.toNanos();
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

    /** Returns the counters. */
    public ServerCounters counters() {
        return counters;
    }

    /** Returns the number of connections that wait for a place. */
    public int waiting() {
        return admission.waiting();
    }

    /** Returns the number of connections with a place. */
    public int open() {
        return admission.seated();
    }

    /** Stops listening, closes idle connections, waits a few seconds for exchanges in progress, then ends them. */
    @Override
    public void close() {
        close(DRAIN);
    }

    /**
     * Stops as {@link #close()} does.
     *
     * @param drain the time for exchanges in progress
     */
    public void close(Duration drain) {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            listeners.close();
            engine.closing();
        }
        try {
            if (!admission.awaitEmpty(ON_THE_WAY.toMillis())) {
                admission.dismissIdle().forEach(ChannelEndPoint::displace);
                if (!admission.awaitEmpty(drain.toMillis())) {
                    deadlines.expireAll();
                }
            }
        } catch (InterruptedException e) {
            deadlines.expireAll();
            Thread.currentThread().interrupt();
        }
        deadlines.close();
        engine.stop();
    }
}
