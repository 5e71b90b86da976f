package dev.weir.http.socket;

import java.util.Locale;
import java.util.Map;

import dev.weir.storage.engine.EngineStats;
import dev.weir.storage.engine.Trouble;
import dev.weir.storage.push.PushNode;
import dev.weir.storage.replication.Leader;
import dev.weir.storage.replication.NodeStatus;
import dev.weir.storage.server.stats.StorageStats;
import tools.jackson.core.JsonGenerator;

/** The state of a storage and its place among other nodes, for {@code weir control status}. */
final class NodeReport {
    private NodeReport() {}

    /** Writes the members. */
    static void write(JsonGenerator json, StorageStats stats) {
        EngineStats engine = stats.engine();
        json.writeNumberProperty("hashes", engine.hashes());
        json.writeNumberProperty("revision", engine.revision());
        json.writeArrayPropertyStart("troubles");
        for (Trouble trouble : stats.troubles()) {
            json.writeString(
                    trouble.detail().isEmpty() ? trouble.reason() : trouble.reason() + ": " + trouble.detail());
        }
        json.writeEndArray();
        stats.replication().ifPresent(node -> node(json, node));
        stats.push().ifPresent(node -> push(json, node));
    }

    private static void push(JsonGenerator json, PushNode.Status node) {
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
            if (!slave.failure().isEmpty()) {
                json.writeStringProperty("failure", slave.failure());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void node(JsonGenerator json, NodeStatus node) {
        json.writeStringProperty("part", node.part().name().toLowerCase(Locale.ROOT));
        json.writeStringProperty("epoch", node.epoch().toString());
        NodeStatus.Above above = node.upstream();
        if (above != null) {
            json.writeObjectPropertyStart("leader");
            json.writeStringProperty("address", above.address());
            json.writeNumberProperty("behind", above.behind());
            above.lagSeconds().ifPresent(lag -> json.writeNumberProperty("lag", lag));
            if (!above.failure().isEmpty()) {
                json.writeStringProperty("failure", above.failure());
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
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
