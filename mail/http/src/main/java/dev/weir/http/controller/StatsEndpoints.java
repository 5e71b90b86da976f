package dev.weir.http.controller;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.weir.http.access.AccessDecision;
import dev.weir.http.message.HttpReply;
import dev.weir.scan.score.SymbolTable;
import tools.jackson.core.JsonGenerator;

/**
 * The endpoints {@code /stat}, {@code /auth}, {@code /symbols}, {@code /actions} and {@code /counters}
 * (docs/reference/rspamd-http.md#figures).
 */
final class StatsEndpoints {
    private static final int SCAN_TIMES = 31;
    /** Figures of Rspamd without a counterpart here. They are present because clients print them. */
    private static final List<String> MEMORY = List.of("pools_allocated", "pools_freed", "bytes_allocated",
            "chunks_allocated", "shared_chunks_allocated", "chunks_freed", "chunks_oversized", "fragmented");

    private final MailService service;
    private final ServiceMetrics figures;
    private final ControllerOptions options;

    StatsEndpoints(MailService service, ServiceMetrics figures, ControllerOptions options) {
        this.service = service;
        this.figures = figures;
        this.options = options;
    }

    HttpReply stat(AccessDecision decision) {
        Map<String, Long> stored = new TreeMap<>(service.state().counts());
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeStringProperty("version", options.version());
            out.writeStringProperty("config_id", configId());
            out.writeNumberProperty("uptime", figures.age().toSeconds());
            out.writeBooleanProperty("read_only", decision == AccessDecision.READ_ONLY);
            out.writeNumberProperty("scanned", figures.scanned());
            out.writeNumberProperty("learned", figures.learned());
            out.writeObjectPropertyStart("actions");
            Actions.NAMES.forEach(name -> out.writeNumberProperty(name, figures.action(name)));
            out.writeNumberProperty(Actions.NOTHING, figures.action(Actions.NOTHING));
            out.writeEndObject();
            Json.items(out, "scan_times", Collections.nCopies(SCAN_TIMES, 0), _ -> out.writeNull());
            out.writeNumberProperty("spam_count", spam());
            out.writeNumberProperty("ham_count", figures.scanned() - spam());
            out.writeNumberProperty("connections", figures.connections());
            out.writeNumberProperty("control_connections", figures.connections());
            MEMORY.forEach(name -> out.writeNumberProperty(name, 0));
            out.writeNumberProperty("total_learns", figures.learned());
            Json.strings(out, "statfiles", List.of());
            Json.object(out, "fuzzy_hashes", () -> stored.forEach(out::writeNumberProperty));
        }));
    }

    /** Returns the figures and resets them. */
    HttpReply reset(AccessDecision decision) {
        HttpReply reply = stat(decision);
        figures.reset();
        return reply;
    }

    private long spam() {
        return figures.scanned() - figures.action(Actions.NOTHING) - figures.action("greylist");
    }

    private String configId() {
        return Integer.toHexString(service.state().symbols().hashCode() * 31 + options.actions().hashCode());
    }

    HttpReply auth(AccessDecision decision) {
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeStringProperty("version", options.version());
            out.writeStringProperty("auth", "ok");
            out.writeNumberProperty("uptime", figures.age().toSeconds());
            out.writeNumberProperty("clean", figures.action(Actions.NOTHING));
            out.writeNumberProperty("probable", figures.action("add header"));
            out.writeNumberProperty("greylist", figures.action("greylist"));
            out.writeNumberProperty("reject", figures.action(Actions.REJECT));
            out.writeNumberProperty("soft_reject", figures.action("soft reject"));
            out.writeNumberProperty("scanned", figures.scanned());
            out.writeNumberProperty("learned", figures.learned());
            out.writeBooleanProperty("read_only", decision == AccessDecision.READ_ONLY);
            out.writeStringProperty("config_id", configId());
        }));
    }

    HttpReply actions() {
        return HttpReply.ok(HttpReply.JSON, Json.array(out -> options.actions().thresholds().forEach((name, score) -> {
            out.writeStartObject();
            out.writeStringProperty("action", name);
            Json.number(out, "value", score);
            out.writeEndObject();
        })));
    }

    HttpReply symbols() {
        Map<String, List<String>> groups = new TreeMap<>();
        symbolTable().forEach((name, symbol) -> groups.computeIfAbsent(symbol.group(), _ -> new ArrayList<>())
                .add(name));
        return HttpReply.ok(HttpReply.JSON, Json.array(out -> groups.forEach((group, names) -> {
            out.writeStartObject();
            out.writeStringProperty("group", group);
            Json.objects(out, "rules", names, name -> rule(out, name));
            out.writeEndObject();
        })));
    }

    private void rule(JsonGenerator out, String name) {
        SymbolTable.Symbol symbol = service.state().symbols().symbol(name);
        out.writeStringProperty("symbol", name);
        Json.number(out, "weight", symbol.weight());
        if (!symbol.description().isEmpty()) {
            out.writeStringProperty("description", symbol.description());
        }
        Json.number(out, "frequency", frequency(name));
        Json.number(out, "frequency_stddev", 0);
        Json.number(out, "time", 0);
    }

    HttpReply counters() {
        return HttpReply.ok(HttpReply.JSON, Json.array(out -> symbolTable().forEach((name, symbol) -> {
            out.writeStartObject();
            out.writeStringProperty("symbol", name);
            Json.number(out, "weight", symbol.weight());
            Json.number(out, "frequency", frequency(name));
            Json.number(out, "frequency_stddev", 0);
            out.writeNumberProperty("hits", figures.hits(name));
            Json.number(out, "time", 0);
            out.writeEndObject();
        })));
    }

    /** Returns the configured symbols, and those that rules insert without a weight. */
    private Map<String, SymbolTable.Symbol> symbolTable() {
        SymbolTable table = service.state().symbols();
        Map<String, SymbolTable.Symbol> all = new TreeMap<>(table.symbols());
        service.state().storages().rules().forEach(rule -> rule.flags().keySet()
                .forEach(name -> all.putIfAbsent(name, table.symbol(name))));
        figures.symbols().keySet().forEach(name -> all.putIfAbsent(name, table.symbol(name)));
        return all;
    }

    /** Returns the hits per second since the start. */
    private double frequency(String name) {
        return figures.hits(name) / Math.max(1.0, figures.age().toMillis() / 1000.0);
    }
}
