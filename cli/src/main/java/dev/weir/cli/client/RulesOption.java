package dev.weir.cli.client;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;

import dev.weir.cli.config.ConfigFile;
import dev.weir.cli.option.VariablesOption;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Terminal;
import dev.weir.hash.MailHasher;
import dev.weir.model.failure.Reason;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.FuzzyCheckOptions;
import dev.weir.scan.lua.LuaConditions;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.storage.index.FlagThresholds;
import dev.weir.storage.server.StorageConfig;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** The option that selects the {@code fuzzy_check} rules of a configuration instead of one storage. */
public final class RulesOption {
    @Option(names = {"-c",
        "--config"}, paramLabel = "PATH",
            description = "Take storages, keys and rules from a configuration: /etc/rspamd, a fuzzy_check.conf, or "
                    + "a weir.conf.")
    private @Nullable String path;

    @Mixin
    private VariablesOption variables = new VariablesOption();

    /** Returns whether the command line names a configuration. */
    public boolean isGiven() {
        return path != null;
    }

    /**
     * Refuses options without effect: beside the rules those that the rules replace, without them the variables.
     * Otherwise a command could write to other storages than its options name.
     *
     * @param command the command with its parsed command line
     * @param replaced the classes of these options
     */
    public void refuseUseless(CommandSpec command, Set<Class<?>> replaced) {
        List<String> others = command.commandLine().getParseResult().matchedOptions().stream()
                .filter(option -> option.userObject() instanceof Field field
                        && replaced.contains(field.getDeclaringClass()))
                .map(OptionSpec::longestName).toList();
        if (!isGiven()) {
            variables.refuseAlone();
        }
        if (isGiven() && !others.isEmpty()) {
            throw new FailedException(ExitCode.USAGE, "with --config, the rules name storages and hashes; leave out "
                    + String.join(", ", others));
        }
    }

    String path() {
        return String.valueOf(path);
    }

    /** Returns the rules. Prints every problem; errors end the command. */
    public FuzzyCheckSettings read(Terminal terminal) {
        return rules(terminal, file());
    }

    /** Reads the configuration. */
    ConfigFile file() {
        return ConfigFile.read(path(), variables.values());
    }

    /**
     * Returns the rules with the thresholds that count if the storage of the same configuration answers them. Prints
     * every problem; errors end the command.
     */
    public List<RuleSettings> answered(Terminal terminal) {
        ConfigFile file = file();
        Optional<FlagThresholds> storage = file.hasStorage()
                ? file.storage().map(config -> config.access().answers().thresholds())
                : Optional.empty();
        return rules(terminal, file).rules().stream().map(rule -> storage.map(thresholds -> rule.withKinds(
                rule.kinds().answeredBy(rule.score().flags().keySet(), thresholds::of))).orElse(rule)).toList();
    }

    /** Returns the settings of the storage in a configuration; empty if there is none, or it has errors. */
    static Optional<StorageConfig> storage(ConfigFile file) {
        return file.hasStorage() ? file.storage().filter(_ -> !file.hasErrors()) : Optional.empty();
    }

    /** Returns the rules of a configuration. Prints every problem; errors and a lack of rules end the command. */
    FuzzyCheckSettings rules(Terminal terminal, ConfigFile file) {
        return rulesIfAny(terminal, file).orElseThrow(this::noRules);
    }

    /** Returns the rules of a configuration; empty if it has none. Prints every problem; errors end the command. */
    Optional<FuzzyCheckSettings> rulesIfAny(Terminal terminal, ConfigFile file) {
        Optional<FuzzyCheckSettings> rules = file.rules();
        file.problems().forEach(problem -> terminal.err().println("weir: " + problem));
        if (file.hasErrors()) {
            throw new FailedException(ExitCode.INPUT, path + " cannot be used");
        }
        return rules;
    }

    FailedException noRules() {
        return new FailedException(ExitCode.INPUT, "there is no fuzzy_check in " + path);
    }

    /** Opens a client of the rules and runs the work. */
    int use(Terminal terminal, MailHasher hasher, ToIntFunction<FuzzyCheck> work) {
        return use(read(terminal), hasher, work);
    }

    /** Opens a client of rules that were read, and runs the work. */
    static int use(FuzzyCheckSettings settings, MailHasher hasher, ToIntFunction<FuzzyCheck> work) {
        try (LuaConditions conditions = new LuaConditions();
                FuzzyCheck client = open(settings, hasher, conditions)) {
            return work.applyAsInt(client);
        }
    }

    private static FuzzyCheck open(FuzzyCheckSettings settings, MailHasher hasher, LuaConditions conditions) {
        try {
            return FuzzyCheck.open(settings, hasher, FuzzyCheckOptions.DEFAULT.withConditions(conditions));
        } catch (IOException | IllegalArgumentException e) {
            throw new FailedException(ExitCode.INPUT, Reason.of(e));
        }
    }
}
