package dev.weir.http.controller;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import dev.weir.http.access.AccessControl;
import dev.weir.http.access.AccessDecision;
import dev.weir.http.access.AccessLevel;
import dev.weir.http.access.CrossSiteCheck;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpBody;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpReply;
import dev.weir.http.metrics.Health;
import dev.weir.http.metrics.StatisticsSource;
import dev.weir.http.server.Client;
import dev.weir.http.server.Deadlines;
import dev.weir.http.server.HttpHandler;

/**
 * The dispatcher of the HTTP interface: it finds the endpoint of a path, checks access, and calls the endpoint. Paths
 * are compared as a whole and without letter case. GET and POST are the same, except that a GET that a page could send
 * changes nothing and does not log in; HEAD is a GET whose reply has no body, and changes nothing. The body of a
 * refused request is not read, nor that of a request that anyone may send.
 */
public final class Controller implements HttpHandler {
    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST");
    /** The endpoints of the page that get and end its access, so that no picture elsewhere tries a password here. */
    private static final Set<String> SESSIONS = Set.of("/api/login", "/api/logout");

    private final Map<String, Route> routes = new HashMap<>();
    private final MailService service;
    private final StatisticsSource statistics;
    private final Health health;
    private final AccessControl access;
    private final ServiceMetrics figures;
    private final MailGate gate;
    private final SessionEndpoints sessions;
    private final List<Route> further;

    /**
     * Creates the endpoints of a service.
     *
     * @param statistics further figures for {@code /metrics}
     * @param health the source of {@code /healthz}
     * @param waits the watcher of waits for the service; the caller starts and closes it
     * @param further endpoints of other parts of the program
     */
    public Controller(MailService service, AccessControl access, ControllerOptions options,
            StatisticsSource statistics, Health health, Deadlines waits, List<Route> further) {
        this(service, access, options, statistics, health, new ServiceMetrics(options.clock()),
                new MailGate(waits, options.patience()), further);
    }

    private Controller(MailService service, AccessControl access, ControllerOptions options,
            StatisticsSource statistics, Health health, ServiceMetrics figures, MailGate gate, List<Route> further) {
        this.sessions = new SessionEndpoints(access, options.version());
        this.further = List.copyOf(further);
        this.service = service;
        this.access = access;
        this.statistics = statistics;
        this.health = health;
        this.figures = figures;
        this.gate = gate;
        scanning(service, gate, options);
        learning(service, gate, options);
        showing(service, options);
        MetricsEndpoint monitoring = new MetricsEndpoint(service, figures, statistics, health);
        route("/metrics", AccessLevel.READ, monitoring::metrics);
        route("/healthz", AccessLevel.OPEN, _ -> monitoring.briefHealth());
        route("/healthy", AccessLevel.READ, _ -> monitoring.health());
        route("/ready", AccessLevel.READ, _ -> monitoring.health());
        route("/ping", AccessLevel.OPEN, _ -> HttpReply.ok(HttpReply.TEXT, "pong\r\n"));
        PluginEndpoints plugins = new PluginEndpoints(service, gate, options.bodyBytes());
        route("/plugins", AccessLevel.READ, _ -> PluginEndpoints.plugins());
        route("/plugins/fuzzy/hashes", AccessLevel.READ, plugins::hashes);
        route("/plugins/fuzzy/storages", AccessLevel.READ, _ -> plugins.storages());
        route("/api/login", AccessLevel.READ, call -> sessions.login(call.request().head(), call.decision(),
                call.decision() == AccessDecision.READ_ONLY ? "password" : call.requester().get().credential()));
        route("/api/logout", AccessLevel.OPEN, call -> sessions.logout(call.request().head()));
        this.further.forEach(route -> routes.put(route.path(), route));
    }

    /** Returns the same endpoints with other access rules and options. Counters continue. */
    public Controller with(AccessControl guard, ControllerOptions options) {
        return new Controller(service, guard, options, statistics, health, figures, gate.with(options.patience()),
                further);
    }

    private void scanning(MailService service, MailGate gate, ControllerOptions options) {
        route("/checkv2", AccessLevel.READ, new ScanEndpoint(service, gate, figures, options, false));
        Endpoint legacy = new ScanEndpoint(service, gate, figures, options, true);
        for (String path : List.of("/check", "/scan", "/process")) {
            route(path, AccessLevel.READ, legacy);
        }
        StatsEndpoints shown = new StatsEndpoints(service, figures, options);
        // The scanner's name for a check is the controller's name for the list of symbols. A mail in the request makes
        // the difference.
        route("/symbols", AccessLevel.READ,
                call -> call.request().body().length > 0 ? legacy.answer(call) : shown.symbols());
    }

