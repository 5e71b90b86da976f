package dev.weir.cli.mail;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import dev.weir.cli.client.OneStorage;
import dev.weir.cli.client.TargetOptions;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Terminal;
import dev.weir.model.Digest;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.Holding;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnReport.HashOutcome;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.score.KindOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code weir forget}: a command that removes hashes from a list. */
@Command(name = "forget", mixinStandardHelpOptions = true, description = {
    "Removes the hashes of mails from a list of a storage, and reports which of them existed.",
    "If a mail only resembles a stored mail, its hashes differ from the stored ones. Use --matching "
            + "to remove the stored ones."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:every request was confirmed",
            "1:none of the hashes was on the list",
            "2:the command line is wrong",
            "3:a file could not be read, is not a mail, or has no hash",
            "4:the storage rejected a request",
            "5:the storage did not answer"})
public final class ForgetCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private TargetOptions target = new TargetOptions();

    @Mixin
    private UpdateOptions updateOptions = new UpdateOptions();

    @Option(names = "--matching",
            description = "Remove the stored hashes that the mail equals or resembles, instead of the mail's own.")
    private boolean matching;

    @Option(names = "--dry-run", description = "Report what would be removed; change nothing.")
    private boolean rehearsal;

    @Option(names = "--digest", paramLabel = "HEX", converter = DigestConverter.class,
            description = "Remove this digest (128 hexadecimal digits) instead of the hashes of a mail; repeatable.")
    private List<Digest> digests = new ArrayList<>();

    @Parameters(arity = "0..*", paramLabel = "FILE|DIR|-", description = "Mails, folders of mails, or - for one mail.")
    private List<String> names = List.of();

    public ForgetCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (names.isEmpty() == digests.isEmpty()) {
            throw new FailedException(ExitCode.USAGE, "give either mails or --digest");
        }
        if (matching && names.isEmpty()) {
            throw new FailedException(ExitCode.USAGE, "--matching and --digest exclude each other");
        }
        return target.use(terminal, this::directly, this::byRules);
    }

    private int directly(OneStorage storage) {
        int flag = updateOptions.flag(target.mostFlag());
        if (names.isEmpty()) {
            Optional<List<Holding>> holdings = known(() -> storage.find(digests));
            return new ForgetReport("--digest", flag, holdings,
                    rehearsal ? List.of() : storage.forget(digests, flag), false, rehearsal)
                    .print(terminal, updateOptions.json());
        }
        return new MailBatch<>(terminal, "forgetting", mail -> forget(storage, mail, flag),
                (file, report) -> print(file.toString(), report)).run(names).searchStatus();
    }

    private ForgetReport forget(OneStorage storage, byte[] mail, int flag) {
        Optional<List<Holding>> holdings = known(() -> storage.check(mail));
        if (!matching) {
            holdings = holdings.map(all -> all.stream().map(holding -> holding.inLists(target.kindOptions())).toList());
        }
        List<HashOutcome> removals = rehearsal
                ? List.of()
                : matching
                        ? storage.forget(matched(holdings.orElseThrow(), flag), flag)
                        : storage.learn(mail, LearnRequest.delete(flag));
        return new ForgetReport("", flag, holdings, removals, matching, rehearsal);
    }

    private static List<Digest> matched(List<Holding> holdings, long flag) {
        return holdings.stream().filter(holding -> holding.matches(flag))
                .map(holding -> holding.stored().orElseThrow()).distinct().toList();
    }

    private int print(String file, ForgetReport report) {
        boolean nothingAsked = report.holdings().map(List::isEmpty).orElse(report.removals().isEmpty());
        if (nothingAsked) {
            terminal.error(file + ": has no hash (too short, no text, no attachment)");
            return ExitCode.INPUT;
        }
        return new ForgetReport(file, report.flag(), report.holdings(), report.removals(), report.matching(),
                report.rehearsal()).print(terminal, updateOptions.json());
    }

    /**
     * Returns what is stored. Returns nothing if the storage refuses the lookup, because some clients may write but not
     * check. A dry run and {@code --matching} need the answer, so they fail then.
     */
    private Optional<List<Holding>> known(Supplier<ScanResult> lookUp) {
        try {
            return Optional.of(lookUp.get().asked().stream().map(Holding::of).toList());
        } catch (FailedException e) {
            if (e.exitCode() != ExitCode.REFUSED || rehearsal || matching) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private int byRules(FuzzyCheck check) {
        long flag = updateOptions.flag(check.settings());
        if (names.isEmpty()) {
            if (rehearsal) {
                throw new FailedException(ExitCode.USAGE,
                        "--dry-run with --digest requires --server: rules cannot look up a digest");
            }
            return RuleReports.learned(terminal, "--digest", check.forget(digests, flag).join(),
                    updateOptions.json());
        }
        return new MailBatch<>(terminal, "forgetting", mail -> forget(check, mail, flag),
                (file, outcome) -> print(file.toString(), flag, outcome)).run(names).searchStatus();
    }

    /**
     * The outcome of a mail.
     *
     * @param holdings the hashes stored before; empty if a server did not report them
     * @param report the report of the update; empty if nothing was sent
     * @param failures why a server did not report its hashes
     */
    private record RuleOutcome(Optional<List<Holding>> holdings, Optional<LearnReport> report,
            List<ScanResult.UpstreamFailure> failures) {}

    private RuleOutcome forget(FuzzyCheck check, byte[] mail, long flag) {
        ScanResult known = check.check(mail, ScanContext.NONE).join();
        if (known.notHashed().isPresent()) {
            // The dry run of a mail without hashes gives the reason and reports that nothing was sent.
            return new RuleOutcome(Optional.of(List.of()),
                    Optional.of(check.rehearse(mail, LearnRequest.delete(flag)).join()), List.of());
        }
        Optional<List<Holding>> holdings = known.complete()
                ? Optional.of(holdings(check.settings(), known))
                : Optional.empty();
        boolean isSent = !rehearsal && (!matching || holdings.isPresent());
        List<Digest> matched = matching ? matched(holdings.orElse(List.of()), flag) : List.of();
        if (!isSent || (matching && matched.isEmpty())) {
            return new RuleOutcome(holdings, Optional.empty(), known.failures());
        }
        LearnReport report = matching
                ? check.forget(matched, flag).join()
                : check.learn(mail, LearnRequest.delete(flag)).join();
        return new RuleOutcome(holdings, Optional.of(report), known.failures());
    }

    private List<Holding> holdings(FuzzyCheckSettings settings, ScanResult result) {
        return result.asked().stream()
                .map(asked -> matching
                        ? Holding.of(asked, result.matches())
                        : Holding.of(asked, result.matches()).inLists(kinds(settings, asked.rule())))
                .distinct()
                .toList();
    }

    private static KindOptions kinds(FuzzyCheckSettings settings, String rule) {
        return settings.rules().stream().filter(one -> one.name().equals(rule)).map(RuleSettings::kinds).findFirst()
                .orElse(KindOptions.OFF);
    }

    private int print(String file, long flag, RuleOutcome outcome) {
        RuleReports.report(terminal, file, outcome.failures());
        if (outcome.report().isEmpty() && outcome.holdings().isEmpty()) {
            if (updateOptions.json()) {
                JsonLines.line(terminal.out(), generator -> {
                    generator.writeStringProperty("file", file);
                    generator.writeNumberProperty("flag", flag);
                    generator.writeBooleanProperty("success", false);
                    RuleReports.write(generator, outcome.failures());
                });
            }
            return RuleReports.status(outcome.failures());
        }
        int status = ExitCode.OK;
        if (outcome.report().isPresent()) {
            status = RuleReports.learned(terminal, file, outcome.report().get(), outcome.holdings(),
                    updateOptions.json());
        }
        List<Holding> holdings = outcome.holdings().orElse(List.of());
        if (holdings.isEmpty()) {
            // No request was sent, or a server did not report its hashes. The report of the update has the rest.
            return outcome.report().isPresent() ? status : ExitCode.NO_MATCH;
        }
        List<HashOutcome> none = List.of();
        ForgetReport report = new ForgetReport(file, flag, outcome.holdings(), none, matching, rehearsal);
        boolean isPrinted = updateOptions.json() && outcome.report().isPresent();
        int found = isPrinted ? report.status() : report.print(terminal, updateOptions.json());
        return status == ExitCode.OK ? found : status;
    }

    static final class DigestConverter implements ITypeConverter<Digest> {
        @Override
        public Digest convert(String text) {
            return Digest.parse(text).orElseThrow(() -> new TypeConversionException(
                    "\"" + text + "\" is not a digest: write 128 hexadecimal digits"));
        }
    }
}
