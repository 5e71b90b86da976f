package dev.weir.cli.control;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The report of {@code rspamadm control fuzzystat} of Rspamd 4.1 (docs/reference/storage.md#report-of-fuzzystat), line
 * by line, from the statistics of Weir or Rspamd. Where Rspamd's order is random, this report sorts by name.
 */
public final class FuzzyStatReport {
    private static final String[] LABELS = {"v0.6", "v0.8", "v0.9", "v1.0+", "v1.7+"};
    private static final List<String> COUNTS = List.of("checked", "matched", "errors", "added", "deleted");
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("EEE MMM d HH:mm:ss uuuu", Locale.ROOT);
    private static final int SECONDS_AN_HOUR = 3_600;

    /** The order of records. The greatest count comes first. */
    public enum Sort {
        /** By checks. */
        CHECKED,
        /** By matches. */
        MATCHED,
        /** By errors. */
        ERRORS,
        /** By name in ascending order: addresses by their text. */
        IP,
        /** By name in descending order, as in Rspamd. */
        NAME
    }

    /**
     * The options of a report.
     *
     * @param exact whether to print exact numbers instead of shortened ones
     * @param brief whether to print only the totals
     * @param keys whether to print the statistics of keys
     * @param addresses whether to print the statistics of addresses
     * @param sort the order of keys and addresses
     */
    public record Options(boolean exact, boolean brief, boolean keys, boolean addresses, Sort sort) {}

    private final Options options;
    private final StringBuilder out = new StringBuilder();

    private FuzzyStatReport(Options options) {
        this.options = options;
    }

    /** Returns the report on a reply to {@code /fuzzystat}. It ends with a line break. */
    public static String of(JsonNode reply, Options options) {
        FuzzyStatReport report = new FuzzyStatReport(options);
        report.storages(reply).forEach(report::storage);
        return report.out.toString();
    }

    // ---- sums of workers ----

    /** Sums up the workers of each storage. Workers with the same identifier have the same hashes. */
    private Map<String, ObjectNode> storages(JsonNode reply) {
        Map<String, ObjectNode> storages = new TreeMap<>();
        for (Map.Entry<String, JsonNode> worker : reply.path("workers").properties()) {
            JsonNode of = worker.getValue();
            if (of.path("data").isObject()) {
                ObjectNode sum = storages.computeIfAbsent(of.path("id").asString(worker.getKey()),
                        id -> JsonNodeFactory.instance.objectNode());
                add((ObjectNode) of.path("data"), sum);
            }
        }
        return storages;
    }

    private static void add(ObjectNode from, ObjectNode to) {
        for (Map.Entry<String, JsonNode> member : from.properties()) {
            String name = member.getKey();
            JsonNode value = member.getValue();
            JsonNode before = to.get(name);
            switch (value.getNodeType()) {
                case NUMBER -> to.put(name, name.equals("fuzzy_stored") || before == null
                        ? value.asDouble()
                        : before.asDouble() + value.asDouble());
                case ARRAY -> {
                    var sums = JsonNodeFactory.instance.arrayNode();
                    for (int i = 0; i < value.size(); i++) {
                        sums.add(value.path(i).asDouble() + (before == null ? 0 : before.path(i).asDouble(0)));
                    }
                    to.set(name, sums);
                }
                case OBJECT -> add((ObjectNode) value, before instanceof ObjectNode there ? there : to.putObject(name));
                default -> to.set(name, value);
            }
        }
    }

    // ---- one storage ----

    private void storage(String id, ObjectNode data) {
        line("Statistics for storage " + id);
        for (Map.Entry<String, JsonNode> member : data.properties()) {
            if (!member.getValue().isObject()) {
                line(member.getKey() + ": " + general(member.getValue()));
            }
        }
        line("");
        if (options.brief()) {
            return;
        }
        ObjectNode addresses = JsonNodeFactory.instance.objectNode();
        List<Map.Entry<String, JsonNode>> keys = sorted(data.path("keys"));
        keys.forEach(key -> {
            if (key.getValue().path("ips") instanceof ObjectNode ips) {
                add(ips, addresses);
            }
        });
        if (options.keys()) {
            line("Keys statistics:");
            keys.forEach(key -> key(key.getKey(), key.getValue()));
            line("");
        }
        if (options.addresses()) {
            errors(data.path("errors_ips"));
            line("IPs statistics:");
            sorted(addresses).forEach(address -> {
                line(address.getKey());
                record(address.getValue(), "\t", COUNTS);
                line("");
            });
        }
    }

    private String general(JsonNode value) {
        if (!value.isArray()) {
            return value.isNumber() ? number(value) : value.asString("");
        }
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < value.size(); i++) {
            parts.add("(" + (i < LABELS.length ? LABELS[i] : "???") + ": " + number(value.path(i)) + ")");
        }
        return String.join(", ", parts);
    }

    private void key(String id, JsonNode key) {
        JsonNode extensions = key.path("keypair").path("extensions");
        line("Key id: " + id + (extensions.has("name")
                ? ", name: " + extensions.path("name").asString("") + " (email: "
                        + extensions.path("email").asString("unknown") + ")"
                : ""));
        record(key, "\t", COUNTS);
        line("");
        if (options.addresses()) {
            line("\tIPs stat:");
            sorted(key.path("ips")).forEach(address -> {
                line("\t" + address.getKey());
                record(address.getValue(), "\t\t", COUNTS);
                line("");
            });
            line("");
        }
        if (key.path("flags").isObject() && !key.path("flags").isEmpty()) {
            line("\tFlags stat:");
            for (Map.Entry<String, JsonNode> flag : key.path("flags").properties()) {
                line("\t[" + flag.getKey() + "]:");
                record(flag.getValue(), "\t\t", COUNTS.subList(1, COUNTS.size()));
                line("");
            }
            line("");
        }
        if (key.path("ratelimit").isObject()) {
            rateLimit(extensions.path("ratelimit"), key.path("ratelimit"));
        }
    }

    private void rateLimit(JsonNode limit, JsonNode now) {
        line("\tRatelimit stat:");
        if (limit.path("burst").isNumber() && limit.path("rate").isNumber()) {
            line("\tLimit: " + number(limit.path("burst")) + String.format(Locale.ROOT, " (%.2f per hour leak rate)",
                    limit.path("rate").asDouble() * SECONDS_AN_HOUR));
        }
        line("\tCurrent: " + number(now.path("cur")) + " ("
                + DATE.format(Instant.ofEpochSecond(now.path("last").asLong(0)).atZone(ZoneId.systemDefault()))
                + " last)");
        line("");
    }

    private void errors(JsonNode addresses) {
        line("Errors IPs statistics:");
        addresses.properties().stream()
                .sorted(Comparator.comparingDouble((Map.Entry<String, JsonNode> entry) -> -entry.getValue().asDouble(0))
                        .thenComparing(Map.Entry::getKey))
                .forEach(entry -> line(entry.getKey() + ": " + number(entry.getValue())));
        line("");
        line("");
    }

    private void record(JsonNode record, String indent, List<String> names) {
        for (String name : names) {
            JsonNode count = record.path(name);
            if (!count.isNumber()) {
                continue;
            }
            StringBuilder line = new StringBuilder(indent).append(Character.toUpperCase(name.charAt(0)))
                    .append(name.substring(1)).append(": ").append(number(count));
            double checked = record.path("checked").asDouble(0);
            if (name.equals("matched") && names.contains("checked") && checked > 0 && checked <= count.asDouble()) {
                line.append(" - ").append(Humanized.plain(Math.floor(count.asDouble() / checked * 100)))
                        .append(" percent");
            }
            JsonNode perHour = record.path(name + "_per_hour");
            if (perHour.isNumber()) {
                line.append(" (").append(number(perHour)).append(" per hour in average)");
            }
            line(line.toString());
        }
    }

    private List<Map.Entry<String, JsonNode>> sorted(JsonNode records) {
        Map<String, JsonNode> byName = new LinkedHashMap<>();
        records.properties().forEach(entry -> byName.put(entry.getKey(), entry.getValue()));
        Comparator<Map.Entry<String, JsonNode>> byKey = Map.Entry.comparingByKey();
        Comparator<Map.Entry<String, JsonNode>> order = switch (options.sort()) {
            case IP -> byKey;
            case NAME -> byKey.reversed();
            case CHECKED, MATCHED,
                    ERRORS ->
                Comparator.comparingDouble((Map.Entry<String, JsonNode> entry) -> -entry.getValue()
                        .path(options.sort().name().toLowerCase(Locale.ROOT)).asDouble(0))
                        .thenComparing(byKey);
        };
        return byName.entrySet().stream().sorted(order).toList();
    }

    private String number(JsonNode value) {
        double number = value.asDouble(0);
        return options.exact() ? Humanized.plain(number) : Humanized.shorten(number);
    }

    private void line(String text) {
        out.append(text).append('\n');
    }
}
