package dev.weir.cli.mail;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Terminal;
import dev.weir.http.controller.Json;
import dev.weir.model.SafeText;
import tools.jackson.databind.JsonNode;

/** The report of what another Weir says about a mail, in the form of {@link RuleReports}. */
final class ScanReplies {
    private ScanReplies() {}

    /** Prints the reply about a mail, and returns its exit status. */
    static int checked(Terminal terminal, Path file, JsonNode reply, boolean json) {
        boolean known = !reply.path("matches").isEmpty();
        List<String> unanswered = texts(reply.path("unanswered"));
        boolean refused = !reply.path("refused").isEmpty() && reply.path("refused").size() == unanswered.size();
        String notHashed = reply.path("not_hashed").asString("");
        double score = reply.path("score").asDouble();
        if (json) {
            JsonLines.line(terminal.out(), out -> {
                out.writeStringProperty("file", file.toString());
                Json.number(out, "score", score);
                out.writeStringProperty("action", reply.path("action").asString(""));
                out.writeObjectPropertyStart("symbols");
                for (Map.Entry<String, JsonNode> symbol : reply.path("symbols").properties()) {
                    out.writeObjectPropertyStart(symbol.getKey());
                    Json.number(out, "score", symbol.getValue().path("score").asDouble(0));
                    Json.strings(out, "options", texts(symbol.getValue().path("options")));
                    out.writeEndObject();
                }
                out.writeEndObject();
                out.writeBooleanProperty("complete", unanswered.isEmpty());
                if (!unanswered.isEmpty()) {
                    Json.strings(out, "unanswered", unanswered);
                }
                if (!notHashed.isEmpty()) {
                    out.writeStringProperty("not_hashed", notHashed);
                }
            });
        } else if (notHashed.isEmpty()) {
            terminal.out().printf(Locale.ROOT, "%s: %s, score %.2f%n", file,
                    known ? "known" : unanswered.isEmpty() ? "not known" : refused ? "refused" : "no answer", score);
            for (Map.Entry<String, JsonNode> symbol : reply.path("symbols").properties()) {
                terminal.out().printf(Locale.ROOT, "  %s(%.2f) %s%n", SafeText.of(symbol.getKey()),
                        symbol.getValue().path("score").asDouble(0),
                        texts(symbol.getValue().path("options")).stream().map(SafeText::of)
                                .collect(Collectors.joining(", ")));
            }
            unanswered.forEach(line -> terminal.error(file + ": " + SafeText.of(line)));
        }
        if (!notHashed.isEmpty()) {
            terminal.error(file + ": is not hashed: " + SafeText.of(notHashed));
            return ExitCode.INPUT;
        }
        if (known || unanswered.isEmpty()) {
            return known ? ExitCode.OK : ExitCode.NO_MATCH;
        }
        return refused ? ExitCode.REFUSED : ExitCode.NO_ANSWER;
    }

    private static List<String> texts(JsonNode array) {
        return array.valueStream().map(node -> node.asString("")).toList();
    }
}
