package dev.weir.cli.mail;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.cli.client.TargetOptions;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.scan.CheckResult;
import dev.weir.scan.HashMatch;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.core.JsonGenerator;

/** {@code weir check}: a query for the hashes of mails. */
@Command(name = "check", mixinStandardHelpOptions = true,
        description = "Asks a storage whether it knows mails that equal or resemble the given ones.",
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:at least one mail matched",
            "1:no mail matched",
            "2:the command line is wrong",
            "3:a file could not be read or is not a mail",
            "4:the storage rejected a request",
            "5:the storage did not answer"})
public final class CheckCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private TargetOptions target = new TargetOptions();

    @Option(names = "--json", description = "Print one JSON object for each mail.")
    private boolean json;

    @Parameters(arity = "1..*", paramLabel = "FILE|DIR|-", description = "Mails, folders of mails, or - for one mail.")
    private List<String> names = List.of();

    public CheckCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return target.use(terminal, scanner -> check(scanner::check, this::report),
                rules -> check(mail -> rules.check(mail, ScanContext.NONE).join(),
                        (Path file, ScanResult result) -> RuleReports.checked(terminal, file, result, json)));
    }

    private <R> int check(MailBatch.Work<R> work, MailBatch.Report<R> report) {
        return new MailBatch<>(terminal, "checking", work, (file, result) -> {
            terminal.endUnlessRead();
            return report.apply(file, result);
        }).run(names).searchStatus();
    }

    private int report(Path file, CheckResult result) {
        if (json) {
            JsonLines.line(terminal.out(), generator -> write(generator, file.toString(), result));
        } else {
            print(terminal.out(), file.toString(), result);
        }
        return result.matches().isEmpty() ? ExitCode.NO_MATCH : ExitCode.OK;
    }

    private static void print(PrintStream out, String file, CheckResult result) {
        if (result.hashes().isEmpty()) {
            out.println(file + ": has no hash (too short, no text, no attachment)");
        } else if (result.matches().isEmpty()) {
            out.println(file + ": not known (" + Reports.count(result.hashes().size(), "hash") + " checked)");
        } else {
            out.println(file + ": known");
            for (HashMatch match : result.matches()) {
                out.printf(Locale.ROOT, "  %-9s flag %d  value %d  probability %s  added %s%n",
                        match.query().kind().label(), match.flag(), match.value(), Reports.probability(match),
                        time(match.added()));
                out.println("    stored as " + HexFormat.of().formatHex(match.digest()));
                for (HashMatch.OtherFlag other : match.otherFlags()) {
                    out.printf(Locale.ROOT, "    also flag %d  value %d%n", other.flag(), other.value());
                }
            }
        }
    }

    private static String time(@Nullable Instant added) {
        return added == null ? "(unknown)" : added.toString();
    }

    private static void write(JsonGenerator json, String file, CheckResult result) {
        json.writeStringProperty("file", file);
        json.writeNumberProperty("asked", result.hashes().size());
        json.writeArrayPropertyStart("matches");
        for (HashMatch match : result.matches()) {
            json.writeStartObject();
            json.writeStringProperty("kind", match.query().kind().label());
            json.writeStringProperty("queried", HexFormat.of().formatHex(match.query().digest()));
            json.writeStringProperty("digest", HexFormat.of().formatHex(match.digest()));
            json.writeNumberProperty("flag", match.flag());
            json.writeNumberProperty("value", match.value());
            json.writeNumberProperty("probability", match.probability());
            if (match.added() != null) {
                json.writeStringProperty("added", match.added().toString());
            }
            if (!match.otherFlags().isEmpty()) {
                json.writeArrayPropertyStart("other_flags");
                for (HashMatch.OtherFlag other : match.otherFlags()) {
                    json.writeStartObject();
                    json.writeNumberProperty("flag", other.flag());
                    json.writeNumberProperty("value", other.value());
                    json.writeEndObject();
                }
                json.writeEndArray();
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
