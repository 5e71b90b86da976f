package dev.weir.bench.hashing;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.bench.report.Table;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code hashing}: measures the speed of hashing and its growth with the size of mails. */
@Command(name = "hashing", mixinStandardHelpOptions = true, description = {
    "Hashes a folder on one thread, beside the real Rspamd if an oracle is named, and mails of 1 KB to 10 MB that are "
            + "meant to",
    "be expensive: time and allocated bytes for each byte of mail must not grow with the size."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:measured, and no kind of mail grows faster than its size",
            "1:some kind of mail does",
            "2:the command line is wrong",
            "3:something could not be measured"})
public final class HashingCommand implements Callable<Integer> {
    private static final int[] SIZES = {1_000, 10_000, 100_000, 1_000_000, 10_000_000};
    private static final int REFERENCE_RUNS = 3;
    /** Tolerated ratio of the cost per byte of the largest mail to that of a smaller one, for noise and caches. */
    private static final double TOLERANCE = 3;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--mails", paramLabel = "DIR", description = "Folder of mails, one per file.")
    private @Nullable Path folder;

    @Option(names = "--oracle", paramLabel = "PROGRAM",
            description = "Program that runs the real Rspamd: PROGRAM DIR OUT.json ALGORITHM --version 3|4 "
                    + "[--html].")
    private @Nullable Path oracle;

    @Mixin
    private RuleOptions options = new RuleOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        HashingSpeed speed = new HashingSpeed(options.hasher(), options.rule());
        if (folder != null) {
            out.println(folder(speed, folder));
            out.flush();
        }
        return growth(out, speed) ? 0 : 1;
    }

    private Table folder(HashingSpeed speed, Path mails) throws IOException, InterruptedException {
        Table table = new Table("folder", "mails", "MB", "mails/s", "MB/s", "times Rspamd");
        HashingSpeed.Folder weir = speed.folder(mails);
        double megabytes = weir.bytes() / 1e6;
        double ratio = 0;
        if (oracle != null) {
            Path recording = Files.createTempFile("weir-oracle", ".json");
            try {
                // The first run warms the caches of Rspamd. The median of the others counts.
                double[] runs = new double[1 + REFERENCE_RUNS];
                for (int i = 0; i < runs.length; i++) {
                    runs[i] = Oracle.run(oracle, mails, recording, options.algorithmName(), options.oracleOptions());
                }
                Arrays.sort(runs, 1, runs.length);
                double seconds = runs[1 + REFERENCE_RUNS / 2];
                table.row("Rspamd", Table.number(weir.mails()), fixed(megabytes), Table.rate(weir.mails() / seconds),
                        fixed(megabytes / seconds), "1.0");
                ratio = weir.mailsPerSecond() * seconds / weir.mails();
            } finally {
                Files.deleteIfExists(recording);
            }
        }
        return table.row("Weir", Table.number(weir.mails()), fixed(megabytes), Table.rate(weir.mailsPerSecond()),
                fixed(weir.megabytesPerSecond()), oracle == null ? "-" : fixed(ratio));
    }

    private static boolean growth(PrintWriter out, HashingSpeed speed) {
        Table table = new Table("mail of", "1 KB", "10 KB", "100 KB", "1 MB", "10 MB", "ns a byte at 10 MB",
                "allocated a byte at 10 MB");
        boolean linear = true;
        for (Hostile hostile : Hostile.values()) {
            String[] cells = new String[SIZES.length + 3];
            cells[0] = hostile.title();
            double most = 0;
            for (int i = 0; i < SIZES.length; i++) {
                byte[] mail = hostile.mail(SIZES[i]);
                long nanos = speed.nanos(mail);
                cells[i + 1] = Table.time(nanos);
                double perByte = (double) nanos / SIZES[i];
                // Small mails are dominated by the fixed cost per mail, so the largest decides about growth.
                linear &= i < SIZES.length - 1 || perByte <= TOLERANCE * most;
                most = Math.max(most, perByte);
            }
            byte[] largest = hostile.mail(SIZES[SIZES.length - 1]);
            cells[SIZES.length + 1] = fixed((double) speed.nanos(largest) / largest.length);
            cells[SIZES.length + 2] = fixed((double) speed.allocated(largest) / largest.length);
            table.row(cells);
        }
        out.println(table);
        out.println(linear ? "No kind of mail grows faster than its size." : "GROWS: some kind of mail grows faster.");
        return linear;
    }

    private static String fixed(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
