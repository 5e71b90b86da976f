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

/** The program {@code cores}: measures the effect of more workers. */
@Command(name = "cores", mixinStandardHelpOptions = true, description = {
    "Checks a second with one worker and with more. No thread is pinned, and the generator needs a processor of its "
            + "own: with as many workers as processors it takes from them what it uses."})
public final class CoresCommand implements Callable<Integer> {
    private static final String WORKERS = "--workers";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Option(names = "--hashes", paramLabel = "N", defaultValue = "1000000",
            description = "Number of stored hashes (default: ${DEFAULT-VALUE}).")
    private long hashes;

    @Option(names = "--workers", paramLabel = "N", split = ",", defaultValue = "1,2",
            description = "Numbers of workers (default: ${DEFAULT-VALUE}).")
    private List<Integer> workers = List.of();

    @Option(names = "--cases", paramLabel = "KIND", split = ",", defaultValue = "miss,miss+box",
            description = "Kinds of queries; +box for encrypted ones (default: ${DEFAULT-VALUE}).")
    private List<String> cases = List.of();

    @Option(names = "--sockets", paramLabel = "N", defaultValue = "16",
            description = "Number of client sockets (default: ${DEFAULT-VALUE}).")
    private int sockets;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Table table = new Table("workers", "asked", "answers/s", "of one worker", "generator idle");
        try (SpeedOptions.Lab lab = options.openUnpinned(out, spec.commandLine().getErr())) {
            if (!lab.stand().weirKnows(WORKERS)) {
                out.println("This weir serve has no " + WORKERS + ": it is measured as it is.");
                workers = List.of(1);
            }
            Path data = lab.data().weir(hashes, true);
            for (Case one : Case.parse(cases)) {
                double single = 0;
                for (int number : workers) {
                    try (Served served = workers.size() == 1
                            ? lab.stand().weir(data)
                            : lab.stand().weir(data, WORKERS, Integer.toString(number))) {
                        Contender weir = lab.stand().contender(served, sockets);
                        Contender.Shown shown = weir.saturate(one, Dataset.population(hashes),
                                options.outstanding(), options.warmUp(), options.measured());
                        double rate = shown.first().rate();
                        single = single == 0 ? rate : single;
                        table.row(Integer.toString(number), one.name(), Table.rate(rate),
                                String.format(Locale.ROOT, "%.2f", rate / single),
                                String.format(Locale.ROOT, "%.0f %%", 100 * shown.idle()));
                    }
                }
            }
        }
        out.println(table);
        out.flush();
        return 0;
    }
}
