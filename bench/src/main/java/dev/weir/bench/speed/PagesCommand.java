package dev.weir.bench.speed;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.bench.report.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code pages}: measures what open pages cost the storage behind them. */
@Command(name = "pages", mixinStandardHelpOptions = true, description = {
    "Checks a second without an open page and with several. Each page reads the live figures and asks for the "
            + "curves and campaigns every ten seconds, as a browser does. Both kinds of rounds alternate."})
public final class PagesCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Option(names = "--hashes", paramLabel = "N", defaultValue = "1000000",
            description = "Number of stored hashes (default: ${DEFAULT-VALUE}).")
    private long hashes;

    @Option(names = "--pages", paramLabel = "N", defaultValue = "10",
            description = "Number of open pages (default: ${DEFAULT-VALUE}).")
    private int pages;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "7",
            description = "Number of rounds of each kind (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--case", paramLabel = "KIND", defaultValue = "exact",
            description = "Kind of queries (default: ${DEFAULT-VALUE}).")
    private String kind = "";

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Case load = Case.parse(List.of(kind)).getFirst();
        List<Double> ratios = new ArrayList<>();
        Table table = new Table("round", "no page, checks/s", pages + " pages, checks/s", "ratio", "events");
        try (SpeedOptions.Lab lab = options.open(out, spec.commandLine().getErr())) {
            Path data = lab.data().weir(hashes, true);
            int port = freePort();
            try (Served served = lab.stand().weirWithHttp(data, port)) {
                Contender weir = lab.stand().contender(served, 1);
                for (int round = 0; round < rounds; round++) {
                    boolean alone = round % 2 == 0;
                    double first = alone ? rate(weir, load) : 0;
                    double with;
                    long events;
                    try (OpenPages open = OpenPages.on(port, pages)) {
                        with = rate(weir, load);
                        events = open.events();
                    }
                    double without = alone ? first : rate(weir, load);
                    ratios.add(with / without);
                    table.row(Integer.toString(round + 1), Table.rate(without), Table.rate(with),
                            ratio(with / without), Long.toString(events));
                }
            }
        }
        out.println(table);
        out.println("Median of the ratios: " + ratio(ratios.stream().sorted().toList().get(rounds / 2)));
        out.flush();
        return 0;
    }

    private double rate(Contender weir, Case load) throws IOException {
        return weir.saturate(load, Dataset.population(hashes), options.outstanding(), options.warmUp(),
                options.measured()).first().rate();
    }

    private static String ratio(double ratio) {
        return String.format(Locale.ROOT, "%.4f", ratio);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
