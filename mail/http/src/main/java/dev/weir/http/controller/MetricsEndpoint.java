package dev.weir.http.controller;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.weir.http.message.HttpReply;
import dev.weir.http.metrics.Health;
import dev.weir.http.metrics.Metric;
import dev.weir.http.metrics.MetricsText;
import dev.weir.http.metrics.StatisticsSource;
import dev.weir.scan.outgoing.OutgoingFigures;

/** The endpoints {@code /metrics}, {@code /healthz}, {@code /healthy} and {@code /ready}. */
final class MetricsEndpoint {
    private final MailService service;
    private final ServiceMetrics figures;
    private final StatisticsSource others;
    private final Health health;

    MetricsEndpoint(MailService service, ServiceMetrics figures, StatisticsSource others, Health health) {
        this.service = service;
        this.figures = figures;
        this.others = others;
        this.health = health;
    }

    HttpReply metrics(Endpoint.Call call) {
        MetricsText.Format format = MetricsText.Format.accepted(call.request().headers().first("accept").orElse(""));
        List<Metric> all = own();
        all.addAll(others.metrics());
        return HttpReply.ok(format.type(), MetricsText.write(all, format));
    }

    private List<Metric> own() {
        List<Metric> metrics = new ArrayList<>();
        metrics.add(Metric.counters("weir_http_requests", "Requests by endpoint and status.",
                figures.endpoints().entrySet().stream().map(MetricsEndpoint::endpoint).toList()));
        metrics.add(
                new Metric("weir_scan_seconds", Metric.Type.HISTOGRAM, "Time to scan a mail, including the storages.",
                        figures.scanSeconds().samples()));
        metrics.add(Metric.counter("weir_scan_incomplete", "Mails for which a storage did not answer or refused.",
                figures.incomplete()));
        metrics.add(Metric.counter("weir_scan_reduced_requests", "Requests sent without side hashes of HTML, because "
                + "the storage does not answer with them.", service.state().reducedRequests()));
        metrics.add(Metric.counter("weir_scan_refused_updates", "Updates that waited in the retry queue and that the "
                + "storage then refused for good.", service.state().refusedUpdates()));
        OutgoingFigures outgoing = service.state().outgoing();
        metrics.add(Metric.gauge("weir_outgoing_users", "Logins whose texts are remembered.", outgoing.users()));
        metrics.add(Metric.counter("weir_outgoing_mails", "Mails with a login that were counted.", outgoing.mails()));
        metrics.add(Metric.counter("weir_outgoing_waves", "Times that a login sent one text to more than "
                + "max_recipients.", outgoing.waves()));
        metrics.add(Metric.counter("weir_outgoing_flagged_mails", "Mails that got the symbol of such a text.",
                outgoing.flagged()));
        metrics.add(Metric.counter("weir_outgoing_displaced_users", "Logins that were forgotten within the window for "
                + "lack of room.", outgoing.displaced()));
        metrics.add(Metric.counter("weir_mails_not_hashed", "Mails that exceeded a limit of hashing.",
                figures.mailsNotHashed()));
        metrics.add(Metric.counters("weir_symbol_hits", "Mails that got a symbol.", figures.symbols().entrySet()
                .stream().map(entry -> sample(entry.getValue(), "symbol", entry.getKey())).toList()));
        metrics.add(Metric.counters("weir_learns", "Learn and delete requests.",
                List.of(sample(figures.learned(), "result", "success"),
                        sample(figures.learnFailures(), "result", "failure"))));
        metrics.add(new Metric("weir_rule_hashes", Metric.Type.GAUGE, "Hashes in the storage of a rule.",
                service.state().counts().entrySet().stream()
                        .map(entry -> sample(entry.getValue(), "rule", entry.getKey())).toList()));
        metrics.add(Metric.gauge("weir_healthy", "1 if updates can be stored and store and mirror follow, else 0.",
                health.failures().isEmpty() ? 1 : 0));
        return metrics;
    }

    private static Metric.Sample endpoint(Map.Entry<String, Long> entry) {
        int blank = entry.getKey().lastIndexOf(' ');
        return Metric.Sample.of(List.of(new Metric.Label("path", entry.getKey().substring(0, blank)),
                new Metric.Label("status", entry.getKey().substring(blank + 1))), entry.getValue());
    }

    private static Metric.Sample sample(long value, String label, String name) {
        return Metric.Sample.of(List.of(new Metric.Label(label, name)), value);
    }

    /** Returns the health for monitoring without a password: 503 with reasons that reveal nothing about the machine. */
    HttpReply briefHealth() {
        return health(Health.Failure::reason);
    }

    /** Returns the health for clients with read access: 503 with all details. */
    HttpReply health() {
        return health(Health.Failure::text);
    }

    private HttpReply health(Function<Health.Failure, String> text) {
        List<Health.Failure> failures = health.failures();
        return failures.isEmpty()
                ? HttpReply.ok(HttpReply.JSON, "{\"success\":true}")
                : HttpReply.error(503, failures.stream().map(text).collect(Collectors.joining("; ")));
    }
}
