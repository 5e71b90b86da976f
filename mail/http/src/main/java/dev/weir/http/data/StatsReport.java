package dev.weir.http.data;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import dev.weir.http.controller.Json;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.http.metrics.Health;
import dev.weir.storage.access.gate.AccessReport;
import dev.weir.storage.admin.RefusedException;
import dev.weir.storage.engine.EngineStats;
import dev.weir.storage.history.MetricHistory;
import dev.weir.storage.history.Series;
import dev.weir.storage.history.Span;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.StorageStats;
import dev.weir.storage.stats.AnswerTimes;
import dev.weir.storage.stats.ClientReport;
import dev.weir.storage.stats.Counts;
import tools.jackson.core.JsonGenerator;

/** The figures of a storage now and over time, as JSON. Thread-safe. */
public final class StatsReport {
    private static final int MOST_CLIENTS = 10;
    private static final Duration SHARED = Duration.ofSeconds(5);

    private final StorageServer storage;
    private final Health health;
    private final RecentAnswers curves = new RecentAnswers(SHARED, System::nanoTime);

    /** Creates the report of a storage, which must be running when something is asked. */
    public StatsReport(StorageServer storage, Health health) {
        this.storage = storage;
        this.health = health;
    }

    /** Returns the current figures. Counters count since the start of the storage. */
    public byte[] now() {
        StorageStats stats = storage.stats();
        EngineStats engine = stats.engine();
        AnswerTimes times = storage.answerTimes();
        List<Health.Failure> failures = health.failures();
        AccessReport clients = storage.clients();
        return Json.object(out -> {
            out.writeNumberProperty("time", storage.hashes().now());
            out.writeBooleanProperty("healthy", failures.isEmpty());
            out.writeArrayPropertyStart("reasons");
            failures.forEach(failure -> out.writeString(failure.text()));
            out.writeEndArray();
            out.writeNumberProperty("checks", stats.get(Counter.CHECKS));
            out.writeNumberProperty("exact_hits", stats.get(Counter.EXACT_HITS));
            out.writeNumberProperty("similar_hits", stats.get(Counter.SIMILAR_HITS));
            out.writeNumberProperty("learns", stats.get(Counter.WRITES));
            out.writeNumberProperty("deletes", stats.get(Counter.DELETES));
            out.writeNumberProperty("p50", times.within(0.5));
            out.writeNumberProperty("p99", times.within(0.99));
            out.writeNumberProperty("p999", times.within(0.999));
            out.writeNumberProperty("hashes", engine.hashes());
            out.writeNumberProperty("revision", engine.revision());
            out.writeNumberProperty("queued", engine.queued());
            out.writeNumberProperty("pending", engine.pending());
            out.writeNumberProperty("log_bytes", engine.logBytes());
            out.writeNumberProperty("connections", stats.connections());
            engine.unmirrored().ifPresent(lag -> out.writeNumberProperty("mirror_lag", lag));
            stats.shared().ifPresent(node -> out.writeNumberProperty("unsent", node.unsent()));
            NodeReport.consumers(out, engine.consumers());
            stats.replication().ifPresent(node -> {
                out.writeObjectPropertyStart("node");
                NodeReport.node(out, node);
                out.writeEndObject();
            });
            stats.push().ifPresent(node -> NodeReport.push(out, node));
            refusals(out, stats);
            flags(out, clients);
            addresses(out, clients);
        });
    }

    private static void refusals(JsonGenerator out, StorageStats stats) {
        out.writeObjectPropertyStart("refusals");
        new TreeMap<>(stats.counters()).forEach((counter, value) -> {
            if (value > 0 && (counter.isRefusal() || counter.isDrop())) {
                out.writeNumberProperty(counter.description(), value);
            }
        });
        out.writeEndObject();
    }

    private static void flags(JsonGenerator out, AccessReport report) {
        Map<Integer, Counts> flags = new TreeMap<>();
        all(report).forEach(client -> client.flags().forEach((flag, counts) -> flags.merge(flag, counts,
                Counts::plus)));
        out.writeObjectPropertyStart("flags");
        flags.forEach((flag, counts) -> counts(out, Integer.toString(flag), counts));
        out.writeEndObject();
    }

    private static void addresses(JsonGenerator out, AccessReport report) {
        Map<String, Counts> addresses = new HashMap<>();
        all(report).forEach(client -> client.addresses().forEach((address, counts) -> addresses
                .merge(address.getHostAddress(), counts, Counts::plus)));
        out.writeObjectPropertyStart("clients");
        addresses.entrySet().stream()
                .sorted(Comparator.comparingLong(
                        (Map.Entry<String, Counts> entry) -> -entry.getValue().checked() - entry.getValue().added())
                        .thenComparing(Map.Entry::getKey))
                .limit(MOST_CLIENTS).forEach(entry -> counts(out, entry.getKey(), entry.getValue()));
        out.writeEndObject();
    }

    private static List<ClientReport> all(AccessReport report) {
        List<ClientReport> all = new ArrayList<>();
        report.keys().values().forEach(key -> all.add(key.clients()));
        all.add(report.unkeyed());
        return all;
    }

    static void counts(JsonGenerator out, String name, Counts counts) {
        out.writeObjectPropertyStart(name);
        out.writeNumberProperty("checked", counts.checked());
        out.writeNumberProperty("matched", counts.matched());
        out.writeNumberProperty("added", counts.added());
        out.writeNumberProperty("deleted", counts.deleted());
        out.writeNumberProperty("errors", counts.errors());
        out.writeEndObject();
    }

    /**
     * Answers with the figures of an hour, a day or 90 days, as {@code span} says.
     *
     * @throws HttpException if there is no such span
     */
    public HttpReply history(Arguments arguments) throws HttpException, RefusedException {
        Span span = switch (arguments.text("span").orElse("hour")) {
            case "hour" -> Span.HOUR;
            case "day" -> Span.DAY;
            case "quarter" -> Span.QUARTER;
            default -> throw new HttpException(400, "span must be hour, day or quarter");
        };
        return HttpReply.ok(HttpReply.JSON, curves.get(span.name(), () -> curves(span)));
    }

    private byte[] curves(Span span) {
        List<MetricHistory.Step> steps = storage.history(span);
        return Json.object(out -> {
            out.writeStringProperty("span", span.name().toLowerCase(Locale.ROOT));
            out.writeNumberProperty("step", span.step().toSeconds());
            out.writeArrayPropertyStart("times");
            steps.forEach(step -> out.writeNumber(step.millis()));
            out.writeEndArray();
            out.writeObjectPropertyStart("figures");
            for (Series figure : Series.values()) {
                out.writeArrayPropertyStart(figure.name().toLowerCase(Locale.ROOT));
                steps.forEach(step -> out.writeNumber(step.figures().getOrDefault(figure, 0L)));
                out.writeEndArray();
            }
            out.writeEndObject();
        });
    }
}
