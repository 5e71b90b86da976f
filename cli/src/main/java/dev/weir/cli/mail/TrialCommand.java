package dev.weir.cli.mail;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Function;

import dev.weir.cli.client.TargetOptions;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.score.FuzzyMatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir trial}: a command that tells which wanted mails would be hit by what was learned. */
@Command(name = "trial", mixinStandardHelpOptions = true, description = {
    "Checks wanted mails against a storage and reports which of them would be hit.",
    "Run it on a folder of ham before you switch on a kind of hashes (docs/integrate/kinds.md), and after a "
            + "large learn. It learns nothing."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:no mail would be hit",
            "1:a mail would be hit",
            "2:the command line is wrong",
            "3:a file could not be read or is not a mail",
            "4:the storage rejected a request",
            "5:the storage did not answer"})
public final class TrialCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private TargetOptions target = new TargetOptions();

    @Option(names = "--json",
            description = "Print one JSON object for each mail that would be hit, and one at the end.")
    private boolean json;

    @Parameters(arity = "1..*", paramLabel = "FOLDER|FILE", description = "Wanted mails, or folders of them.")
    private List<String> names = List.of();

    /** Mails that would be hit, by the kind of hash. */
    private final Map<String, Integer> kinds = new LinkedHashMap<>();
    private int mails;
    private int hit;

    public TrialCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** A hit in words. */
    private record Hit(String kind, String text) {}

    @Override
    public Integer call() {
        return target.use(terminal, storage -> run(storage::check, this::report),
                rules -> run(mail -> rules.check(mail, ScanContext.NONE).join(), this::reportRules));
    }

    private int run(Function<byte[], ScanResult> work, MailBatch.Report<ScanResult> report) {
        MailBatch.Outcome outcome = new MailBatch<>(terminal, "checking", work, report).run(names);
        if (json) {
            JsonLines.line(terminal.out(), generator -> {
                generator.writeNumberProperty("mails", mails);
                generator.writeNumberProperty("hit", hit);
                generator.writeObjectPropertyStart("kinds");
                kinds.forEach(generator::writeNumberProperty);
                generator.writeEndObject();
            });
        } else {
            terminal.out().println(hit + " of " + Reports.count(mails, "mail") + " would be hit");
            kinds.forEach((kind, count) -> terminal.out().printf(Locale.ROOT, "  %-10s %s%n", kind,
                    Reports.count(count, "mail")));
        }
        return outcome.problems() != ExitCode.OK ? outcome.problems() : hit > 0 ? ExitCode.NO_MATCH : ExitCode.OK;
    }

    private int report(Path file, ScanResult result) {
        List<Hit> hits = new ArrayList<>();
        for (ScanResult.AskedHash asked : result.asked()) {
            asked.match().ifPresent(match -> hits.add(new Hit(asked.label(), "flag " + match.flag() + ", value "
                    + match.value() + ", probability "
                    + Reports.probability(match.probability(), asked.exact()))));
        }
        return report(file, hits, "");
    }

    private int reportRules(Path file, ScanResult result) {
        List<Hit> hits = new ArrayList<>();
        for (FuzzyMatch match : result.matches()) {
            hits.add(new Hit(match.type(), match.symbol() + ", flag " + match.flag() + ", value " + match.value()
                    + String.format(Locale.ROOT, ", probability %.2f", match.probability())));
        }
        RuleReports.report(terminal, file, result.failures());
        result.notHashed().ifPresent(reason -> terminal.error(file + ": is not hashed: " + reason));
        int status = report(file, hits, String.format(Locale.ROOT, ", score %.2f", result.score()));
        if (result.notHashed().isPresent()) {
            return ExitCode.INPUT;
        }
        return result.failures().isEmpty() ? status : RuleReports.status(result.failures());
    }

    private int report(Path file, List<Hit> hits, String score) {
        mails++;
        if (hits.isEmpty()) {
            return ExitCode.OK;
        }
        hit++;
        new TreeSet<>(hits.stream().map(Hit::kind).toList()).forEach(kind -> kinds.merge(kind, 1, Integer::sum));
        if (json) {
            JsonLines.line(terminal.out(), generator -> {
                generator.writeStringProperty("file", file.toString());
                generator.writeArrayPropertyStart("hits");
                for (Hit one : hits) {
                    generator.writeStartObject();
                    generator.writeStringProperty("kind", one.kind());
                    generator.writeStringProperty("match", one.text());
                    generator.writeEndObject();
                }
                generator.writeEndArray();
            });
        } else {
            terminal.out().println(file + ": would be hit" + score);
            hits.forEach(one -> terminal.out().printf(Locale.ROOT, "  %-10s %s%n", one.kind(), one.text()));
        }
        return ExitCode.OK;
    }
}
