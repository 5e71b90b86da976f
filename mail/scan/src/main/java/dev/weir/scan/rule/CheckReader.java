package dev.weir.scan.rule;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.config.Configuration;
import dev.weir.config.map.MapFile;
import dev.weir.config.map.MapSource;
import dev.weir.config.map.NetworkList;
import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.Origin;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.ucl.UclObject;
import dev.weir.model.Networks;
import dev.weir.scan.outgoing.OutgoingSettings;
import dev.weir.scan.score.Protectors;
import dev.weir.scan.score.SymbolTable;

/**
 * The reader of {@code fuzzy_check} (docs/reference/scanner.md#module-options). It reports all errors, not only the
 * first.
 */
final class CheckReader {
    private static final String NAME = "fuzzy_check";
    private static final OptionTable OPTIONS = OptionTable.shipped(NAME);
    private static final OptionTable OUTGOING = OptionTable.shipped("outgoing");
    private static final int MOST_RECIPIENTS = 1_000_000;
    private static final double MOST_SCORE = 1_000_000;
    private static final OptionTable RULE = OptionTable.shipped("fuzzy-rule");
    /** The maximum number of rules, far above real configurations: each rule costs sockets. */
    private static final int MAX_RULES = 256;
    /** The maximum size of a map file in bytes. */
    private static final int MAX_FILE = 64 << 20;

    private final Configuration configuration;
    private final SourceFiles files;
    private final Problems problems;

    CheckReader(Configuration configuration, SourceFiles files, Problems problems) {
        this.configuration = configuration;
        this.files = files;
        this.problems = problems;
    }

    Optional<FuzzyCheckSettings> read() {
        List<UclObject> sections = configuration.sections(NAME);
        if (sections.isEmpty()) {
            problems.error(new Origin(configuration.file(), 1, 1), "there is no " + NAME + " in this configuration");
            return Optional.empty();
        }
        if (sections.size() > 1) {
            problems.error(sections.get(1).origin(), "a second " + NAME + ": sections that repeat are not merged");
            return Optional.empty();
        }
        Section section = Section.of(sections.getFirst(), NAME, OPTIONS, problems);
        boolean enabled = section.bool("enabled").orElse(true);
        int maxErrors = (int) section.integer("max_errors", 1, 1_000_000).orElse(4);
        Duration revive = section.seconds("revive_time", Duration.ofMillis(100), Duration.ofDays(1))
                .orElse(Duration.ofMinutes(1));
        Networks whitelist = whitelist(section);
        List<RuleSettings> rules = rules(section);
        Optional<String> disputed = section.string("disputed_symbol").filter(name -> !name.isEmpty());
        Optional<OutgoingSettings> outgoing = outgoing(section);
        section.finish();
        SymbolReader symbols = new SymbolReader(configuration, files, problems);
        SymbolTable table = symbols.read(rules);
        warnOfUnguardedKinds(rules, table, section);
        return Optional.of(new FuzzyCheckSettings(enabled, rules, whitelist, table, maxErrors, revive, disputed,
                outgoing, problems.warnings()));
    }

    private Optional<OutgoingSettings> outgoing(Section module) {
        List<Section> sections = module.sections("outgoing", OUTGOING);
        if (sections.isEmpty()) {
            return Optional.empty();
        }
        if (sections.size() > 1) {
            problems.error(sections.get(1).origin(), "there is a second section outgoing");
        }
        Section section = sections.getFirst();
        int recipients = (int) section.integer("max_recipients", 1, MOST_RECIPIENTS).orElse(1);
        Duration window = section.seconds("window", Duration.ofMinutes(1), OutgoingSettings.LONGEST).orElseThrow();
        String symbol = section.string("symbol").orElse("");
        if (symbol.isBlank()) {
            section.refuse("symbol", "a symbol needs a name");
        }
        double score = section.number("score", -MOST_SCORE, MOST_SCORE).orElse(0);
        section.finish();
        return Optional.of(new OutgoingSettings(recipients, window, symbol, score));
    }

    /** Kinds beyond those of Rspamd need a way to say that a template is wanted. */
    private void warnOfUnguardedKinds(List<RuleSettings> rules, SymbolTable table, Section section) {
        for (RuleSettings rule : rules) {
            if (!rule.kinds().kinds().isEmpty() && Protectors.of(rule.score(), table).isEmpty()) {
                problems.warning(section.origin(),
                        "no symbol of rule \"" + rule.name() + "\" has a negative weight, so "
                                + "wanted mail cannot be learned against hits of its kinds");
            }
        }
    }

    private List<RuleSettings> rules(Section module) {
        RuleReader reader = new RuleReader(new RuleDefaults(module), files, problems);
        List<RuleSettings> rules = new ArrayList<>();
        List<Section.Named> sections = module.named("rule", RULE, CheckReader::isRule);
        Map<String, Origin> names = new HashMap<>();
        for (Section.Named named : sections.subList(0, Math.min(sections.size(), MAX_RULES))) {
            Section section = named.section();
            if (!section.bool("enabled").orElse(true)) {
                continue;
            }
            reader.read(named.name(), section).ifPresent(rule -> {
                Origin first = names.putIfAbsent(rule.name(), rule.origin());
                if (first != null) {
                    problems.error(rule.origin(),
                            "a second rule \"" + rule.name() + "\", the first one is at " + first);
                }
                rules.add(rule);
            });
            section.finish();
        }
        if (sections.size() > MAX_RULES) {
            problems.error(module.originOf("rule"), "more than " + MAX_RULES + " rules");
        }
        warnOfSharedFlags(rules);
        return rules;
    }

    /**
     * Reads one {@code rule} section. A section that names servers is a rule; any other section holds rules by name.
     */
    private static boolean isRule(UclObject section) {
        return section.present().keySet().stream()
                .anyMatch(key -> key.equals("servers") || key.equals("read_servers") || key.equals("write_servers"));
    }

    private void warnOfSharedFlags(List<RuleSettings> rules) {
        Map<Long, String> owners = new HashMap<>();
        for (RuleSettings rule : rules) {
            if (!rule.mode().writes()) {
                continue;
            }
            for (Long flag : rule.score().flags().keySet()) {
                String owner = owners.putIfAbsent(flag, rule.name());
                if (owner != null && !owner.equals(rule.name())) {
                    problems.warning(rule.origin(), "flag " + flag + " is also one of rule \"" + owner
                            + "\", and both learn: every vote counts twice in a storage that they share");
                }
            }
        }
    }

    private Networks whitelist(Section section) {
        Optional<MapSource> source = section.map("whitelist");
        if (source.isEmpty()) {
            return Networks.NONE;
        }
        List<MapSource.Entry> entries = new ArrayList<>(source.get().entries());
        for (MapSource.Entry file : source.get().files()) {
            MapFile.read(files, file, MAX_FILE, problems::add).ifPresent(text -> {
                int number = 0;
                for (String line : text.split("\n", -1)) {
                    number++;
                    // The rest of a line after its first word is a comment, as in all maps of Rspamd.
                    entries.add(new MapSource.Entry(line.strip().split("[#\\s]", 2)[0],
                            new Origin(file.text(), number, 1)));
                }
            });
        }
        NetworkList parsed = NetworkList.parse(entries, problems::add);
        parsed.hosts().forEach(host -> problems.error(host.origin(),
                "\"whitelist\" of " + NAME + ": expected an address or a network, but found the name \"" + host.text()
                        + "\""));
        return Networks.dualStack(parsed.networks());
    }
}
