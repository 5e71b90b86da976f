package dev.weir.http.data;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import dev.weir.http.controller.Json;
import dev.weir.storage.engine.EngineStats;
import dev.weir.storage.log.ConsumerStatus;
import dev.weir.storage.push.PushNode;
import dev.weir.storage.replication.NodeStatus;
import dev.weir.storage.server.stats.StorageStats;
import dev.weir.storage.shared.SharedPeer;
import dev.weir.storage.shared.SharedStats;
import tools.jackson.core.JsonGenerator;

/** The state of a storage and its place among other nodes, for {@code weir control status} and the page. */
public final class NodeReport {
    private NodeReport() {}

    /** Writes the members. */
    public static void write(JsonGenerator json, StorageStats stats) {
        EngineStats engine = stats.engine();
        json.writeNumberProperty("hashes", engine.hashes());
        json.writeNumberProperty("revision", engine.revision());
        Json.strings(json, "troubles", stats.troubles().stream().map(trouble -> trouble.detail().isEmpty()
                ? trouble.reason()
                : trouble.reason() + ": " + trouble.detail()).toList());
        consumers(json, engine.consumers());
        stats.replication().ifPresent(node -> node(json, node));
        stats.shared().ifPresent(node -> Json.object(json, "shared", () -> shared(json, node)));
        stats.push().ifPresent(node -> push(json, node));
    }

    /** Writes everything that follows the update log. */
    static void consumers(JsonGenerator json, List<ConsumerStatus> consumers) {
        Json.objects(json, "consumers", consumers, consumer -> {
            json.writeStringProperty("name", consumer.name());
            json.writeStringProperty("state", words(consumer.state()));
            json.writeStringProperty("retention", words(consumer.retention().policy()));
            json.writeNumberProperty("position", consumer.position());
            json.writeNumberProperty("behind", consumer.behind());
            json.writeNumberProperty("lag", consumer.lagSeconds());
            if (!consumer.failure().isEmpty()) {
                json.writeStringProperty("failure", consumer.failure());
                json.writeNumberProperty("failed", consumer.failureSeconds());
            }
        });
    }

    private static String words(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** Writes the masters and slaves in the replication of Rspamd 1.3 to 1.9. */
    static void push(JsonGenerator json, PushNode.Status node) {
        Json.object(json, "mirrors", () -> {
            node.intake().ifPresent(intake -> Json.object(json, "sources",
                    () -> new TreeMap<>(intake.sources()).forEach(json::writeNumberProperty)));
            Json.objects(json, "slaves", node.slaves(), slave -> {
                json.writeStringProperty("name", slave.name());
                json.writeNumberProperty("behind", slave.behind());
                json.writeNumberProperty("batch", slave.revision());
                json.writeBooleanProperty("heard", slave.batches() > 0);
                if (!slave.failure().isEmpty()) {
                    json.writeStringProperty("failure", slave.failure());
                }
            });
        });
    }

    private static void shared(JsonGenerator json, SharedStats node) {
        json.writeStringProperty("node", node.node());
        json.writeStringProperty("redis", node.redis());
        json.writeStringProperty("promise", node.promise());
        json.writeNumberProperty("unsent", node.unsent());
        json.writeBooleanProperty("whole", node.whole());
        Map<String, List<Integer>> shards = new TreeMap<>();
        for (int i = 0; i < node.servers().size(); i++) {
            shards.computeIfAbsent(node.servers().get(i), _ -> new ArrayList<>()).add(i);
        }
        Json.objects(json, "servers", shards.entrySet(), server -> {
            json.writeStringProperty("address", server.getKey());
            Json.items(json, "shards", server.getValue(), json::writeNumber);
        });
        long furthest = node.peers().stream().mapToLong(SharedPeer::used).max().orElse(0);
        Json.objects(json, "nodes", node.peers(), peer -> {
            json.writeStringProperty("node", peer.node());
            json.writeStringProperty("machine", peer.machine());
            json.writeNumberProperty("silent", peer.silentSeconds());
            json.writeNumberProperty("hashes", peer.hashes());
            json.writeNumberProperty("unsent", peer.unsent());
            json.writeNumberProperty("behind", furthest - peer.used());
        });
    }

    /** Writes the place of a node in replication. */
    static void node(JsonGenerator json, NodeStatus node) {
        json.writeStringProperty("part", node.part().name().toLowerCase(Locale.ROOT));
        json.writeStringProperty("epoch", node.epoch().toString());
        NodeStatus.Above above = node.upstream();
        if (above != null) {
            Json.object(json, "leader", () -> above(json, above));
        }
        if (node.needed() > 0) {
            json.writeNumberProperty("confirmations", node.needed());
            json.writeNumberProperty("replicated", node.replicated());
        }
        Json.objects(json, "followers", node.followers(), follower -> {
            json.writeStringProperty("name", follower.name());
            json.writeBooleanProperty("present", NodeStatus.isPresent(follower));
            if (follower.behind() >= 0) {
                json.writeNumberProperty("behind", follower.behind());
                json.writeNumberProperty("silent", follower.silent().toSeconds());
            }
            json.writeBooleanProperty("copying", follower.bootstrapping());
            if (!follower.unfit().isEmpty()) {
                json.writeStringProperty("unfit", follower.unfit());
            }
        });
    }

    private static void above(JsonGenerator json, NodeStatus.Above above) {
        json.writeStringProperty("address", above.address());
        if (above.behind() >= 0) {
            json.writeNumberProperty("behind", above.behind());
        }
        above.lagSeconds().ifPresent(lag -> json.writeNumberProperty("lag", lag));
        if (!above.failure().isEmpty()) {
            json.writeStringProperty("failure", above.failure());
        }
        if (!above.held().isEmpty()) {
            json.writeStringProperty("held", above.held());
        }
        if (above.copied() >= 0) {
            json.writeNumberProperty("copied", above.copied());
            json.writeNumberProperty("of", above.ofCopied());
        }
    }
}
