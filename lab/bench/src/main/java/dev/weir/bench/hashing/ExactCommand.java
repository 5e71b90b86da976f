package dev.weir.bench.hashing;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.Callable;

import dev.weir.bench.report.Table;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The program {@code exact}: compares the hashes of a folder with those of the real Rspamd. */
@Command(name = "exact", mixinStandardHelpOptions = true, description = {
    "Hashes every mail of a folder and compares with what the real Rspamd sends for it, by kind of hash; says for "
            + "each mail",
    "that differs which step is the first to differ, and how many shingles of an inexact text agree nevertheless."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:as many are equal as --least-hashes and --least-mails ask for",
            "1:fewer are",
            "2:the command line is wrong",
            "3:something could not be measured"})
public final class ExactCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "DIR", description = "Folder of mails, one per file.")
    private Path folder = Path.of("");

    @Option(names = "--oracle", paramLabel = "PROGRAM",
            description = "Program that runs the real Rspamd: PROGRAM DIR OUT.json ALGORITHM --version 3|4 [--html] "
                    + "--full.")
    private @Nullable Path oracle;

    @Option(names = "--recorded", paramLabel = "FILE",
            description = "An earlier recording of the oracle for this folder; the oracle is not run.")
    private @Nullable Path recorded;

    @Mixin
    private RuleOptions options = new RuleOptions();

    @Option(names = "--details", description = "Show the differences of each mail.")
    private boolean details;

    @Option(names = "--readings",
            description = "Also show and count mails with equal hashes but different parts or words.")
    private boolean readings;

    @Option(names = "--least-hashes", paramLabel = "PERCENT", defaultValue = "0",
            description = "Fail below this share of equal hashes.")
    private double leastHashes;

    @Option(names = "--least-mails", paramLabel = "PERCENT", defaultValue = "0",
            description = "Fail below this share of equal mails.")
    private double leastMails;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Exactness exactness = new Exactness(options.hasher(), options.rule(), readings);
        if (recorded != null) {
            exactness.compare(folder, recorded, details ? out : null);
        } else if (oracle != null) {
            Path recording = Files.createTempFile("weir-oracle", ".json");
            try {
                List<String> oracleOptions = new ArrayList<>(options.oracleOptions());
                oracleOptions.add("--full");
                Oracle.run(oracle, folder, recording, options.algorithmName(), oracleOptions);
                exactness.compare(folder, recording, details ? out : null);
            } finally {
                Files.deleteIfExists(recording);
            }
        } else {
            throw new ParameterException(spec.commandLine(), "Give --oracle or --recorded.");
        }
        return report(out, exactness) ? 0 : 1;
    }

    private boolean report(PrintWriter out, Exactness exactness) {
        Table table = new Table("kind", "of Rspamd", "equal", "share", "only here");
        int reference = 0;
        int equal = 0;
        for (var kind : new TreeMap<>(exactness.kinds()).entrySet()) {
            Exactness.Tally tally = kind.getValue();
            reference += tally.reference();
            equal += tally.equal();
            table.row(kind.getKey(), Table.number(tally.reference()), Table.number(tally.equal()),
                    share(tally.equal(), tally.reference()), Table.number(tally.surplus()));
        }
        table.row("all hashes", Table.number(reference), Table.number(equal), share(equal, reference), "");
        table.row("whole mails", Table.number(exactness.mails()), Table.number(exactness.equalMails()),
                share(exactness.equalMails(), exactness.mails()), "");
        out.println(table);
        out.println("first step that differs: " + exactness.stages());
        StringBuilder histogram = new StringBuilder("inexact texts by number of equal shingles:");
        int[] agreement = exactness.agreement();
        for (int i = 0; i < agreement.length; i++) {
            if (agreement[i] > 0) {
                histogram.append(' ').append(i).append(":").append(agreement[i]);
            }
        }
        out.println(histogram);
        if (exactness.refused() > 0) {
            out.println("Rspamd failed for " + exactness.refused() + " mails.");
        }
        return percent(equal, reference) >= leastHashes
                && percent(exactness.equalMails(), exactness.mails()) >= leastMails;
    }

    private static double percent(int part, int whole) {
        return whole == 0 ? 100 : 100.0 * part / whole;
    }

    private static String share(int part, int whole) {
        return whole == 0 ? "-" : String.format(Locale.ROOT, "%.2f %%", percent(part, whole));
    }
}
