package dev.weir.scan.rule;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import dev.weir.config.Configuration;
import dev.weir.config.option.Problems;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;
import dev.weir.config.source.SourceFiles;
import dev.weir.hash.HashRule;
import dev.weir.hash.release.Release;
import dev.weir.model.HtmlSides;
import dev.weir.model.Networks;
import dev.weir.net.HostPort;
import dev.weir.scan.outgoing.OutgoingSettings;
import dev.weir.scan.score.Curve;
import dev.weir.scan.score.KindOptions;
import dev.weir.scan.score.ScoreOptions;
import dev.weir.scan.score.SymbolTable;
import dev.weir.scan.upstream.UpstreamList;
import dev.weir.wire.key.PublicKey;

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
 * @param outgoing when a login sends one text to too many recipients; empty to count none
 * @param warnings likely mistakes for the author of the configuration to check
 */
public record FuzzyCheckSettings(boolean enabled, List<RuleSettings> rules, Networks whitelist, SymbolTable symbols,
        int maxErrors, Duration reviveTime, Optional<String> disputed, Optional<OutgoingSettings> outgoing,
        List<Problem> warnings) {
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

    /**
     * Returns the settings of one storage, for programs without a configuration: one rule that checks and learns each
     * flag from 1 to 255 under the symbol {@code FLAG_n}.
     *
     * @param storage the place of the storage
     * @param key its public key; empty for plain text
     * @param hashing the hashes to compute
     * @param kinds the use of kinds beyond those of Rspamd, without guards
     * @param timeout how long an attempt waits for answers
     * @param retransmits the number of attempts after the first
     */
    public static FuzzyCheckSettings ofStorage(HostPort storage, Optional<PublicKey> key, HashRule hashing,
            KindOptions kinds, Duration timeout, int retransmits) {
        UpstreamList servers = new UpstreamList(UpstreamList.Selection.ROUND_ROBIN,
                List.of(new UpstreamList.Host(storage.host(), storage.port(), 0)));
        Map<Long, ScoreOptions.Mapping> flags = LongStream.rangeClosed(1, 255).boxed()
                .collect(Collectors.toMap(flag -> flag, flag -> new ScoreOptions.Mapping("FLAG_" + flag, 1)));
        ScoreOptions score = new ScoreOptions("FLAG_UNKNOWN", 1, flags, false, Set.of(), OptionalDouble.empty(),
                Curve.CURRENT, 0.5, 1, 1, HtmlSides.OTHER_CTA, Release.V4_1);
        RuleSettings rule = new RuleSettings("storage", RuleSettings.Mode.READ_WRITE, servers, servers, key, key,
                hashing, score, kinds, false, timeout, retransmits, Optional.empty(), TcpOptions.OFF,
                Optional.empty(), new Origin(storage.toString(), 0, 0));
        return new FuzzyCheckSettings(true, List.of(rule), Networks.NONE,
                new SymbolTable(Map.of(), Map.of(), 1), 4, Duration.ofMinutes(1), Optional.empty(), Optional.empty(),
                List.of());
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
