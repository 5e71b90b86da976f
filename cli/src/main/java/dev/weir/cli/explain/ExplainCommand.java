package dev.weir.cli.explain;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import dev.weir.cli.client.RulesOption;
import dev.weir.cli.mail.MailFiles;
import dev.weir.cli.option.HashOptions;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Terminal;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.hash.kind.HashKind;
import dev.weir.scan.explain.Comparison;
import dev.weir.scan.explain.Explanation;
import dev.weir.scan.rule.RuleSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JsonGenerator;

/** {@code weir explain}: a report of how a mail becomes hashes, and of what two mails have in common. */
@Command(name = "explain", mixinStandardHelpOptions = true, description = {
    "Shows how a mail becomes hashes: its parts, the hashes of each part or the reason why it has "
            + "none, the words that count, and the hidden texts of HTML with the reason.",
    "With two mails, shows by which kinds of hashes they are near, with the words or pieces that decide, and whether "
            + "a check of the second mail would find the first. It compares all kinds and the structure of HTML "
            + "unless --kinds names some; only Rspamd's, the named ones and --html count for the check. "
            + "With --config, it compares under each rule with the kinds and thresholds of the rule."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:explained; of two mails, a check of the second would find the first",
            "1:of two mails, a check of the second would not find the first",
            "2:the command line is wrong",
            "3:a file could not be read or is not a mail"})
public final class ExplainCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private CommandSpec command = CommandSpec.create();

    @Mixin
    private HashOptions hashOptions = new HashOptions();

    @Mixin
    private RulesOption rules = new RulesOption();

    @Option(names = "--json", description = "Print one JSON object; with --config, one per rule, each on its own line.")
    private boolean json;

    @Option(names = "--all-words", description = "Show all words and hidden texts, not only the first.")
    private boolean allWords;

    @Parameters(arity = "1..2", paramLabel = "FILE|-",
            description = "One mail, or two to compare; - for standard input.")
    private List<String> names = List.of();

    public ExplainCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        rules.refuseUseless(command, Set.of(HashOptions.class));
        MailFiles files = new MailFiles(names, terminal.in());
        files.problems().forEach(terminal::error);
        if (!files.problems().isEmpty() || files.files().size() != names.size() || files.folderNamed()) {
            if (files.folderNamed()) {
                terminal.error("explain takes single mails, not a folder");
            }
            return ExitCode.INPUT;
        }
        try {
            List<byte[]> mails = new ArrayList<>();
            for (Path file : files.files()) {
                mails.add(files.read(file));
            }
            return rules.isGiven() ? byRules(files.files(), mails) : plain(files.files(), mails);
        } catch (MailFiles.UnusableException e) {
            terminal.error(String.valueOf(e.getMessage()));
            return ExitCode.INPUT;
        } catch (NotHashedException e) {
            terminal.error("a mail is not hashed: " + e.getMessage());
            return ExitCode.INPUT;
        }
    }

    private int plain(List<Path> files, List<byte[]> mails) throws NotHashedException {
        MailHasher hasher = hashOptions.hasher();
        HashRule rule = mails.size() == 1 ? hashOptions.rule() : hashOptions.comparingRule();
        List<Explanation> explanations = explain(files, mails, hasher, rule);
        if (mails.size() == 1) {
            print("", explanations.getFirst());
            return ExitCode.OK;
        }
        return print("", hashOptions.isRecommended()
                ? Comparison.of(explanations.getFirst(), explanations.getLast(), hashOptions.kindOptions())
                : Comparison.of(explanations.getFirst(), explanations.getLast(), asked()));
    }

    /** Explains or compares under each rule of a configuration. */
    private int byRules(List<Path> files, List<byte[]> mails) throws NotHashedException {
        MailHasher hasher = hashOptions.hasher();
        int status = mails.size() == 1 ? ExitCode.OK : ExitCode.NO_MATCH;
        for (RuleSettings rule : rules.answered(terminal)) {
            List<Explanation> explanations = explain(files, mails, hasher, rule.hashing());
            if (mails.size() == 1) {
                print(rule.name(), explanations.getFirst());
            } else {
                status = Math.min(status, print(rule.name(),
                        Comparison.of(explanations.getFirst(), explanations.getLast(), rule.kinds())));
            }
        }
        return status;
    }

    private static List<Explanation> explain(List<Path> files, List<byte[]> mails, MailHasher hasher, HashRule rule)
            throws NotHashedException {
        List<Explanation> explanations = new ArrayList<>();
        for (int i = 0; i < mails.size(); i++) {
            explanations.add(Explanation.of(files.get(i).toString(), mails.get(i), hasher, rule));
        }
        return explanations;
    }

    private void print(String rule, Explanation explanation) {
        if (json) {
            line(rule, explanation::write);
        } else {
            title(rule);
            explanation.print(terminal.out(), allWords);
        }
    }

    private int print(String rule, Comparison comparison) {
        if (json) {
            line(rule, comparison::write);
        } else {
            title(rule);
            comparison.print(terminal.out());
        }
        return comparison.found() ? ExitCode.OK : ExitCode.NO_MATCH;
    }

    private void title(String rule) {
        if (!rule.isEmpty()) {
            terminal.out().println("rule " + rule);
        }
    }

    private void line(String rule, Consumer<JsonGenerator> body) {
        JsonLines.line(terminal.out(), out -> {
            if (!rule.isEmpty()) {
                out.writeStringProperty("rule", rule);
            }
            body.accept(out);
        });
    }

    /** Returns the kinds that a check with the options asks for. */
    private Set<HashKind> asked() {
        HashRule rule = hashOptions.rule();
        return Arrays.stream(HashKind.values())
                .filter(kind -> kind.isBeyondRspamd()
                        ? rule.kinds().contains(kind)
                        : rule.rspamdKinds() && (kind != HashKind.HTML || hashOptions.html()))
                .collect(Collectors.toSet());
    }
}
