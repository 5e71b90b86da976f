package dev.weir.http.control;

import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import dev.weir.http.data.Arguments;
import dev.weir.http.data.NodeReport;
import dev.weir.http.data.Setup;
import dev.weir.http.data.StatsReport;
import dev.weir.http.data.StorageData;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.http.metrics.StorageMetrics;
import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.brake.WaitingRemoval;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.replication.ReplicationNode;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.server.stats.StorageStats;

/** The commands that a storage understands over its control socket (docs/reference/storage.md#control-socket). */
public final class StorageCommands {
    private static final Pattern DIGEST = Pattern.compile("[0-9a-fA-F]{128}");

    /** The system's number of an input/output error: the storage failed. */
    private static final int EIO = 5;
    /** The system's number of an invalid argument. */
    private static final int EINVAL = 22;

    private final StorageServer server;
    private final StorageConfig config;
    private final Setup setup;
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

    private StorageCommands(StorageServer server, StorageConfig config, Setup setup, Supplier<Reloaded> reload) {
        this.server = server;
        this.config = config;
        this.setup = setup;
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
        StorageCommands commands = new StorageCommands(server, config, setup, reload);
        Map<String, ControlAction> all = new HashMap<>(commands.data());
        all.putAll(Map.of("/fuzzystat", commands::fuzzyStat, "/fuzzysync", commands::sync, "/fuzzyhash", commands::hash,
                "/reload", commands::reload, "/trustclock", commands::trustClock, "/status", commands::status,
                "/promote", commands::promote, "/removals", commands::removals, "/confirm", commands::confirm));
        all.put("/follow", commands::follow);
        return all;
    }

    /** Returns the commands that show or change what the page in the browser does. */
    private Map<String, ControlAction> data() {
        StorageData data = new StorageData(server, setup);
        StatsReport figures = new StatsReport(server, new StorageMetrics(server::stats));
        return Map.of("/find", query -> answer(() -> data.find(Arguments.of(query))),
                "/campaigns", query -> answer(() -> data.campaigns(Arguments.of(query))),
                "/now", _ -> HttpReply.ok(HttpReply.JSON, figures.now()),
                "/undo", query -> answer(() -> query.containsKey("apply")
                        ? data.undo(Arguments.of(query), operator(query))
                        : data.rehearse(Arguments.of(query))),
                "/keys", _ -> data.keys(),
                "/key", query -> answer(() -> data.changeKey(Arguments.of(query), operator(query))),
                "/access", _ -> data.access(),
                "/unblock", query -> answer(() -> data.unblock(Arguments.of(query), operator(query))),
                "/skip", query -> answer(() -> data.skip(Arguments.of(query), operator(query))),
                "/history", query -> answer(() -> figures.history(Arguments.of(query))));
    }

    private static UpdateSubmitter operator(Map<String, String> query) {
        return new UpdateSubmitter("127.0.0.1", "control socket", query.getOrDefault("operator", ""), "");
    }

    private static HttpReply answer(Callable<HttpReply> action) {
        try {
            return action.call();
        } catch (HttpException e) {
            return HttpReply.error(e.status(), e.reason());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return HttpReply.error(503, "the storage stops; a part of the work may be done");
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("no other exception is declared", e);
        }
    }

    private HttpReply fuzzyStat(Map<String, String> query) {
        return ControlReply.ofWorker(json -> FuzzyStat.write(json, server.stats(), server.clients(),
                DataFolder.database(config.dataDir().toAbsolutePath())));
    }

    /** Waits until store and mirror have everything. A reply of 0 means that all updates are in both. */
    private HttpReply sync(Map<String, String> query) {
        try {
            server.sync().join();
            return ControlReply.ofWorker(json -> json.writeNumberProperty("status", 0));
        } catch (CompletionException e) {
            return ControlReply.ofWorker(json -> {
                json.writeStringProperty("error", e.getCause() instanceof StorageException known
                        ? String.valueOf(known.getMessage())
                        : String.valueOf(e.getCause()));
                json.writeNumberProperty("status", EIO);
            });
        }
    }

