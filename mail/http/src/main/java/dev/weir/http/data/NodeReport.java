package dev.weir.http.data;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import dev.weir.storage.Trouble;
import dev.weir.storage.engine.EngineStats;
import dev.weir.storage.log.ConsumerStatus;
import dev.weir.storage.push.PushNode;
import dev.weir.storage.replication.Leader;
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
        json.writeArrayPropertyStart("troubles");
        for (Trouble trouble : stats.troubles()) {
            json.writeString(
                    trouble.detail().isEmpty() ? trouble.reason() : trouble.reason() + ": " + trouble.detail());
        }
        json.writeEndArray();
        consumers(json, engine.consumers());
        stats.replication().ifPresent(node -> node(json, node));
        stats.shared().ifPresent(node -> shared(json, node));
        stats.push().ifPresent(node -> push(json, node));
    }

    /** Writes everything that follows the update log. */
    static void consumers(JsonGenerator json, List<ConsumerStatus> consumers) {
        json.writeArrayPropertyStart("consumers");
        for (ConsumerStatus consumer : consumers) {
            json.writeStartObject();
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
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static String words(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** Writes the masters and slaves in the replication of Rspamd 1.3 to 1.9. */
    static void push(JsonGenerator json, PushNode.Status node) {
        json.writeObjectPropertyStart("mirrors");
        node.intake().ifPresent(intake -> {
            json.writeObjectPropertyStart("sources");
            intake.sources().entrySet().stream().sorted(Map.Entry.comparingByKey())
                    .forEach(source -> json.writeNumberProperty(source.getKey(), source.getValue()));
            json.writeEndObject();
        });
        json.writeArrayPropertyStart("slaves");
        for (PushNode.Slave slave : node.slaves()) {
            json.writeStartObject();
            json.writeStringProperty("name", slave.name());
            json.writeNumberProperty("behind", slave.behind());
            json.writeNumberProperty("batch", slave.revision());
            json.writeBooleanProperty("heard", slave.batches() > 0);
            if (!slave.failure().isEmpty()) {
                json.writeStringProperty("failure", slave.failure());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void shared(JsonGenerator json, SharedStats node) {
        json.writeObjectPropertyStart("shared");
        json.writeStringProperty("node", node.node());
        json.writeStringProperty("redis", node.redis());
        json.writeStringProperty("promise", node.promise());
        json.writeNumberProperty("unsent", node.unsent());
        json.writeBooleanProperty("whole", node.whole());
        Map<String, List<Integer>> shards = new TreeMap<>();
        for (int i = 0; i < node.servers().size(); i++) {
            shards.computeIfAbsent(node.servers().get(i), _ -> new ArrayList<>()).add(i);
        }
        json.writeArrayPropertyStart("servers");
        shards.forEach((address, numbers) -> {
            json.writeStartObject();
            json.writeStringProperty("address", address);
            json.writeArrayPropertyStart("shards");
            numbers.forEach(json::writeNumber);
            json.writeEndArray();
            json.writeEndObject();
        });
        json.writeEndArray();
        long furthest = node.peers().stream().mapToLong(SharedPeer::used).max().orElse(0);
        json.writeArrayPropertyStart("nodes");
        for (SharedPeer peer : node.peers()) {
            json.writeStartObject();
            json.writeStringProperty("node", peer.node());
            json.writeStringProperty("machine", peer.machine());
            json.writeNumberProperty("silent", peer.silentSeconds());
            json.writeNumberProperty("hashes", peer.hashes());
            json.writeNumberProperty("unsent", peer.unsent());
            json.writeNumberProperty("behind", furthest - peer.used());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Writes the place of a node in replication. */
    static void node(JsonGenerator json, NodeStatus node) {
        json.writeStringProperty("part", node.part().name().toLowerCase(Locale.ROOT));
        json.writeStringProperty("epoch", node.epoch().toString());
        NodeStatus.Above above = node.upstream();
        if (above != null) {
            json.writeObjectPropertyStart("leader");
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
            json.writeEndObject();
        }
        if (node.needed() > 0) {
            json.writeNumberProperty("confirmations", node.needed());
            json.writeNumberProperty("replicated", node.replicated());
        }
        json.writeArrayPropertyStart("followers");
        for (Leader.Follower follower : node.followers()) {
            json.writeStartObject();
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
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
