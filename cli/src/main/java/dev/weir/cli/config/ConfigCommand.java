package dev.weir.cli.config;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;

import dev.weir.cli.option.DataOption;
import dev.weir.cli.option.VariablesOption;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.config.Configuration;
import dev.weir.config.source.Problem;
import dev.weir.config.ucl.UclObject;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.server.Bind;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir config}: the commands that inspect a configuration without applying it. */
@Command(name = "config", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = "Checks and explains configurations: Rspamd's own files, or weir.conf in the same language.",
        subcommands = {
            ConfigCommand.Check.class,
            ConfigCommand.Explain.class,
            HelpCommand.class})
public final class ConfigCommand {
    private ConfigCommand() {}

    private static void print(Terminal terminal, ConfigFile file) {
        file.problems().forEach(problem -> terminal.err().println(problem));
    }

    /** {@code weir config check}: a validation of a configuration. */
    @Command(name = "check", mixinStandardHelpOptions = true,
            description = "Reports whether weir serve accepts a configuration, and lists every error with file, line "
                    + "and column.",
            exitCodeListHeading = "%nExit status:%n", exitCodeList = {
                "0:the configuration is valid, possibly with warnings",
                "2:the command line is wrong",
                "3:the configuration is invalid"})
    public static final class Check implements Callable<Integer> {
        private final Terminal terminal;

        @Parameters(paramLabel = "PATH",
                description = "A folder such as /etc/rspamd, or a file: weir.conf, rspamd.conf, worker-fuzzy.inc.")
        private String path = "";

        @Mixin
        private VariablesOption variables = new VariablesOption();

        @Mixin
        private DataOption data = new DataOption();

        @Option(names = "--advice",
                description = "Say what share of phishing each rule recognizes, and what kinds = \"recommended\" "
                        + "would add.")
        private boolean advice;

        public Check(Terminal terminal) {
            this.terminal = terminal;
        }

        @Override
        public Integer call() {
            ConfigFile file = ConfigFile.read(path, variables.values(), data.unnamed());
            boolean scannersOnly = file.isForScannersOnly();
            AccessTable access = new AccessTable();
            Optional<FuzzyCheckSettings> rules = Optional.empty();
            if (file.isWhole()) {
                if (!scannersOnly) {
                    file.storage().ifPresent(access::storage);
                }
                file.http(UnaryOperator.identity()).ifPresent(access::http);
                file.milter().ifPresent(access::milter);
                file.traps().ifPresent(access::traps);
                rules = file.rules();
            } else {
                file.fragment();
            }
            Optional<Bind.Unix> control = file.controlSocket();
            if (!scannersOnly) {
                access.controlSocket(control);
            }
            print(terminal, file);
            if (!file.unread().isEmpty()) {
                terminal.out().println(path + ": Weir does not read " + String.join(", ", file.unread()));
            }
            if (file.isWhole() && !file.hasErrors()) {
                access.print(terminal.out());
                if (advice) {
                    advise(rules);
                }
            }
            long errors = file.problems().stream()
                    .filter(problem -> problem.severity() == Problem.Severity.ERROR).count();
            long warnings = file.problems().size() - errors;
            terminal.out()
                    .println(path + ": " + (errors == 0 ? usable(file, scannersOnly) : Reports.count(errors, "error"))
                            + (warnings == 0 ? "" : ", " + Reports.count(warnings, "warning")));
            return errors == 0 ? ExitCode.OK : ExitCode.INPUT;
        }

        private void advise(Optional<FuzzyCheckSettings> rules) {
            if (rules.isEmpty()) {
                terminal.out().println("no rule: write fuzzy_check with a rule that has kinds = \"recommended\" "
                        + "(docs/integrate/kinds.md#recommended); the built-in rule makes Rspamd's hashes only");
            }
            rules.ifPresent(settings -> settings.rules()
                    .forEach(rule -> terminal.out().println(KindAdvice.of(rule))));
        }

        private static String usable(ConfigFile file, boolean scannersOnly) {
            if (!file.isWhole()) {
                return "can be part of a configuration";
            }
            return scannersOnly ? "can be used by scanners; it has no storage for weir serve" : "can be used";
        }
    }

    /** {@code weir config explain}: the effective values of a configuration, with their origin. */
    @Command(name = "explain", mixinStandardHelpOptions = true,
            description = "Prints the storage's effective configuration after merging all files, each value with its "
                    + "file and line. Secrets are hidden.",
            exitCodeListHeading = "%nExit status:%n", exitCodeList = {
                "0:the values are printed",
                "2:the command line is wrong",
                "3:the configuration is invalid or has no such section"})
    public static final class Explain implements Callable<Integer> {
        private final Terminal terminal;

        @Parameters(paramLabel = "PATH",
                description = "A folder such as /etc/rspamd, or a file: weir.conf, rspamd.conf, worker-fuzzy.inc.")
        private String path = "";

        @Mixin
        private VariablesOption variables = new VariablesOption();

        @Option(names = "--section", paramLabel = "NAME",
                description = "Section to print instead of worker \"fuzzy\", such as fuzzy_check or worker "
                        + "\"controller\".")
        private String section = "worker \"fuzzy\"";

        public Explain(Terminal terminal) {
            this.terminal = terminal;
        }

        @Override
        public Integer call() {
            ConfigFile file = ConfigFile.read(path, variables.values());
            print(terminal, file);
            if (file.hasErrors() || file.configuration().isEmpty()) {
                return ExitCode.INPUT;
            }
            Configuration configuration = file.configuration().get();
            List<UclObject> sections = named(configuration);
            if (sections.isEmpty()) {
                terminal.error(path + " has no " + section);
                return ExitCode.INPUT;
            }
            for (UclObject found : sections) {
                terminal.out().println("# " + section);
                terminal.out().print(ConfigSections.text(found));
            }
            return ExitCode.OK;
        }

        /** Returns the selected sections. The selection is a key, or a key and a name, with or without quotes. */
        private List<UclObject> named(Configuration configuration) {
            String[] words = section.strip().split("\\s+", 2);
            if (words.length == 1) {
                return configuration.sections(words[0]);
            }
            String name = words[1].replaceAll("^([\"'])(.*)\\1$", "$2");
            return words[0].equals("worker")
                    ? configuration.workers(name)
                    : configuration.sections(words[0], name);
        }
    }
}
