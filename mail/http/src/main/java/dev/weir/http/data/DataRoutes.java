package dev.weir.http.data;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import dev.weir.http.access.AccessLevel;
import dev.weir.http.controller.Endpoint;
import dev.weir.http.controller.Json;
import dev.weir.http.controller.Route;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.http.metrics.Health;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.explain.Doctor;
import dev.weir.storage.admin.Setup;
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
        StatsReport figures = new StatsReport(storage, health);
        HashEndpoints hashes = new HashEndpoints(storage);
        ExplainEndpoints mails = new ExplainEndpoints(storage, client);
        UndoEndpoints undo = new UndoEndpoints(storage);
        AccessEndpoints access = new AccessEndpoints(storage);
        KeyEndpoints keys = new KeyEndpoints(storage, setup);
        WaveEndpoints waves = new WaveEndpoints(storage);
        this.events = new EventStream(figures::now, () -> storage.count(Counter.TASK_FAILED));
        read("/api/now", _ -> HttpReply.ok(HttpReply.JSON, figures.now()));
        read("/api/events", _ -> events.answer());
        read("/api/history", figures::history);
        read("/api/campaigns", hashes::recentCampaigns);
        read("/api/waves", waves::list);
        change("/api/wave", waves::change);
        read("/api/find", hashes::find);
        route("/api/why", AccessLevel.READ, call -> mails.explain(call.request().body()));
        route("/api/compare", AccessLevel.READ, call -> mails.compare(call.request().body(), Arguments.of(call)));
        read("/api/rehearse", undo::rehearse);
        change("/api/undo", undo::apply);
        read("/api/access", access::show);
        change("/api/unblock", access::unblock);
        change("/api/skip", access::skip);
        read("/api/keys", keys::list);
        change("/api/key", keys::change);
        read("/api/settings", _ -> settings(setup));
        read("/api/doctor", arguments -> doctor(client, arguments));
        route("/api/openapi.json", AccessLevel.OPEN, _ -> HttpReply.ok(HttpReply.JSON, description()));
    }

    private void read(String path, DataRequest request) {
        route(path, AccessLevel.READ, call -> request.answer(Arguments.of(call)));
    }

    private void change(String path, DataRequest request) {
        route(path, AccessLevel.PRIVILEGED, call -> request.answer(Arguments.of(call)));
    }

    private void route(String path, AccessLevel access, Endpoint endpoint) {
        routes.add(new Route(path, access, endpoint));
    }

    /** Returns the endpoints. */
    public List<Route> routes() {
        return List.copyOf(routes);
    }

    private static HttpReply settings(Setup setup) {
        List<Setup.Section> sections = setup.sections().get();
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> Json.objects(out, "sections", sections, section -> {
            out.writeStringProperty("name", section.name());
            out.writeStringProperty("text", section.text());
        })));
    }

    private static HttpReply doctor(FuzzyCheck client, Arguments arguments) throws HttpException {
        int flag = (int) (long) arguments.number("flag", 1, Integer.MAX_VALUE).orElseGet(() -> learned(client));
        List<Doctor.Finding> findings = new ArrayList<>();
        Doctor doctor = new Doctor(findings::add);
        doctor.settings(client.settings());
        doctor.mayWrite(client, flag);
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> Json.objects(out, "findings", findings, finding -> {
            out.writeStringProperty("state", finding.state().name().toLowerCase(Locale.ROOT));
            out.writeStringProperty("what", finding.what());
            out.writeStringProperty("advice", finding.advice());
        })));
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
