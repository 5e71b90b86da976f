package dev.weir.cli.control;

import java.util.Locale;

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
            line(text, "leader %s: %d updates behind, lag %s%s", leader.path("address").asString(""),
                    leader.path("behind").asLong(0),
                    leader.has("lag") ? leader.path("lag").asLong(0) + " s" : "unknown",
                    leader.has("failure") ? " (" + leader.path("failure").asString("") + ")" : "");
            if (leader.has("copied")) {
                long of = leader.path("of").asLong(-1);
                line(text, "copying: %d%s hashes", leader.path("copied").asLong(0), of < 0 ? "" : " of " + of);
            }
        }
        if (worker.has("confirmations")) {
            line(text, "updates are acknowledged when %d followers have them; they have update %d",
                    worker.path("confirmations").asLong(0), worker.path("replicated").asLong(0));
        }
        worker.path("followers").forEach(follower -> {
            String name = follower.path("name").asString("");
            if (!follower.has("behind")) {
                line(text, "follower %s: has not asked since the start", name);
            } else {
                line(text, "follower %s: %d updates behind, last heard of %d s ago%s", name,
                        follower.path("behind").asLong(0), follower.path("silent").asLong(0),
                        follower.path("copying").asBoolean(false) ? ", copying" : "");
            }
        });
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of the program
    private static void line(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
