package dev.weir.storage.server;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;

/**
 * A row of the table of deviations from captured replies. {@code scenarios} and {@code steps} are patterns in which *
 * matches any text, and {@code reason} explains the row. One more field describes the deviation: {@code set} (fields
 * with other values; "prob": "exact" is the fraction "N/32" in the label), {@code text} (the reply is that line),
 * {@code nothing} (there is no reply), or {@code later} (not implemented; the reply must differ from the captured one).
 */
final class Deviation {
    private static final Pattern SHARE = Pattern.compile("(\\d+)/32");

    private final JsonNode row;
    private final List<Pattern> scenarios;
    private final List<Pattern> steps;

    Deviation(JsonNode row) {
        this.row = row;
        this.scenarios = globs(row.get("scenarios"));
        this.steps = globs(row.get("steps"));
        if (row.get("reason").asString().length() < 10) {
            throw new IllegalArgumentException("row without a reason: " + row);
        }
    }

    private static List<Pattern> globs(JsonNode node) {
        List<Pattern> patterns = new ArrayList<>();
        for (JsonNode text : node.isArray() ? node : List.of(node)) {
            patterns.add(Pattern.compile(Pattern.quote(text.asString()).replace("*", "\\E.*\\Q")));
        }
        return patterns;
    }

    boolean concerns(String scenario, String label) {
        return scenarios.stream().anyMatch(pattern -> pattern.matcher(scenario).matches())
                && steps.stream().anyMatch(pattern -> pattern.matcher(label).matches());
    }

    boolean later() {
        return row.has("later");
    }

    Expected apply(Expected captured, String label) {
        if (row.has("nothing")) {
            return captured.withNothing();
        }
        if (row.has("text")) {
            return captured.withText(row.get("text").asString() + "\r\n");
        }
        if (!row.has("set")) {
            return captured;
        }
        Matcher share = SHARE.matcher(label);
        return captured.with(row.get("set"), share.find() ? Integer.parseInt(share.group(1)) / 32f : Float.NaN);
    }

    @Override
    public String toString() {
        return row.toString();
    }
}
