package dev.weir.cli;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import dev.weir.hash.MailHasher;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.FuzzyCheckOptions;
import dev.weir.scan.lua.LuaConditions;
import dev.weir.scan.rule.FuzzyCheckSettings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A configuration with {@code fuzzy_check}, for commands that ask or teach by its rules instead of one storage. */
final class RulesOption {
    @Option(names = {"-c",
        "--config"}, paramLabel = "PATH", description = "Take storages, keys and rules from a configuration: /etc/rspamd, a fuzzy_check.conf, a weir.conf.")
    private @Nullable String path;

    @Option(names = "--var", paramLabel = "NAME=VALUE", description = "Value of a variable of the configuration; may be repeated.")
    private Map<String, String> variables = new LinkedHashMap<>();

    /** A client of the rules, with what its conditions run in. */
    record Client(FuzzyCheck rules, LuaConditions conditions) implements AutoCloseable {
        @Override
        public void close() {
            rules.close();
            conditions.close();
        }
    }

    boolean isGiven() {
        return path != null;
    }

    String path() {
        return String.valueOf(path);
    }

    /** The rules; what is wrong is printed, and errors end the command. */
    FuzzyCheckSettings read(Terminal terminal) {
        final ConfigFile file = ConfigFile.read(path(), variables);
        final Optional<FuzzyCheckSettings> rules = file.rules();
        file.problems().forEach(problem -> terminal.err().println("weir: " + problem));
        if (file.hasErrors()) {
            throw new FailedException(ExitCode.INPUT, path + " cannot be used");
        }
        return rules.orElseThrow(() -> new FailedException(ExitCode.INPUT, "there is no fuzzy_check in " + path));
    }

    /** A client; the caller closes it. */
    Client open(Terminal terminal, MailHasher hasher) {
        final LuaConditions conditions = new LuaConditions();
        try {
            return new Client(FuzzyCheck.open(read(terminal), hasher, FuzzyCheckOptions.DEFAULT
                    .withConditions(conditions)), conditions);
        } catch (final IOException | IllegalArgumentException e) {
            conditions.close();
            throw new FailedException(ExitCode.INPUT, String.valueOf(e.getMessage()));
        }
    }
}
