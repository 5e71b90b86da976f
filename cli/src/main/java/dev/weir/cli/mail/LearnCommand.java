package dev.weir.cli.mail;

import java.util.List;
import java.util.concurrent.Callable;

import dev.weir.cli.client.OneStorage;
import dev.weir.cli.client.TargetOptions;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Terminal;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir learn}: a command that adds the hashes of mails to a list. */
@Command(name = "learn", mixinStandardHelpOptions = true, description = "Adds the hashes of mails to a storage.",
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:every request was confirmed",
            "2:the command line is wrong",
            "3:a file could not be read, is not a mail, or has no hash",
            "4:the storage rejected a request",
            "5:the storage did not answer"})
public final class LearnCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private TargetOptions target = new TargetOptions();

    @Mixin
    private UpdateOptions updateOptions = new UpdateOptions();

    @Option(names = {"-w",
        "--weight"}, defaultValue = "1", paramLabel = "WEIGHT",
            description = "Weight to add to the value of each hash (default: 1).")
    private int weight;

    @Option(names = "--dry-run",
            description = "Report what each rule would learn and with which flag, after its learn condition; change "
                    + "nothing. A rule with kinds {} also asks its storage what is near. "
                    + "Requires --config.")
    private boolean dryRun;

    @Option(names = "--mbox",
            description = "Learn each mail of files that begin with a line From, as mailbox files do. Without this "
                    + "option, such a file is one mail.")
    private boolean mbox;

    @Parameters(arity = "1..*", paramLabel = "FILE|DIR|-", description = "Mails, folders of mails, or - for one mail.")
    private List<String> names = List.of();

    public LearnCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (weight == 0) {
            throw new FailedException(ExitCode.USAGE, "--weight must not be 0");
        }
        if (dryRun && !target.byRules()) {
            throw new FailedException(ExitCode.USAGE,
                    "--dry-run requires --config; weir hash shows the hashes of a mail");
        }
        return target.use(terminal, this::learn, this::learnByRules);
    }

    private MailFiles mails() {
        return new MailFiles(names, terminal.in(), mbox);
    }

    private int learn(OneStorage storage) {
        LearnRequest request = LearnRequest.add(updateOptions.flag(target.mostFlag()), weight);
        return total(new MailBatch<>(terminal, "learning", mail -> storage.learn(mail, request),
                (file, outcomes) -> updateOptions.report(terminal, file, "learned", outcomes)).run(names, mails()));
    }

    private int learnByRules(FuzzyCheck rules) {
        LearnRequest request = updateOptions.adding(weight);
        return total(new MailBatch<LearnReport>(terminal, dryRun ? "planning" : "learning",
                mail -> (dryRun ? rules.rehearse(mail, request) : rules.learn(mail, request)).join(),
                (file, report) -> dryRun
                        ? RuleReports.rehearsed(terminal, file, report, updateOptions.json())
                        : RuleReports.learned(terminal, file, report, updateOptions.json()))
                .run(names, mails()));
    }

    private int total(MailBatch.Outcome outcome) {
        return updateOptions.json()
                ? outcome.status()
                : outcome.total(terminal, dryRun ? "would learn" : "learned").status();
    }
}
