package dev.weir.http;

import java.io.IOException;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import dev.weir.http.access.AccessControl;
import dev.weir.http.controller.Controller;
import dev.weir.http.controller.ControllerOptions;
import dev.weir.http.controller.MailService;
import dev.weir.http.controller.Route;
import dev.weir.http.crypt.CryptHandler;
import dev.weir.http.crypt.HttpCrypt;
import dev.weir.http.crypt.KeyBudget;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.metrics.Health;
import dev.weir.http.metrics.Metric;
import dev.weir.http.metrics.StatisticsSource;
import dev.weir.http.server.Deadlines;
import dev.weir.http.server.HttpServer;
import dev.weir.http.server.ListenSockets;
import dev.weir.http.server.ServerCounters;
import dev.weir.http.settings.HttpSettings;
import dev.weir.http.settings.TlsSettings;
import dev.weir.http.tls.TlsContext;
import dev.weir.model.KeyedHash;
import dev.weir.model.failure.Reason;
import dev.weir.scan.FuzzyCheck;

/**
 * Rspamd's HTTP interface in front of a scanner. Every request has its own virtual thread, so the scanner must not hash
 * a mail on the calling thread: pass mails to a {@link dev.weir.scan.pool.ScanPool} with a
 * {@link dev.weir.http.controller.PooledMailService}, or use a client with threads of its own.
 *
 * <pre>{@code HttpService service = HttpService.of(HttpSettings.local(Actions.DEFAULT), fuzzyCheck, figures, figures,
 *         "1.0");
 * List<SocketAddress> addresses = service.start(); ... service.close(); }</pre>
 *
 * <p>Start it once, close it once, from any thread. The client stays open.
 */
public final class HttpService implements AutoCloseable {
    private final HttpServer server;
    private final Deadlines waits = new Deadlines("weir-http-patience", System::nanoTime);
    private final SecureRandom random = new SecureRandom();
    private final BodyBudget budget = BodyBudget.ofHeap();
    /** The budget of encrypted requests from untrusted addresses. */
    private final BodyBudget strangers = budget.half();
    private final KeyBudget agreements = new KeyBudget(System::nanoTime, KeyedHash.random(random));
    private final String version;
    private final AtomicReference<State> state;
    private volatile Optional<TlsContext> tls = Optional.empty();

    /** The replaceable part of a configuration. */
    private record State(HttpSettings settings, AccessControl access, Controller controller) {}

    private HttpService(HttpSettings settings, MailService mails, StatisticsSource statistics, Health health,
            String version, List<Route> further) {
        this.version = version;
        settings.requireGuard();
        AccessControl access = new AccessControl(settings.access(), random, System::nanoTime);
        Controller controller = new Controller(mails, access, options(settings), statistics.and(this::metrics), health,
                waits, further);
        this.state = new AtomicReference<>(new State(settings, access, controller));
        this.server = new HttpServer(settings.binds(), settings.limits(), budget,
                handler(settings, access, controller));
        secure(settings);
    }

    private void secure(HttpSettings settings) {
        Optional<TlsContext> old = tls;
        tls = settings.tls().map(wanted -> old.filter(context -> context.files().equals(wanted.files()))
                .orElseGet(() -> context(wanted)));
        settings.tls().ifPresent(wanted -> server.secure(tls.orElseThrow(), wanted.hsts()));
    }

    private static TlsContext context(TlsSettings wanted) {
        try {
            return TlsContext.load(wanted.files());
        } catch (IOException e) {
            throw new IllegalArgumentException(Reason.of(e), e);
        }
    }

    private ControllerOptions options(HttpSettings settings) {
        return new ControllerOptions(settings.actions(), version, settings.limits().request().bodyBytes(),
                settings.limits().answer().multipliedBy(9).dividedBy(10), InstantSource.system());
    }

    private CryptHandler handler(HttpSettings settings, AccessControl access, Controller controller) {
        return new CryptHandler(new HttpCrypt(settings.keyPairs(), random), settings.limits().request(), access,
                strangers, agreements, controller);
    }

    /** Returns the settings in force. */
    public HttpSettings settings() {
        return state.get().settings();
    }

    /**
     * Replaces all settings except the addresses: passwords, networks, keys, limits, thresholds. Open connections,
     * counters and recorded login failures stay.
     *
     * @throws IllegalArgumentException if anyone could then send requests to the addresses in force, or the certificate
     *             cannot be used; nothing changes
     */
    public synchronized void reconfigure(HttpSettings settings) {
        State old = state.get();
        settings.withBinds(old.settings().binds()).requireGuard();
        secure(settings);
        AccessControl access = old.access().with(settings.access());
        Controller controller = old.controller().with(access, options(settings));
        state.set(new State(settings.withBinds(old.settings().binds()), access, controller));
        server.reconfigure(settings.limits(), handler(settings, access, controller));
    }