    private HttpReply hash(Map<String, String> query) {
        String text = query.getOrDefault("digest", "");
        if (!DIGEST.matcher(text).matches()) {
            return HttpReply.error(400, "fuzzyhash requires ?digest=<128 hex characters>");
        }
        List<FlagValue> found = server.find(Digest.read(HexFormat.of().parseHex(text), 0));
        return ControlReply.ofWorker(json -> {
            json.writeNumberProperty("status", 0);
            json.writeObjectPropertyStart("data");
            json.writeBooleanProperty("found", !found.isEmpty());
            if (!found.isEmpty()) {
                FlagValue first = found.getFirst();
                json.writeNumberProperty("value", first.value());
                json.writeNumberProperty("created", first.time());
                json.writeNumberProperty("flag", first.flag());
                json.writeArrayPropertyStart("extra_flags");
                for (FlagValue other : found.subList(1, found.size())) {
                    json.writeStartObject();
                    json.writeNumberProperty("flag", other.flag());
                    json.writeNumberProperty("value", other.value());
                    json.writeNumberProperty("created", other.time());
                    json.writeEndObject();
                }
                json.writeEndArray();
            }
            json.writeEndObject();
        });
    }

    private HttpReply status(Map<String, String> query) {
        StorageStats stats = server.stats();
        return ControlReply.ofWorker(json -> {
            json.writeNumberProperty("status", 0);
            NodeReport.write(json, stats);
        });
    }

    /** Makes this node the leader. The one before must not take updates any more, or be told by a follower. */
    private HttpReply promote(Map<String, String> query) {
        try {
            ReplicationNode node = server.node().orElseThrow(() -> new StorageException(
                    "this storage has no section replication, and leads itself"));
            LeaderEpoch epoch = node.promote(query.containsKey("lossy"));
            return ControlReply.ofWorker(json -> {
                json.writeStringProperty("epoch", epoch.toString());
                json.writeNumberProperty("status", 0);
            });
        } catch (StorageException e) {
            return ControlReply.ofWorker(json -> {
                json.writeStringProperty("error", String.valueOf(e.getMessage()));
                json.writeNumberProperty("status", EINVAL);
            });
        }
    }

    /** Gives up what this node has and its leader may lack, if that is why this node does not follow. */
    private HttpReply follow(Map<String, String> query) {
        try {
            ReplicationNode node = server.node().orElseThrow(() -> new StorageException(
                    "this storage has no section replication, and follows no other one"));
            if (!query.containsKey("discard")) {
                throw new StorageException("nothing was changed: --discard gives up the updates of this node that its"
                        + " leader lacks. It copies its leader then, and what it had is kept in the folder kept-aside");
            }
            String reason = node.followAndDiscard();
            return ControlReply.ofWorker(json -> {
                json.writeStringProperty("reason", reason);
                json.writeNumberProperty("status", 0);
            });
        } catch (StorageException e) {
            return ControlReply.ofWorker(json -> {
                json.writeStringProperty("error", String.valueOf(e.getMessage()));
                json.writeNumberProperty("status", EINVAL);
            });
        }
    }

    private HttpReply trustClock(Map<String, String> query) {
        server.trustClock();
        return ControlReply.ofWorker(json -> json.writeNumberProperty("status", 0));
    }

    private HttpReply removals(Map<String, String> query) {
        return removals(server.brake().waiting());
    }

    /** Confirms exactly the removal that the operator names. */
    private HttpReply confirm(Map<String, String> query) {
        String id = query.getOrDefault("id", "");
        return server.brake().confirm(id).map(confirmed -> removals(List.of(confirmed)))
                .orElseGet(() -> ControlReply.ofWorker(json -> {
                    json.writeStringProperty("error", "no removal waits under the name \"" + id
                            + "\": run weir control confirm --list");
                    json.writeNumberProperty("status", EINVAL);
                }));
    }

    private static HttpReply removals(List<WaitingRemoval> removals) {
        return ControlReply.ofWorker(json -> {
            json.writeNumberProperty("status", 0);
            json.writeArrayPropertyStart("removals");
            for (WaitingRemoval waiting : removals) {
                json.writeStartObject();
                json.writeStringProperty("id", waiting.id());
                json.writeNumberProperty("hashes", waiting.removal().hashes());
                json.writeNumberProperty("of", waiting.removal().total());
                json.writeStringProperty("why", waiting.removal().why());
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    private HttpReply reload(Map<String, String> query) {
        Reloaded reloaded = reload.get();
        return ControlReply.ofWorker(json -> {
            json.writeNumberProperty("status", reloaded.done() ? 0 : EINVAL);
            if (!reloaded.done()) {
                json.writeStringProperty("error", String.join("\n", reloaded.messages()));
            } else if (!reloaded.messages().isEmpty()) {
                json.writeArrayPropertyStart("messages");
                reloaded.messages().forEach(json::writeString);
                json.writeEndArray();
            }
        });
    }
}
