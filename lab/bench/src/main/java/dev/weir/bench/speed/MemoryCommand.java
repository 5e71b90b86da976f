package dev.weir.bench.speed;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.bench.report.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code memory}: measures the resident memory per hash. */
@Command(name = "memory", mixinStandardHelpOptions = true, description = {
    "Resident memory of a storage with nothing in it and with many hashes, with and without shingles, after it was "
            + "asked for a while; the difference by the number of hashes."})
public final class MemoryCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Option(names = "--hashes", paramLabel = "N", split = ",", defaultValue = "1000000",
            description = "Number of stored hashes (default: ${DEFAULT-VALUE}).")
    private List<Long> hashes = List.of();

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Table table = new Table("hashes", "shingles", "resident", "bytes a hash");
        try (SpeedOptions.Lab lab = options.open(out, spec.commandLine().getErr())) {
            long empty = resident(lab, lab.workspace().newFolder("data"), 0);
            table.row("0", "-", mebibytes(empty), "-");
            for (long number : hashes) {
                for (boolean shingles : new boolean[]{true, false}) {
                    long full = resident(lab, lab.data().weir(number, shingles), shingles ? number : 0);
                    table.row(Table.number(number), shingles ? "32" : "none", mebibytes(full),
                            Table.rate((full - empty) / (double) number));
                }
            }
        }
        out.println(table);
        out.flush();
        return 0;
    }

    private long resident(SpeedOptions.Lab lab, Path data, long population) throws IOException {
        try (Served served = lab.stand().weir(data)) {
            Contender weir = lab.stand().contender(served, 1);
            Case asked = Case.parse(population == 0 ? "miss" : "miss,exact,fuzzy20");
            weir.saturate(asked, Dataset.population(population), options.outstanding(), options.warmUp(),
                    options.measured());
            return served.resident();
        }
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%,d MiB", bytes >> 20);
    }
}
