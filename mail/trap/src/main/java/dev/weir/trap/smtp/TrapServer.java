package dev.weir.trap.smtp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.server.Deadlines;
import dev.weir.http.tls.TlsContext;
import dev.weir.trap.decision.TrapCounters;
import dev.weir.trap.decision.TrapCounters.Event;
import dev.weir.trap.decision.TrapDecider;
import dev.weir.trap.decision.TrapOutcome;
import dev.weir.trap.settings.TrapSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.subethamail.smtp.server.SMTPServer;
import org.subethamail.smtp.server.Session;
import org.subethamail.smtp.server.SessionHandler;

/** SMTP and LMTP servers for traps, with a virtual thread for each connection. Start once, close once. */
public final class TrapServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TrapServer.class);

    /** The longest time of a connection. Otherwise slow clients could occupy all of them. */
    private static final Duration SESSION = Duration.ofMinutes(10);
    /** The time that a stop waits for mails in progress. */
    private static final Duration DRAIN = Duration.ofSeconds(5);
    private static final int MOST_RECIPIENTS = 100;
    /**
     * More than the settings allow, so that theirs is the limit that counts. The library adds to it, which must not
     * overflow.
     */
    private static final int LIBRARY_CONNECTIONS = 1_000_000;

    private final TrapListeners doors;
    private final Optional<TlsContext> tls;
    private final TrapDecider decider;
    private final TrapCounters counters;
    private final BodyBudget budget = BodyBudget.ofHeap().half();
    private final Deadlines deadlines = new Deadlines("weir-trap-deadlines", System::nanoTime);
    private final TrapPlaces places = new TrapPlaces();
    private final Map<Session, Visit> open = new ConcurrentHashMap<>();
    /** The sockets below TLS of those who asked for it. */
    private final Set<Socket> asked = ConcurrentHashMap.newKeySet();
    private final List<SMTPServer> servers = new ArrayList<>();
    private volatile TrapSettings settings;

    /**
     * Creates servers that do not accept yet.
     *
     * @param doors bound sockets, which this closes in the end
     * @param tls the certificate for STARTTLS, which only SMTP offers, because LMTP comes from a mail server nearby
     */
    public TrapServer(TrapListeners doors, Optional<TlsContext> tls, TrapSettings settings, TrapDecider decider,
            TrapCounters counters) {
        this.doors = doors;
        this.tls = tls;
        this.settings = settings;
        this.decider = decider;
        this.counters = counters;
    }

    /** A connection with the end of its time. */
    private final class Visit implements Deadlines.Timed {
        /** The socket below TLS. It closes at once; closing the TLS socket would wait for a thread that writes. */
        private final Socket socket;
        private final long end = System.nanoTime() + SESSION.toNanos();

        Visit(Session session) {
            this.socket = session.getSocket();
        }

        void shut() {
            try {
                socket.close();
            } catch (IOException e) {
                LOG.debug("closing a connection", e);
            }
        }

        @Override
        public long deadline() {
            return end;
        }

        @Override
        public void expire() {
            // Counted before the client can see the end.
            counters.count(Event.TIMEOUT);
            shut();
            deadlines.remove(this);
        }
    }

    private boolean isNear(InetAddress address) {
        return address.isLoopbackAddress() || settings.policy().relays().contains(address);
    }

    /** Counts and bounds connections. */
    private final class Visits implements SessionHandler {
        @Override
        public SessionAcceptance accept(Session session) {
            counters.count(Event.CONNECTION);
            Visit visit = new Visit(session);
            InetAddress address = session.getRemoteAddress().getAddress();
            Optional<Event> refusal = places.take(session, address, isNear(address), settings.connections());
            if (refusal.isPresent()) {
                counters.count(refusal.get());
                return SessionAcceptance.failure(421, refusal.get() == Event.OVERFLOW
                        ? "4.3.2 Too many connections, try again later"
                        : "4.7.0 Too many connections of your address, try again later");
            }
            open.put(session, visit);
            deadlines.add(visit);
            return SessionAcceptance.success();
        }

        @Override
        public void onSessionEnd(Session session) {
            places.leave(session);
            Visit visit = open.remove(session);
            if (visit != null) {
                deadlines.remove(visit);
                if (asked.remove(visit.socket) && !session.isTLSStarted()) {
                    counters.count(Event.TLS_FAILURE);
                }
            }
        }
    }

    /** Starts to accept connections. Returns the addresses with their actual ports. */
    public List<InetSocketAddress> start() {
        deadlines.start();
        for (TrapListener listener : doors.listeners()) {
            // A server closes its executor when it stops, while another one may still take connections.
            ThreadFactory factory = Thread.ofVirtual().name("weir-trap-", 0).factory();
            ExecutorService threads = Executors
                    .newThreadPerTaskExecutor(session -> factory.newThread(() -> run(session)));
            Optional<TlsContext> offered = tls.filter(_ -> !listener.isLmtp());
            SMTPServer.Builder builder = SMTPServer.port(listener.getLocalPort())
                    .serverSocketFactory(() -> listener)
                    .hostName("trap")
                    .softwareName("Weir")
                    .serverThreadName("weir-trap-accept")
                    .executorService(threads)
                    .maxConnections(LIBRARY_CONNECTIONS)
                    .connectionTimeoutMs((int) settings.idle().toMillis())
                    .maxRecipients(MOST_RECIPIENTS)
                    .maxMessageSize(settings.mailBytes())
                    .insertReceivedHeaders(false)
                    .sessionHandler(new Visits())
                    .messageHandlerFactory(context -> new TrapMessage(context, settings, decider, counters, budget));
            offered.ifPresent(certificate -> builder.enableTLS().startTlsSocketFactory(socket -> {
                asked.add(socket);
                return certificate.socket(socket);
            }));
            SMTPServer server = builder.build();
            LaxCommands.install(server.getCommandHandler(), () -> settings.mailBytes(),
                    () -> counters.count(TrapOutcome.TOO_LARGE));
            server.start();
            servers.add(server);
        }
        return doors.addresses();
    }

    /** Runs a session. The library closes its connection, and passes on what it does not expect. */
    private void run(Runnable session) {
        try {
            session.run();
        } catch (RuntimeException | Error e) {
            counters.count(Event.DEFECT);
            LOG.error("a connection ended because of a bug or a lack of memory", e);
        }
    }

    /** Replaces the settings except the addresses and the timeout. Mails in progress keep theirs. */
    public void reconfigure(TrapSettings others) {
        settings = others;
    }

    /** Returns the number of open connections. */
    public int open() {
        return open.size();
    }

    /**
     * Stops listening, closes all connections, and waits a few seconds for what they began. A client has no reply to a
     * mail in progress then and sends it again.
     */
    @Override
    public void close() {
        // A server closes its door itself: to find it closed would be an error to it. Each stop waits for the mails in
        // progress without a limit, so they run at the same time and on threads that nothing waits for in the end.
        ExecutorService stops = Executors.newVirtualThreadPerTaskExecutor();
        servers.forEach(server -> stops.execute(server::stop));
        stops.shutdown();
        try {
            if (!stops.awaitTermination(DRAIN.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("mails to traps are still being decided; their senders have no reply and send them again");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        doors.close();
        open.values().forEach(Visit::shut);
        deadlines.close();
    }
}
