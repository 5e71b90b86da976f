package dev.weir.http.data;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import dev.weir.http.access.AccessLevel;
import dev.weir.http.access.Requester;
import dev.weir.http.controller.Endpoint;
import dev.weir.http.controller.Json;
import dev.weir.http.controller.Route;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.http.metrics.Health;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.explain.Doctor;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.server.stats.Counter;

/** The endpoints under {@code /api/}. Close them before the server, so that open streams end. */
public final class DataRoutes implements AutoCloseable {
    private final List<Route> routes = new ArrayList<>();
    private final EventStream events;

    /**
     * Creates the endpoints.
     *
     * @param setup the configuration to show, with the lists to edit
     */
    public DataRoutes(StorageServer storage, FuzzyCheck client, Health health, Setup setup) {
        StorageData data = new StorageData(storage, setup);
        StatsReport figures = new StatsReport(storage, health);
        ExplainAdmin why = new ExplainAdmin(storage, client, data.search());
        this.events = new EventStream(figures::now, () -> storage.count(Counter.TASK_FAILED));
        read("/api/now", _ -> HttpReply.ok(HttpReply.JSON, figures.now()));
        read("/api/events", _ -> events.answer());
        read("/api/history", call -> figures.history(arguments(call)));
        read("/api/campaigns", call -> data.recentCampaigns(arguments(call)));
        read("/api/find", call -> data.find(arguments(call)));
        read("/api/why", call -> why.explain(call.request().body()));
        read("/api/compare", call -> why.compare(call.request().body(), arguments(call)));
        read("/api/rehearse", call -> data.rehearse(arguments(call)));
        change("/api/undo", call -> data.undo(arguments(call), by(call)));
        read("/api/access", _ -> data.access());
        change("/api/unblock", call -> data.unblock(arguments(call), by(call)));
        change("/api/skip", call -> data.skip(arguments(call), by(call)));
        read("/api/keys", _ -> data.keys());
        change("/api/key", call -> data.changeKey(arguments(call), by(call)));
        read("/api/settings", _ -> settings(setup));
        read("/api/doctor", call -> doctor(client, arguments(call)));
        routes.add(new Route("/api/openapi.json", AccessLevel.OPEN, _ -> HttpReply.ok(HttpReply.JSON, description())));
    }

    private void read(String path, Endpoint endpoint) {
        routes.add(new Route(path, AccessLevel.READ, endpoint));
    }

    private void change(String path, Endpoint endpoint) {
        routes.add(new Route(path, AccessLevel.PRIVILEGED, endpoint));
    }

    /** Returns the endpoints. */
    public List<Route> routes() {
        return List.copyOf(routes);
    }

    private static Arguments arguments(Endpoint.Call call) {
        return Arguments.of(call.request().query());
    }

    private static UpdateSubmitter by(Endpoint.Call call) {
        Requester requester = call.requester().get();
        return new UpdateSubmitter(requester.client(), requester.credential(),
                call.request().query().first("operator").orElse(""), "");
    }

    private static HttpReply settings(Setup setup) {
        List<Setup.Section> sections = setup.sections().get();
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeArrayPropertyStart("sections");
            sections.forEach(section -> {
                out.writeStartObject();
                out.writeStringProperty("name", section.name());
                out.writeStringProperty("text", section.text());
                out.writeEndObject();
            });
            out.writeEndArray();
        }));
    }

    private static HttpReply doctor(FuzzyCheck client, Arguments arguments) throws HttpException {
        int flag = (int) (long) arguments.number("flag", 1, Integer.MAX_VALUE).orElseGet(() -> learned(client));
        List<Doctor.Finding> findings = new ArrayList<>();
        Doctor doctor = new Doctor(findings::add);
        doctor.settings(client.settings());
        doctor.mayWrite(client, flag);
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeArrayPropertyStart("findings");
            findings.forEach(finding -> {
                out.writeStartObject();
                out.writeStringProperty("state", finding.state().name().toLowerCase(Locale.ROOT));
                out.writeStringProperty("what", finding.what());
                out.writeStringProperty("advice", finding.advice());
                out.writeEndObject();
            });
            out.writeEndArray();
        }));
    }

    /** Returns the smallest flag that a rule can learn. */
    private static long learned(FuzzyCheck client) {
        return client.settings().rules().stream().filter(rule -> rule.mode().writes())
                .flatMap(rule -> rule.score().flags().keySet().stream()).mapToLong(Long::longValue)
                .filter(flag -> flag > 0).min().orElse(1);
    }

    private static byte[] description() {
        try (InputStream in = DataRoutes.class.getResourceAsStream("openapi.json")) {
            if (in == null) {
                throw new IllegalStateException("openapi.json is missing in the jar");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        events.close();
    }
}
