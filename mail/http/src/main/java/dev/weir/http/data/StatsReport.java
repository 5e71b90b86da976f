package dev.weir.http.data;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
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
            Json.strings(out, "reasons", failures.stream().map(Health.Failure::text).toList());
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
            stats.replication().ifPresent(node -> Json.object(out, "node", () -> NodeReport.node(out, node)));
            stats.push().ifPresent(node -> NodeReport.push(out, node));
            Json.object(out, "refusals", () -> new TreeMap<>(stats.counters()).forEach((counter, value) -> {
                if (value > 0 && (counter.isRefusal() || counter.isDrop())) {
                    out.writeNumberProperty(counter.description(), value);
                }
            }));
            Json.object(out, "flags", () -> clients.flags().forEach(
                    (flag, counts) -> counts(out, flag.toString(), counts)));
            Json.object(out, "clients", () -> clients.busiest(MOST_CLIENTS).forEach(
                    client -> counts(out, client.getKey().getHostAddress(), client.getValue())));
        });
    }

    static void counts(JsonGenerator out, String name, Counts counts) {
        Json.object(out, name, () -> {
            out.writeNumberProperty("checked", counts.checked());
            out.writeNumberProperty("matched", counts.matched());
            out.writeNumberProperty("added", counts.added());
            out.writeNumberProperty("deleted", counts.deleted());
            out.writeNumberProperty("errors", counts.errors());
        });
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
            Json.items(out, "times", steps, step -> out.writeNumber(step.millis()));
            Json.object(out, "figures", () -> {
                for (Series figure : Series.values()) {
                    Json.items(out, figure.name().toLowerCase(Locale.ROOT), steps,
                            step -> out.writeNumber(step.figures().getOrDefault(figure, 0L)));
                }
            });
        });
    }
}
