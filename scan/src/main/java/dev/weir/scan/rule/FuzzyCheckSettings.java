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
 * All that a configuration says about checking and learning: {@code fuzzy_check} and the weights of its symbols.
 *
 * @param enabled whether anything is checked or learned
 * @param rules in the order of the configuration, without those that are switched off
 * @param whitelist addresses whose mail is not checked
 * @param symbols weights and caps
 * @param maxErrors after how many failures in a row a server is left alone
 * @param reviveTime the longest time between two looks at such a server
 * @param warnings what the author of the configuration should look at
 */
public record FuzzyCheckSettings(boolean enabled, List<RuleSettings> rules, Networks whitelist, SymbolTable symbols,
        int maxErrors, Duration reviveTime, List<Problem> warnings) {
    /** Copies the lists. */
    public FuzzyCheckSettings {
        rules = List.copyOf(rules);
        warnings = List.copyOf(warnings);
    }

    /**
     * Reads a configuration.
     *
     * @param files for maps that stand in files of their own
     * @throws ConfigException with every error that was found, each with file, line and column
     */
    public static FuzzyCheckSettings of(Configuration configuration, SourceFiles files) throws ConfigException {
        Problems problems = new Problems();
        Optional<FuzzyCheckSettings> settings = read(configuration, files, problems);
        problems.throwErrors();
        return settings.orElseThrow();
    }

    /**
     * Reads a configuration and tells all that is wrong with it.
     *
     * @param files for maps that stand in files of their own
     * @param problems is told all errors and warnings; with an error the result is not to be used
     * @return nothing if there is no {@code fuzzy_check}; the problems say so
     */
    public static Optional<FuzzyCheckSettings> read(Configuration configuration, SourceFiles files,
            Problems problems) {
        return new CheckReader(configuration, files, problems).read();
    }

    /** The list of a symbol: the least flag of the first rule that maps one to it. Letter case does not matter. */
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
}
