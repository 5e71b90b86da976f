package dev.weir.cli.control;

import java.util.Locale;

import dev.weir.cli.terminal.Reports;
import tools.jackson.databind.JsonNode;

/** The output of {@code weir control status} for people. */
final class NodeStatusReport {
    private NodeStatusReport() {}

    static String of(JsonNode reply) {
        StringBuilder text = new StringBuilder();
        reply.path("workers").forEach(worker -> write(text, worker));
        return text.toString();
    }

    private static void write(StringBuilder text, JsonNode worker) {
        line(text, "hashes %d, last update %d", worker.path("hashes").asLong(0), worker.path("revision").asLong(0));
        if (worker.has("part")) {
            node(text, worker);
        }
        if (worker.has("shared")) {
            shared(text, worker.path("shared"));
        }
        worker.path("consumers").forEach(consumer -> line(text, "%s: %s, lacks %s%s%s",
                consumer.path("name").asString(""), consumer.path("state").asString(""),
                updates(consumer.path("behind")),
                consumer.path("lag").asLong(0) > 0 ? " for " + consumer.path("lag").asLong(0) + " s" : "",
                consumer.has("failure")
                        ? "; failed " + consumer.path("failed").asLong(0) + " s ago: "
                                + consumer.path("failure").asString("")
                        : ""));
        if (worker.path("troubles").isEmpty()) {
            line(text, "healthy");
        }
        worker.path("troubles").forEach(trouble -> line(text, "trouble: %s", trouble.asString("")));
    }

    private static void node(StringBuilder text, JsonNode worker) {
        String part = switch (worker.path("part").asString("")) {
            case "leader" -> "this node leads";
            case "follower" -> "this node follows";
            default -> "this node takes no updates";
        };
        line(text, "%s, epoch %s", part, worker.path("epoch").asString(""));
        JsonNode leader = worker.path("leader");
        if (leader.isObject()) {
            line(text, "leader %s: %s%s", leader.path("address").asString(""), distance(leader),
                    leader.has("failure") ? " (" + leader.path("failure").asString("") + ")" : "");
            if (leader.has("copied")) {
                long of = leader.path("of").asLong(-1);
                line(text, "copying: %s%s", of < 0 ? "" : leader.path("copied").asLong(0) + " of ",
                        Reports.count(of < 0 ? leader.path("copied").asLong(0) : of, "hash"));
            }
        }
        if (worker.has("confirmations")) {
            long followers = worker.path("confirmations").asLong(0);
            line(text, followers == 1
                    ? "updates are acknowledged when %s has them; it has update %d"
                    : "updates are acknowledged when %s have them; they have update %d",
                    Reports.count(followers, "follower"), worker.path("replicated").asLong(0));
        }
        worker.path("followers").forEach(follower -> {
            String name = follower.path("name").asString("");
            if (!follower.has("behind")) {
                line(text, "follower %s: has not asked since the start", name);
            } else {
                line(text, "follower %s: %s behind, last heard from %d s ago%s", name,
                        updates(follower.path("behind")), follower.path("silent").asLong(0),
                        follower.path("copying").asBoolean(false) ? ", copying" : "");
            }
        });
    }

    private static String distance(JsonNode leader) {
        // A node that refuses to follow has another history than its leader, so no number tells how far they are apart.
        return leader.has("behind") && !leader.has("held")
                ? updates(leader.path("behind")) + " behind, lag " + leader.path("lag").asLong(0) + " s"
                : "updates behind and lag unknown";
    }

    private static void shared(StringBuilder text, JsonNode shared) {
        line(text, "node %s shares its hashes with %s; %s%s unsent", shared.path("node").asString(""),
                shared.path("redis").asString(""),
                shared.path("whole").asBoolean(false) ? "" : "not complete yet, ", updates(shared.path("unsent")));
        if (!shared.path("promise").asString("").isEmpty()) {
            line(text, "%s", shared.path("promise").asString(""));
        }
        shared.path("servers").forEach(server -> {
            String address = server.path("address").asString("");
            line(text, "%s takes the writes of %s", address.isEmpty() ? "no known server" : address,
                    Reports.count(server.path("shards").size(), "shard"));
        });
        shared.path("nodes").forEach(node -> line(text,
                "node %s on %s: %s, %s unsent, %s behind, last heard from %d s ago",
                node.path("node").asString(""), node.path("machine").asString(""),
                Reports.count(node.path("hashes").asLong(0), "hash"), updates(node.path("unsent")),
                Reports.count(node.path("behind").asLong(0), "change"), node.path("silent").asLong(0)));
    }

    private static String updates(JsonNode number) {
        return Reports.count(number.asLong(0), "update");
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of the program
    private static void line(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