    /**
     * Creates a service that does not listen yet.
     *
     * @param statistics further figures for {@code /metrics}
     * @param health the source of {@code /healthz}
     * @param version the version of the program
     * @throws IllegalArgumentException if anyone could send requests, also from other machines, or the certificate
     *             cannot be used
     */
    public static HttpService of(HttpSettings settings, FuzzyCheck client, StatisticsSource statistics, Health health,
            String version) {
        return of(settings, MailService.of(client), statistics, health, version);
    }

    /**
     * Creates a service in front of any scanner, otherwise like {@link #of(HttpSettings, FuzzyCheck, StatisticsSource,
     * Health, String)}.
     */
    public static HttpService of(HttpSettings settings, MailService mails, StatisticsSource statistics, Health health,
            String version) {
        return of(settings, mails, statistics, health, version, List.of());
    }

    /**
     * Creates a service with further endpoints, otherwise like {@link #of(HttpSettings, MailService, StatisticsSource,
     * Health, String)}.
     */
    public static HttpService of(HttpSettings settings, MailService mails, StatisticsSource statistics, Health health,
            String version, List<Route> further) {
        return new HttpService(settings, mails, statistics, health, version, further);
    }

    /**
     * Starts to listen.
     *
     * @return the addresses with their actual ports
     * @throws IOException if an address cannot be used; the message names it, and nothing stays open
     * @throws IllegalStateException if it was started before
     */
    public List<SocketAddress> start() throws IOException {
        return start(ListenSockets.bind(settings().binds()));
    }

    /**
     * Starts to accept connections from bound listeners, and closes them in the end.
     *
     * @return their addresses
     * @throws IllegalStateException if it was started before
     */
    public List<SocketAddress> start(ListenSockets bound) {
        List<SocketAddress> addresses = server.start(bound);
        waits.start();
        return addresses;
    }

    private List<Metric> metrics() {
        AccessControl access = state.get().access();
        ServerCounters counters = server.counters();
        return List.of(
                Metric.gauge("weir_http_tls_end_seconds",
                        "When the certificate in use expires, in seconds since 1970; 0 without TLS.",
                        tls.map(context -> context.end().getEpochSecond()).orElse(0L)),
                Metric.counter("weir_http_tls_reload_failures", "Changes of the certificate that could not be used.",
                        tls.map(TlsContext::failures).orElse(0L)),
                Metric.gauge("weir_http_connections_open", "Open connections.", server.open()),
                Metric.gauge("weir_http_body_bytes", "Memory that request bodies occupy, in bytes.", budget.used()),
                Metric.counter("weir_http_connections", "Accepted connections.", counters.connections()),
                Metric.gauge("weir_http_connections_waiting", "Connections that wait for a place.",
                        server.waiting()),
                Metric.counter("weir_http_connections_refused",
                        "Connections closed because their address has too many.",
                        counters.refused()),
                Metric.counter("weir_http_connections_overflowed", "Connections closed because too many wait.",
                        counters.overflows()),
                Metric.counter("weir_http_connections_displaced",
                        "Connections closed without a request to make room for others.",
                        counters.displaced()),
                Metric.counter("weir_http_accept_failures", "Failures of the system to accept a connection.",
                        counters.acceptFailures()),
                Metric.counter("weir_http_timeouts", "Connections closed by a timeout.", counters.timedOut()),
                Metric.counter("weir_http_connections_lost", "Connections that ended with a network error.",
                        counters.lost()),
                Metric.counter("weir_http_malformed", "Malformed requests.", counters.malformed()),
                Metric.counter("weir_http_defects", "Requests that failed because of a bug in this program.",
                        counters.defects()),
                Metric.counter("weir_http_auth_failures", "Requests with a missing or wrong password.",
                        access.failures()),
                Metric.counter("weir_http_auth_throttled", "Requests refused because of earlier failures.",
                        access.throttled()),
                Metric.counter("weir_http_auth_busy",
                        "Requests refused because too many passwords were being compared.",
                        access.busy()),
                Metric.counter("weir_http_pages_refused",
                        "Requests refused because a page of another site may have sent them.",
                        access.pages()),
                Metric.counter("weir_http_sealed_repeated",
                        "Encrypted changes refused because they are copies of earlier ones.", access.repeated()),
                Metric.counter("weir_http_new_keys_refused",
                        "Encrypted requests refused because too many came with new keys.", agreements.refused()),
                Metric.gauge("weir_http_sealed_bytes",
                        "Memory of encrypted request bodies from clients without access, in bytes.",
                        strangers.used()));
    }

    @Override
    public void close() {
        server.close();
        waits.close();
    }
}
