package dev.weir.http.control;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.weir.http.controller.Json;
import dev.weir.http.data.AccessEndpoints;
import dev.weir.http.data.Arguments;
import dev.weir.http.data.DataRequest;
import dev.weir.http.data.HashEndpoints;
import dev.weir.http.data.KeyEndpoints;
import dev.weir.http.data.NodeReport;
import dev.weir.http.data.StatsReport;
import dev.weir.http.data.UndoEndpoints;
import dev.weir.http.data.WaveEndpoints;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.http.metrics.StorageMetrics;
import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.admin.NodeAdmin;
import dev.weir.storage.admin.Setup;
import dev.weir.storage.brake.WaitingRemoval;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.server.stats.StorageStats;
import tools.jackson.core.JsonGenerator;

/** The commands that a storage understands over its control socket (docs/reference/storage.md#control-socket). */
public final class StorageCommands {
    /** The system's number of an input/output error: the storage failed. */
    private static final int EIO = 5;
    /** The system's number of an invalid argument. */
    private static final int EINVAL = 22;

    private final StorageServer server;
    private final StorageConfig config;
    private final NodeAdmin node;
    private final Supplier<Reloaded> reload;

    /**
     * The result of a reload.
     *
     * @param done whether the new configuration is in force
     * @param messages messages for the operator
     */
    public record Reloaded(boolean done, List<String> messages) {
        /** Copies the list. */
        public Reloaded {
            messages = List.copyOf(messages);
        }
    }

    private StorageCommands(StorageServer server, StorageConfig config, Supplier<Reloaded> reload) {
        this.server = server;
        this.config = config;
        this.node = new NodeAdmin(server);
        this.reload = reload;
    }

    /**
     * Returns the commands by path.
     *
     * @param setup the configuration with the files of dynamic keys
     * @param reload reads the configuration again
     */
    public static Map<String, ControlAction> of(StorageServer server, StorageConfig config, Setup setup,
            Supplier<Reloaded> reload) {
        StorageCommands commands = new StorageCommands(server, config, reload);
        StatsReport figures = new StatsReport(server, new StorageMetrics(server::stats));
        HashEndpoints hashes = new HashEndpoints(server);
        UndoEndpoints undo = new UndoEndpoints(server);
        AccessEndpoints access = new AccessEndpoints(server);
        KeyEndpoints keys = new KeyEndpoints(server, setup);
        WaveEndpoints waves = new WaveEndpoints(server);
        return Map.ofEntries(Map.entry("/fuzzystat", commands::fuzzyStat), Map.entry("/fuzzysync", commands::sync),
                Map.entry("/fuzzyhash", commands::hash), Map.entry("/reload", commands::reload),
                Map.entry("/trustclock", commands::trustClock), Map.entry("/status", commands::status),
                Map.entry("/promote", commands::promote), Map.entry("/follow", commands::follow),
                Map.entry("/removals", commands::removals), Map.entry("/confirm", commands::confirm),
                // What the page in the browser shows and changes.
                data("/now", _ -> HttpReply.ok(HttpReply.JSON, figures.now())), data("/history", figures::history),
                data("/find", hashes::find), data("/campaigns", hashes::campaigns),
                data("/waves", waves::list), data("/wave", waves::change),
                data("/undo", arguments -> arguments.has("apply") ? undo.apply(arguments) : undo.rehearse(arguments)),
                data("/keys", keys::list), data("/key", keys::change), data("/access", access::show),
                data("/unblock", access::unblock), data("/skip", access::skip));
    }

    private static Map.Entry<String, ControlAction> data(String path, DataRequest request) {
        return Map.entry(path, query -> {
            try {
                return request.answer(Arguments.of(query));
            } catch (HttpException e) {
                return HttpReply.error(e.status(), e.reason());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return HttpReply.error(503, "the storage stops; a part of the work may be done");
            }
        });
    }

    /** Returns a reply in the form in which Rspamd reports its workers. Here there is always one. */
    static HttpReply worker(Consumer<JsonGenerator> members) {
        return HttpReply.ok(HttpReply.JSON, Json.object(json -> Json.object(json, "workers",
                () -> Json.object(json, Long.toString(ProcessHandle.current().pid()), () -> {
                    json.writeStringProperty("type", "fuzzy");
                    members.accept(json);
                }))));
    }

