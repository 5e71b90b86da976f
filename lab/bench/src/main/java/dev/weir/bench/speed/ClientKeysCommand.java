package dev.weir.bench.speed;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import dev.weir.bench.report.Table;
import dev.weir.load.Load;
import dev.weir.load.population.Population;
import dev.weir.load.query.Mix;
import dev.weir.load.stream.Pace;
import dev.weir.load.stream.StreamResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code keys}: measures known clients beside requests with new keys, which cost a key agreement each. */
@Command(name = "keys", mixinStandardHelpOptions = true, description = {
    "Encrypted checks of a known client at a fixed rate, beside more and more requests that each have a new client "
            + "key."})
public final class ClientKeysCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Option(names = "--hashes", paramLabel = "N", defaultValue = "10000",
            description = "Number of stored hashes (default: ${DEFAULT-VALUE}).")
    private long hashes;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "20000",
            description = "Checks per second of the known client (default: ${DEFAULT-VALUE}).")
    private double rate;

    @Option(names = "--flood", paramLabel = "N", split = ",", defaultValue = "0,1000,5000,20000,50000",
            description = "Requests with new keys per second (default: ${DEFAULT-VALUE}).")
    private List<Double> floods = List.of();

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Table table = new Table("new keys a second", "checks/s answered", "p50", "p99", "p99.9", "wrong",
                "missing");
        try (SpeedOptions.Lab lab = options.open(out, spec.commandLine().getErr())) {
            Population population = Dataset.population(hashes);
            Path data = lab.data().weir(hashes, true);
            Contender weir = lab.stand().contender(lab.stand().weir(data), 1);
            for (double flood : floods) {
                List<Load.Part> parts = new ArrayList<>();
                parts.add(new Load.Part.Asking("known", Mix.parse("miss,exact,fuzzy20"), new Pace.Open(rate)));
                if (flood > 0) {
                    parts.add(new Load.Part.NewKeys("new", flood));
                }
                StreamResult known = weir.run(parts, true, population, options.warmUp(), options.measured())
                        .first();
                table.row(Table.rate(flood), Table.rate(known.rate()), Table.time(known.latency(), 50),
                        Table.time(known.latency(), 99), Table.time(known.latency(), 99.9),
                        Table.number(known.wrong() + known.refused()), Table.number(known.missing()));
            }
        }
        out.println(table);
        out.flush();
        return 0;
    }
}
