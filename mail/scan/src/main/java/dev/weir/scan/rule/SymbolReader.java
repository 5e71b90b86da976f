package dev.weir.scan.rule;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

import dev.weir.config.Configuration;
import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclDouble;
import dev.weir.config.ucl.UclInteger;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.config.ucl.UclString;
import dev.weir.config.ucl.UclValue;
import dev.weir.scan.score.SymbolTable;

/**
 * The reader of symbol weights and group caps (docs/reference/scanner.md#symbols).
 *
 * <p>It reads group {@code fuzzy} completely. From other groups it reads only the symbols of our rules; the rest
 * belongs to other modules. If no group {@code fuzzy} is configured, the weights that Rspamd ships apply. Symbols of a
 * named {@code metric} and, below them, of the section {@code symbols} take precedence over those of groups.
 */
final class SymbolReader {
    private static final OptionTable GROUP = OptionTable.shipped("fuzzy-group");
    private static final OptionTable SYMBOL = OptionTable.shipped("fuzzy-symbol");
    private static final double LARGEST = 1e9;
    private static final int MAX_FILE = 1 << 20;
    private static final String UNGROUPED = "ungrouped";
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,9}(\\.[0-9]{1,9})?");
    private static final Map<String, Double> SHIPPED = Map.of("FUZZY_UNKNOWN", 5.0, "FUZZY_DENIED", 12.0, "FUZZY_PROB",
            5.0, "FUZZY_WHITE", -2.1);

    private final Configuration configuration;
    private final SourceFiles files;
    private final Problems problems;
    private final Map<String, SymbolTable.Symbol> symbols = new HashMap<>();
    private final Map<String, SymbolTable.Group> groups = new HashMap<>();

    SymbolReader(Configuration configuration, SourceFiles files, Problems problems) {
        this.configuration = configuration;
        this.files = files;
        this.problems = problems;
    }

    SymbolTable read(List<RuleSettings> rules) {
        Set<String> wanted = new HashSet<>();
        for (RuleSettings rule : rules) {
            wanted.add(rule.score().symbol());
            rule.score().flags().values().forEach(mapping -> wanted.add(mapping.symbol()));
        }
        boolean configured = false;
        // A group at the top counts more than one in a metric.
        for (UclObject metric : namedMetrics()) {
            for (UclValue value : metric.items("group")) {
                if (value instanceof UclObject group) {
                    configured |= metricGroups(group, wanted);
                }
            }
        }
        configured |= read(configuration.sections("group"), wanted);
        configured = configured || beside();
        if (!configured) {
            SHIPPED.forEach((name, weight) -> symbols.putIfAbsent(name,
                    new SymbolTable.Symbol(weight, "", SymbolTable.FUZZY)));
        }
        configuration.sections("symbols").forEach(section -> named(section, (symbol, body) -> {
            if (wanted.contains(symbol)) {
                problems.warning(body.origin(), "symbol " + symbol + " stands in symbols, which Rspamd 3.4 ignores: "
                        + "write group \"" + SymbolTable.FUZZY + "\" { symbols { } }, which every release reads");
            }
            override(symbol, body, wanted);
        }));
        configuration.sections("metric").forEach(this::warnOfNameless);
        namedMetrics().forEach(metric -> overrideAll(metric, wanted));
        double unknown = unknownWeight();
        for (RuleSettings rule : rules) {
            rule.score().flags().values().stream()
                    .map(mapping -> mapping.symbol())
                    .filter(name -> unknown == 0 && !symbols.containsKey(name))
                    .forEach(name -> problems.warning(rule.origin(), "symbol " + name + " of rule \"" + rule.name()
                            + "\" has no weight in group \"" + SymbolTable.FUZZY + "\": it scores 0"));
        }
        return new SymbolTable(symbols, groups, unknown);
    }

    private boolean read(List<UclObject> containers, Set<String> wanted) {
        boolean found = false;
        for (UclObject container : containers) {
            if (!container.items("symbols").isEmpty() || !container.items("name").isEmpty()) {
                String name = container.items("name").stream()
                        .filter(UclString.class::isInstance)
                        .map(value -> ((UclString) value).text())
                        .findFirst()
                        .orElse("");
                found |= group(name, container, wanted);
                continue;
            }
            for (Map.Entry<String, List<UclValue>> member : container.members().entrySet()) {
                for (UclValue value : container.items(member.getKey())) {
                    if (value instanceof UclObject group) {
                        found |= group(member.getKey(), group, wanted);
                    }
                }
            }
        }
        return found;
    }

    /** Reads a group. Returns whether it is the group of the fuzzy symbols. */
    private boolean group(String name, UclObject object, Set<String> wanted) {
        if (name.equals(SymbolTable.FUZZY)) {
            fuzzy(object);
            return true;
        }
        for (UclValue value : object.items("symbols")) {
            if (value instanceof UclObject entries) {
                entries.members().forEach((symbol, bodies) -> {
                    if (bodies.getLast() instanceof UclObject body) {
                        inGroup(name, object, symbol, body, wanted);
                    }
                });
            }
        }
        return false;
    }

    private void fuzzy(UclObject object) {
        Section group = Section.of(object, "group \"" + SymbolTable.FUZZY + "\"", GROUP, problems);
        // Descriptions, which are never shown, and the name, which led here.
        group.string("description");
        group.string("name");
        groups.put(SymbolTable.FUZZY, new SymbolTable.Group(group.number("max_score", 0, LARGEST),
                group.number("min_score", -LARGEST, 0)));
        for (UclValue value : group.raw("symbols")) {
            if (!(value instanceof UclObject entries)) {
                problems.error(value.origin(), "\"symbols\" of " + group.path()
                        + ": expected a section { SYMBOL { weight = 5 } }, but found " + value.kind());
                continue;
            }
            if (entries.items("name").stream().anyMatch(UclString.class::isInstance)) {
                named(entries, (name, body) -> symbol(name, body, SymbolTable.FUZZY));
                continue;
            }
            entries.members().forEach((name, bodies) -> {
                if (bodies.getLast() instanceof UclObject body) {
                    symbol(name, body, SymbolTable.FUZZY);
                } else {
                    problems.error(bodies.getLast().origin(), "\"" + name + "\" of " + group.path()
                            + ": expected a section { weight = 5 }, but found " + bodies.getLast().kind());
                }
            });
        }
        group.finish();
    }

    private void symbol(String name, UclObject body, String group) {
        Section section = Section.of(body, "symbol " + name, SYMBOL, problems);
        section.string("name");
        double weight = weight(section).orElse(0);
        String description = section.string("description").orElse("");
        section.finish();
        symbols.put(name, new SymbolTable.Symbol(weight, description, group));
    }

    /** Returns the metrics with a name. Of a metric without one, Rspamd takes every section for a metric. */
    private List<UclObject> namedMetrics() {
        List<UclObject> named = new ArrayList<>();
        for (UclObject metric : configuration.sections("metric")) {
            if (!metric.items("name").isEmpty()) {
                named.add(metric);
                continue;
            }
            metric.present().keySet().stream().flatMap(key -> metric.items(key).stream())
                    .filter(UclObject.class::isInstance).map(UclObject.class::cast).forEach(named::add);
        }
        return named;
    }

    /** Reads the groups of a metric, whose symbols stand in {@code symbol}. Returns whether one is the fuzzy group. */
    private boolean metricGroups(UclObject container, Set<String> wanted) {
        List<Boolean> fuzzy = new ArrayList<>();
        named(container, (name, group) -> {
            if (name.equals(SymbolTable.FUZZY)) {
                fuzzy(group);
                fuzzy.add(true);
                return;
            }
            for (UclValue value : group.items("symbol")) {
                if (value instanceof UclObject entries) {
                    named(entries, (symbol, body) -> inGroup(name, group, symbol, body, wanted));
                }
            }
        });
        return !fuzzy.isEmpty();
    }

    private void inGroup(String name, UclObject group, String symbol, UclObject body, Set<String> wanted) {
        if (wanted.contains(symbol)) {
            symbol(symbol, body, name);
            groups.putIfAbsent(name, new SymbolTable.Group(number(group, "max_score"), number(group, "min_score")));
        }
    }

    /** Warns of what stands in a metric without a name, where Rspamd looks for metrics only. */
    private void warnOfNameless(UclObject metric) {
        if (!metric.items("name").isEmpty()) {
            return;
        }
        for (String key : List.of("symbol", "group")) {
            for (UclValue value : metric.items(key)) {
                if (value instanceof UclObject section && (key.equals("symbol") || section.items("symbol").isEmpty())) {
                    problems.warning(value.origin(), "\"" + key + "\" of metric has no effect, "
                            + "because the metric has no name: add name = \"default\"");
                    return;
                }
            }
        }
    }

    private void overrideAll(UclObject metric, Set<String> wanted) {
        for (UclValue value : metric.items("symbol")) {
            if (value instanceof UclObject section) {
                named(section, (symbol, body) -> override(symbol, body, wanted));
            }
        }
    }

    /** Passes on the symbols of a section, which is either one symbol with the key {@code name} or a set by name. */
    private static void named(UclObject section, BiConsumer<String, UclObject> each) {
        if (!section.items("name").isEmpty() && section.items("name").getFirst() instanceof UclString name) {
            each.accept(name.text(), section);
            return;
        }
        section.members().forEach((name, bodies) -> bodies.forEach(value -> {
            if (value instanceof UclObject body) {
                each.accept(name, body);
            }
        }));
    }

    /** Replaces what a body states of a symbol; the rest, such as its group, stays as its group defines it. */
    private void override(String name, UclObject body, Set<String> wanted) {
        SymbolTable.Symbol known = symbols.get(name);
        if (known == null && !wanted.contains(name)) {
            return;
        }
        SymbolTable.Symbol base = known == null ? new SymbolTable.Symbol(0, "", UNGROUPED) : known;
        Section section = Section.of(body, "symbol " + name, SYMBOL, problems);
        section.string("name");
        double weight = weight(section).orElse(base.weight());
        String description = section.string("description").orElse(base.description());
        section.finish();
        symbols.put(name, new SymbolTable.Symbol(weight, description, base.group()));
    }

    /** Accepts a number in quotes as well, because the documents of Rspamd write it so, although Rspamd refuses it. */
    private OptionalDouble weight(Section section) {
        List<UclValue> values = section.raw("weight");
        if (!values.isEmpty() && values.getLast() instanceof UclString text && NUMBER.matcher(text.text()).matches()) {
            problems.warning(text.origin(), "\"weight\" of " + section.path() + " is a number in quotes, which Rspamd "
                    + "refuses: remove the quotes");
            return OptionalDouble.of(Double.parseDouble(text.text()));
        }
        return section.number("weight", -LARGEST, LARGEST);
    }

    /** Returns the {@code fuzzy_group.conf} next to a {@code fuzzy_check.conf} that was loaded alone. */
    private boolean beside() {
        if (configuration.shape() != Configuration.Shape.INSIDE_OF_FUZZY_CHECK) {
            return false;
        }
        String file = configuration.file();
        String name = file.substring(0, file.lastIndexOf('/') + 1) + "fuzzy_group.conf";
        String text;
        try {
            files.realPath(name);
            text = new String(files.read(name, MAX_FILE), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return false;
        }
        try {
            if (Ucl.parse(name, text, UclSettings.PLAIN).root() instanceof UclObject root) {
                fuzzy(root);
            }
        } catch (ConfigException e) {
            e.problems().forEach(problems::add);
        }
        return true;
    }

    private List<UclObject> metrics() {
        List<UclObject> metrics = new ArrayList<>();
        for (UclObject metric : configuration.sections("metric")) {
            metrics.add(metric);
            metric.items("default").forEach(value -> {
                if (value instanceof UclObject named) {
                    metrics.add(named);
                }
            });
        }
        return metrics;
    }

    private double unknownWeight() {
        return metrics().stream()
                .map(metric -> number(metric, "unknown_weight"))
                .filter(OptionalDouble::isPresent)
                .mapToDouble(OptionalDouble::getAsDouble)
                .findFirst()
                .orElse(0);
    }

    private static OptionalDouble number(UclObject object, String key) {
        for (UclValue value : object.items(key)) {
            if (value instanceof UclInteger integer) {
                return OptionalDouble.of((double) integer.value());
            }
            if (value instanceof UclDouble real && Double.isFinite(real.value())) {
                return OptionalDouble.of(real.value());
            }
        }
        return OptionalDouble.empty();
    }
}
