package dev.weir.http.data;

import java.util.Locale;

import dev.weir.storage.engine.EngineStats;
import dev.weir.storage.engine.Trouble;
import dev.weir.storage.replication.Leader;
import dev.weir.storage.replication.NodeStatus;
import dev.weir.storage.server.stats.StorageStats;
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
        stats.replication().ifPresent(node -> node(json, node));
    }

    /** Writes the place of a node in replication. */
    static void node(JsonGenerator json, NodeStatus node) {
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
