package dev.weir.cli.explain;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import dev.weir.cli.mail.MailFiles;
import dev.weir.cli.option.HashOptions;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Terminal;
import dev.weir.hash.HashKind;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.scan.explain.Comparison;
import dev.weir.scan.explain.Explanation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir explain}: a report of how a mail becomes hashes, and of what two mails have in common. */
@Command(name = "explain", mixinStandardHelpOptions = true, description = {
    "Shows how a mail becomes hashes: its parts, the hashes of each part or the reason why it has "
            + "none, the words that count, and the hidden texts of HTML with the reason.",
    "With two mails, shows by which kinds of hashes they are near, with the words or pieces that decide, and whether "
            + "a check of the second mail would find the first. It compares all kinds unless --kinds names some; "
            + "only Rspamd's and the named ones count for the check."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:explained; of two mails, a check of the second would find the first",
            "1:of two mails, a check of the second would not find the first",
            "2:the command line is wrong",
            "3:a file could not be read or is not a mail"})
public final class ExplainCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private HashOptions hashOptions = new HashOptions();

    @Option(names = "--json", description = "Print one JSON object.")
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
        MailFiles files = new MailFiles(names, terminal.in());
        files.problems().forEach(terminal::error);
        if (!files.problems().isEmpty() || files.files().size() != names.size() || files.folderNamed()) {
            if (files.folderNamed()) {
                terminal.error("explain takes single mails, not a folder");
            }
            return ExitCode.INPUT;
        }
        MailHasher hasher = hashOptions.hasher();
        HashRule rule = names.size() == 1 ? hashOptions.rule() : hashOptions.comparingRule();
        try {
            Path first = files.files().getFirst();
            Explanation explanation = Explanation.of(first.toString(), files.read(first), hasher, rule);
            if (names.size() == 1) {
                if (json) {
                    JsonLines.line(terminal.out(), explanation::write);
                } else {
                    explanation.print(terminal.out(), allWords);
                }
                return ExitCode.OK;
            }
            Path second = files.files().get(1);
            Comparison comparison = Comparison.of(explanation,
                    Explanation.of(second.toString(), files.read(second), hasher, rule), asked(hashOptions.rule()));
            if (json) {
                JsonLines.line(terminal.out(), comparison::write);
            } else {
                comparison.print(terminal.out());
            }
            return comparison.found() ? ExitCode.OK : ExitCode.NO_MATCH;
        } catch (MailFiles.UnusableException e) {
            terminal.error(String.valueOf(e.getMessage()));
            return ExitCode.INPUT;
        } catch (NotHashedException e) {
            terminal.error("a mail is not hashed: " + e.getMessage());
            return ExitCode.INPUT;
        }
    }

    /** Returns the kinds that a check with a rule asks for. */
    private static Set<HashKind> asked(HashRule rule) {
        return Arrays.stream(HashKind.values())
                .filter(kind -> kind.campaign().map(rule.kinds()::contains).orElse(rule.rspamdKinds()))
                .collect(Collectors.toSet());
    }
}
