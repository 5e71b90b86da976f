package dev.weir.bench.speed;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.bench.report.Table;
import dev.weir.load.Load;
import dev.weir.load.query.Mix;
import dev.weir.load.query.QueryKind;
import dev.weir.load.stream.Pace;
import dev.weir.load.stream.StreamResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code start}: measures the time until a storage with many hashes answers. */
@Command(name = "start", mixinStandardHelpOptions = true, description = {
    "Seconds from the command weir serve to its first right answer, on all processors, as a user starts it."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:measured", "1:the answers were wrong", "2:the command line is wrong",
            "3:something could not be measured"})
public final class StartCommand implements Callable<Integer> {
    private static final Duration LEAST = Duration.ofMillis(1);
    private static final Duration ASKED = Duration.ofMillis(50);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Option(names = "--hashes", paramLabel = "N", split = ",", defaultValue = "10000,1000000",
            description = "Number of stored hashes (default: ${DEFAULT-VALUE}).")
    private List<Long> hashes = List.of();

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "3",
            description = "Number of starts (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Table table = new Table("hashes", "ready after", "first right answer after", "slowest of " + rounds);
        boolean right = true;
        try (SpeedOptions.Lab lab = options.openUnpinned(out, spec.commandLine().getErr())) {
            for (long number : hashes) {
                Path data = lab.data().weir(number, true);
                List<Double> ready = new ArrayList<>();
                List<Double> answered = new ArrayList<>();
                for (int round = 0; round < rounds; round++) {
                    try (Served served = lab.stand().weir(data)) {
                        ready.add(served.seconds());
                        Contender weir = lab.stand().contender(served, 1);
                        StreamResult first = weir.run(
                                List.of(new Load.Part.Asking("first", Mix.of(QueryKind.EXACT), new Pace.Closed(1))),
                                false,
                                Dataset.population(number), Duration.ZERO, round == 0 ? ASKED : LEAST).first();
                        right &= first.answered() > 0 && first.wrong() + first.refused() + first.missing() == 0;
                        answered.add(served.seconds() + first.latency().getMaxValue() / 1e9);
                    }
                }
                ready.sort(null);
                answered.sort(null);
                table.row(Table.number(number), seconds(ready.get(rounds / 2)), seconds(answered.get(rounds / 2)),
                        seconds(answered.getLast()));
            }
        }
        out.println(table);
        out.flush();
        return right ? 0 : 1;
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.2f s", seconds);
    }
}