    private void learning(MailService service, MailGate gate, ControllerOptions options) {
        int most = options.bodyBytes();
        route("/fuzzyadd", AccessLevel.PRIVILEGED,
                new LearnEndpoint(service, gate, figures, most, LearnEndpoint.Kind.ADD));
        route("/fuzzydel", AccessLevel.PRIVILEGED,
                new LearnEndpoint(service, gate, figures, most, LearnEndpoint.Kind.DELETE));
        route("/fuzzydelhash", AccessLevel.PRIVILEGED,
                new LearnEndpoint(service, gate, figures, most, LearnEndpoint.Kind.DELETE_HASHES));
    }

    private void showing(MailService service, ControllerOptions options) {
        StatsEndpoints shown = new StatsEndpoints(service, figures, options);
        route("/stat", AccessLevel.READ, call -> shown.stat(call.decision()));
        route("/statreset", AccessLevel.PRIVILEGED, call -> shown.reset(call.decision()));
        route("/auth", AccessLevel.READ, call -> shown.auth(call.decision()));
        route("/actions", AccessLevel.READ, _ -> shown.actions());
        route("/counters", AccessLevel.READ, _ -> shown.counters());
    }

    private void route(String path, AccessLevel asked, Endpoint endpoint) {
        routes.put(path, new Route(path, asked, endpoint));
    }

    @Override
    public HttpReply handle(HttpHead head, HttpBody body, Client client, BodyBudget.Share share)
            throws HttpException, IOException, InterruptedException {
        String path = head.path().toLowerCase(Locale.ROOT);
        Route route = routes.get(path);
        HttpReply reply;
        if (route == null && !path.equals("/api/session")) {
            reply = new HttpReply(404, "Not found", HttpReply.TEXT, List.of(), "Not found".getBytes(
                    StandardCharsets.US_ASCII));
        } else if (!METHODS.contains(head.method()) && !head.isRspamc()) {
            reply = HttpReply.error(405, "This method is not known here").with("Allow",
                    route != null && takesPostOnly(route) ? "POST" : "GET, HEAD, POST");
        } else if (route == null) {
            reply = sessions.session(head, client);
        } else {
            reply = guarded(route, head, body, client, share);
        }
        figures.requested(route == null ? "other" : path, reply.status());
        return reply.headers().stream().anyMatch(field -> field.name().equals("Cache-Control"))
                ? reply
                : reply.with("Cache-Control", "no-store");
    }

    private HttpReply guarded(Route route, HttpHead head, HttpBody body, Client client, BodyBudget.Share share)
            throws IOException, InterruptedException {
        if (route.access() == AccessLevel.PRIVILEGED && !CrossSiteCheck.mayChange(head)) {
            access.countPage();
            return HttpReply.error(405, "Use POST, or send the arguments as headers: a page of another site could "
                    + "open this address")
                    .with("Allow", "POST");
        }
        if (SESSIONS.contains(route.path()) && !head.method().equals("POST")) {
            access.countPage();
            return HttpReply.error(405, "Use POST").with("Allow", "POST");
        }
        AccessDecision decision = access.decide(route.access(), head, client);
        if (!decision.isGranted()) {
            return refusal(decision);
        }
        try {
            // No open endpoint needs a body, and a stranger must not occupy memory.
            byte[] received = route.access() == AccessLevel.OPEN ? new byte[0] : body.read(share);
            return route.endpoint().answer(new Endpoint.Call(head.with(received), head.arguments(), decision,
                    share, () -> access.requester(head, client)));
        } catch (HttpException e) {
            return HttpReply.error(e.status(), e.reason());
        }
    }

    private static boolean takesPostOnly(Route route) {
        return route.access() == AccessLevel.PRIVILEGED || SESSIONS.contains(route.path());
    }

    private static HttpReply refusal(AccessDecision decision) {
        return switch (decision) {
            case THROTTLED -> HttpReply.error(429, "Too many authentication failures");
            case BUSY -> HttpReply.error(503, "Too many passwords are compared at a time");
            case FOREIGN_PAGE -> HttpReply.error(403, "A page of another site may not send requests");
            case NOT_ENOUGH -> HttpReply.error(403, "This password may only read");
            case NO_TOKEN -> HttpReply.error(403, "A change needs the token of the session in X-Weir-Token");
            case REPEATED -> HttpReply.error(409, "This encrypted request was received before: seal it again");
            case UNKNOWN_HOST ->
                HttpReply.error(403, "Host is not a known name of this server: use its address, add the"
                        + " name to allowed_hosts, or send a password");
            default -> HttpReply.error(401, "Unauthorized");
        };
    }
}