    private static HttpReply failed(String error, int status) {
        return worker(json -> {
            json.writeStringProperty("error", error);
            json.writeNumberProperty("status", status);
        });
    }

    /** A decision of the operator. It returns a member of the reply, which says what was done. */
    private interface Decision {
        String carryOut() throws StorageException;
    }

    private static HttpReply decide(String member, Decision decision) {
        try {
            String done = decision.carryOut();
            return worker(json -> {
                json.writeStringProperty(member, done);
                json.writeNumberProperty("status", 0);
            });
        } catch (StorageException e) {
            return failed(String.valueOf(e.getMessage()), EINVAL);
        }
    }

    private HttpReply fuzzyStat(Map<String, String> query) {
        return worker(json -> FuzzyStat.write(json, server.stats(), server.clients(),
                DataFolder.database(config.dataDir().toAbsolutePath())));
    }

    /** Waits until store and mirror have everything. A reply of 0 means that all updates are in both. */
    private HttpReply sync(Map<String, String> query) {
        try {
            server.sync().join();
            return worker(json -> json.writeNumberProperty("status", 0));
        } catch (CompletionException e) {
            return failed(e.getCause() instanceof StorageException known
                    ? String.valueOf(known.getMessage())
                    : Reason.of(e), EIO);
        }
    }

    private HttpReply hash(Map<String, String> query) {
        Optional<Digest> digest = Digest.parse(query.getOrDefault("digest", ""));
        if (digest.isEmpty()) {
            return HttpReply.error(400, "fuzzyhash requires ?digest=<128 hex characters>");
        }
        List<FlagValue> found = server.find(digest.get());
        return worker(json -> {
            json.writeNumberProperty("status", 0);
            Json.object(json, "data", () -> {
                json.writeBooleanProperty("found", !found.isEmpty());
                if (!found.isEmpty()) {
                    FlagValue first = found.getFirst();
                    json.writeNumberProperty("value", first.value());
                    json.writeNumberProperty("created", first.time());
                    json.writeNumberProperty("flag", first.flag());
                    Json.objects(json, "extra_flags", found.subList(1, found.size()), other -> {
                        json.writeNumberProperty("flag", other.flag());
                        json.writeNumberProperty("value", other.value());
                        json.writeNumberProperty("created", other.time());
                    });
                }
            });
        });
    }

    private HttpReply status(Map<String, String> query) {
        StorageStats stats = server.stats();
        return worker(json -> {
            json.writeNumberProperty("status", 0);
            NodeReport.write(json, stats);
        });
    }

    private HttpReply promote(Map<String, String> query) {
        return decide("epoch", () -> node.promote(query.containsKey("lossy")).toString());
    }

    private HttpReply follow(Map<String, String> query) {
        return decide("reason", () -> node.follow(query.containsKey("discard")));
    }

    private HttpReply trustClock(Map<String, String> query) {
        server.trustClock();
        return worker(json -> json.writeNumberProperty("status", 0));
    }

    private HttpReply removals(Map<String, String> query) {
        return removals(server.brake().waiting());
    }

    private HttpReply confirm(Map<String, String> query) {
        try {
            return removals(List.of(node.confirm(query.getOrDefault("id", ""))));
        } catch (StorageException e) {
            return failed(String.valueOf(e.getMessage()), EINVAL);
        }
    }

    private static HttpReply removals(List<WaitingRemoval> removals) {
        return worker(json -> {
            json.writeNumberProperty("status", 0);
            Json.objects(json, "removals", removals, waiting -> {
                json.writeStringProperty("id", waiting.id());
                json.writeNumberProperty("hashes", waiting.removal().hashes());
                json.writeNumberProperty("of", waiting.removal().total());
                json.writeStringProperty("why", waiting.removal().why());
            });
        });
    }

    private HttpReply reload(Map<String, String> query) {
        Reloaded reloaded = reload.get();
        return worker(json -> {
            json.writeNumberProperty("status", reloaded.done() ? 0 : EINVAL);
            if (!reloaded.done()) {
                json.writeStringProperty("error", String.join("\n", reloaded.messages()));
            } else if (!reloaded.messages().isEmpty()) {
                Json.strings(json, "messages", reloaded.messages());
            }
        });
    }
}
