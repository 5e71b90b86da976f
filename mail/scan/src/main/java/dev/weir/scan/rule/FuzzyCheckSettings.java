package dev.weir.scan.rule;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.config.Configuration;
import dev.weir.config.option.Problems;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Problem;
import dev.weir.config.source.SourceFiles;
import dev.weir.model.Networks;
import dev.weir.scan.score.SymbolTable;

/**
 * The settings for checks and updates: {@code fuzzy_check} and the weights of its symbols.
 *
 * @param enabled whether checks and updates take place
 * @param rules the enabled rules, in the order of the configuration
 * @param whitelist networks whose mail is not checked
 * @param symbols weights and caps
 * @param maxErrors the number of failures in a row after which a server is no longer asked
 * @param reviveTime the maximum time between two probes of such a server
 * @param disputed the symbol that reports a mail near wanted and unwanted mail instead of scoring it; empty to score it
 * @param warnings likely mistakes for the author of the configuration to check
 */
public record FuzzyCheckSettings(boolean enabled, List<RuleSettings> rules, Networks whitelist, SymbolTable symbols,
        int maxErrors, Duration reviveTime, Optional<String> disputed, List<Problem> warnings) {
    /** Copies the lists. */
    public FuzzyCheckSettings {
        rules = List.copyOf(rules);
        warnings = List.copyOf(warnings);
    }

    /**
     * Reads a configuration.
     *
     * @param files access to map files
     * @throws ConfigException with every error that was found, each with file, line and column
     */
    public static FuzzyCheckSettings of(Configuration configuration, SourceFiles files) throws ConfigException {
        Problems problems = new Problems();
        Optional<FuzzyCheckSettings> settings = read(configuration, files, problems);
        problems.throwErrors();
        return settings.orElseThrow();
    }

    /**
     * Reads a configuration and reports all its problems.
     *
     * @param files access to map files
     * @param problems receives all errors and warnings; after an error the result must not be used
     * @return the settings; empty if the configuration has no {@code fuzzy_check}, which is also a problem
     */
    public static Optional<FuzzyCheckSettings> read(Configuration configuration, SourceFiles files,
            Problems problems) {
        return new CheckReader(configuration, files, problems).read();
    }

    /** Returns the flag of a symbol: the smallest flag that the first matching rule maps to it. Ignores letter case. */
    public OptionalLong flagOf(String symbol) {
        return rules.stream()
                .map(rule -> rule.score().flags().entrySet().stream()
                        .filter(entry -> entry.getValue().symbol().equalsIgnoreCase(symbol))
                        .mapToLong(Map.Entry::getKey)
                        .min())
                .filter(OptionalLong::isPresent)
                .findFirst()
                .orElse(OptionalLong.empty());
    }

    /** Reads {@code group "fuzzy"} alone, such as a {@code fuzzy_group.conf}, for its problems only. */
    public static void readGroup(Configuration configuration, SourceFiles files, Problems problems) {
        new SymbolReader(configuration, files, problems).read(List.of());
    }
}
