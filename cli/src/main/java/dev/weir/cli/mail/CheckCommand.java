package dev.weir.cli.mail;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;

import dev.weir.cli.client.RemoteScanner;
import dev.weir.cli.client.ScannerOptions;
import dev.weir.cli.client.TargetOptions;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.ScanResult.AskedHash;
import dev.weir.wire.reply.Reply;
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

    @Mixin
    private ScannerOptions scanner = new ScannerOptions();

    @Option(names = "--json", description = "Print one JSON object for each mail.")
    private boolean json;

    @Parameters(arity = "1..*", paramLabel = "FILE|DIR|-", description = "Mails, folders of mails, or - for one mail.")
    private List<String> names = List.of();

    public CheckCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        scanner.refuseUseless(CheckCommand.class);
        if (scanner.isGiven()) {
            try (RemoteScanner weir = scanner.open()) {
                return check(weir::check, (file, reply) -> ScanReplies.checked(terminal, file, reply, json));
            }
        }
        return target.use(terminal, storage -> check(storage::check, this::report),
                rules -> check(mail -> rules.check(mail, ScanContext.NONE).join(),
                        (file, result) -> RuleReports.checked(terminal, file, result, json)));
    }

    private <R> int check(Function<byte[], R> work, MailBatch.Report<R> report) {
        return new MailBatch<>(terminal, "checking", work, (file, result) -> {
            terminal.endUnlessRead();
            return report.apply(file, result);
        }).run(names).searchStatus();
    }

    private int report(Path file, ScanResult result) {
        List<AskedHash> known = result.asked().stream().filter(asked -> asked.match().isPresent()).toList();
        if (json) {
            JsonLines.line(terminal.out(),
                    generator -> write(generator, file.toString(), result.asked().size(), known));
        } else {
            print(terminal.out(), file.toString(), result.asked().size(), known);
        }
        return known.isEmpty() ? ExitCode.NO_MATCH : ExitCode.OK;
    }

    private static void print(PrintStream out, String file, int checked, List<AskedHash> known) {
        if (checked == 0) {
            out.println(file + ": has no hash (too short, no text, no attachment)");
        } else if (known.isEmpty()) {
            out.println(file + ": not known (" + Reports.count(checked, "hash") + " checked)");
        } else {
            out.println(file + ": known");
            for (AskedHash asked : known) {
                Reply match = asked.match().orElseThrow();
                out.printf(Locale.ROOT, "  %-9s flag %d  value %d  probability %s  added %s%n",
                        asked.label(), match.flag(), match.value(),
                        Reports.probability(match.probability(), asked.exact()), time(match));
                out.println("    stored as " + HexFormat.of().formatHex(match.digest()));
                for (Reply.Extra other : match.extras()) {
                    out.printf(Locale.ROOT, "    also flag %d  value %d%n", other.flag(), other.value());
                }
            }
        }
    }

    private static String time(Reply match) {
        return match.time() == 0 ? "(unknown)" : Instant.ofEpochSecond(match.time()).toString();
    }

    private static void write(JsonGenerator json, String file, int checked, List<AskedHash> known) {
        json.writeStringProperty("file", file);
        json.writeNumberProperty("asked", checked);
        json.writeArrayPropertyStart("matches");
        for (AskedHash asked : known) {
            Reply match = asked.match().orElseThrow();
            json.writeStartObject();
            json.writeStringProperty("kind", asked.label());
            json.writeStringProperty("queried", asked.digest().hex());
            json.writeStringProperty("digest", HexFormat.of().formatHex(match.digest()));
            json.writeNumberProperty("flag", match.flag());
            json.writeNumberProperty("value", match.value());
            json.writeNumberProperty("probability", match.probability());
            if (match.time() != 0) {
                json.writeStringProperty("added", time(match));
            }
            if (!match.extras().isEmpty()) {
                json.writeArrayPropertyStart("other_flags");
                for (Reply.Extra other : match.extras()) {
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
