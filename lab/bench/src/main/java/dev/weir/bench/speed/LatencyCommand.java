package dev.weir.bench.speed;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.bench.report.Table;
import dev.weir.load.Load;
import dev.weir.load.population.Population;
import dev.weir.load.query.Mix;
import dev.weir.load.query.QueryKind;
import dev.weir.load.stream.Pace;
import dev.weir.load.stream.StreamResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code latency}: measures checks at half of the highest rate. */
@Command(name = "latency", mixinStandardHelpOptions = true, description = {
    "Latency of checks at half of the highest rate, without learns and with learns beside.",
    "Checks are sent when they are due, whatever the answers do, and latency counts from then."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:measured, and every check was answered rightly", "1:wrong answers or none",
            "2:the command line is wrong",
            "3:something could not be measured"})
public final class LatencyCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Option(names = "--hashes", paramLabel = "N", defaultValue = "1000000",
            description = "Number of stored hashes (default: ${DEFAULT-VALUE}).")
    private long hashes;

    @Option(names = "--mix", paramLabel = "KIND[=WEIGHT],…", defaultValue = "miss=8,exact=1,fuzzy20=1",
            description = "Kinds of queries (default: ${DEFAULT-VALUE}).")
    private String mix = "miss";

    @Option(names = "--learns", paramLabel = "N", defaultValue = "5000",
            description = "Learn requests per second beside the checks (default: ${DEFAULT-VALUE}).")
    private double learns;

    @Option(names = "--share", paramLabel = "X", defaultValue = "0.5",
            description = "Share of the highest rate (default: ${DEFAULT-VALUE}).")
    private double share;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "3",
            description = "Alternating rounds without and with learn requests (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Mix asked = Mix.parse(mix);
        try (SpeedOptions.Lab lab = options.open(out, spec.commandLine().getErr())) {
            Population population = Dataset.population(hashes);
            // Updates change the data, and later runs reuse the prepared folder.
            Path data = lab.data().copy(lab.data().weir(hashes, true), lab.workspace().newFolder("data"));
            Contender weir = lab.stand().contender(lab.stand().weir(data), 1);
            double most = weir.saturate(new Case(mix, asked, false), population, options.outstanding(),
                    options.warmUp().multipliedBy(2), options.measured()).first().rate();
            double rate = most * share;
            // A warm-up with updates, which does not count: the JIT compiler of the storage first sees them here.
            run(weir, population, parts(asked, rate, learns));
            List<StreamResult> without = new ArrayList<>();
            List<StreamResult> with = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                without.add(run(weir, population, parts(asked, rate, 0)).getFirst());
                with.add(run(weir, population, parts(asked, rate, learns)).getFirst());
            }
            StreamResult quiet = without.stream().reduce(StreamResult::plus).orElseThrow();
            StreamResult busy = with.stream().reduce(StreamResult::plus).orElseThrow();
            Table table = new Table(Table.number(hashes) + " hashes, " + mix, "checks/s", "p50", "p99", "p99.9",
                    "max", "wrong", "missing");
            row(table, "without learns", rate, quiet);
            row(table, Table.rate(learns) + " learns a second beside", rate, busy);
            out.println(table);
            out.printf(Locale.ROOT, "Highest rate %,.0f a second. p99.9 with learns by p99.9 without: %.2f%n", most,
                    busy.latency().getValueAtPercentile(99.9) / (double) quiet.latency().getValueAtPercentile(99.9));
            out.flush();
            return sound(quiet) && sound(busy) ? 0 : 1;
        }
    }

    private List<StreamResult> run(Contender weir, Population population, List<Load.Part> parts) throws IOException {
        return weir.run(parts, false, population, options.warmUp(), options.measured()).streams();
    }

    private static List<Load.Part> parts(Mix asked, double rate, double learns) {
        List<Load.Part> parts = new ArrayList<>();
        parts.add(new Load.Part.Asking("checks", asked, new Pace.Open(rate)));
        if (learns > 0) {
            parts.add(new Load.Part.Asking("learns", Mix.of(QueryKind.LEARN), new Pace.Open(learns)));
        }
        return parts;
    }

    private static boolean sound(StreamResult result) {
        return result.wrong() + result.refused() + result.missing() == 0;
    }

    private static void row(Table table, String name, double rate, StreamResult result) {
        table.row(name, Table.rate(rate), Table.time(result.latency(), 50), Table.time(result.latency(), 99),
                Table.time(result.latency(), 99.9), Table.time(result.latency(), 100),
                Table.number(result.wrong() + result.refused()), Table.number(result.missing()));
    }
}
