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
            + "curves and campaigns every ten seconds, as a browser does. Both kinds of rounds alternate."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:the pages cost at most 1 % of the rate",
            "1:they cost more",
            "2:the command line is wrong",
            "3:the rounds differ too much to tell"})
public final class PagesCommand implements Callable<Integer> {
    /** What open pages may cost, as a share of the rate without them. */
    private static final double MOST_COST = 0.01;

    private static final int UNDECIDED = 3;

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
        List<Double> alone = new ArrayList<>();
        List<Double> watched = new ArrayList<>();
        Table table = new Table("round", "no page, checks/s", pages + " pages, checks/s", "ratio", "events");
        try (SpeedOptions.Lab lab = options.open(out, spec.commandLine().getErr())) {
            Path data = lab.data().weir(hashes, true);
            int port = freePort();
            try (Served served = lab.stand().weirWithHttp(data, port)) {
                Contender weir = lab.stand().contender(served, 1);
                for (int round = 0; round < rounds; round++) {
                    boolean first = round % 2 == 0;
                    double before = first ? rate(weir, load) : 0;
                    double with;
                    long events;
                    try (OpenPages open = OpenPages.on(port, pages)) {
                        with = rate(weir, load);
                        events = open.events();
                    }
                    double without = first ? before : rate(weir, load);
                    alone.add(without);
                    watched.add(with);
                    ratios.add(with / without);
                    table.row(Integer.toString(round + 1), Table.rate(without), Table.rate(with),
                            ratio(with / without), Long.toString(events));
                }
            }
        }
        out.println(table);
        double kept = median(ratios);
        double spread = middleHalf(ratios);
        out.printf(Locale.ROOT, "Medians: %s checks/s without a page, %s with %d pages, ratio %s.%n",
                Table.rate(median(alone)), Table.rate(median(watched)), pages, ratio(kept));
        if (spread > MOST_COST) {
            out.printf(Locale.ROOT, "Verdict: none. The middle half of the ratios spreads over %.1f %%, more than the "
                    + "%.0f %% that are allowed: measure on a quiet machine, or with more --rounds.%n", spread * 100,
                    MOST_COST * 100);
            out.flush();
            return UNDECIDED;
        }
        boolean within = 1 - kept <= MOST_COST;
        out.printf(Locale.ROOT, "Verdict: %s. %d open pages cost %.2f %% of the rate; at most %.0f %% is allowed.%n",
                within ? "passed" : "FAILED", pages, Math.max(0, 1 - kept) * 100, MOST_COST * 100);
        out.flush();
        return within ? 0 : 1;
    }

    /** Returns the distance between the quarter and three quarters of the sorted values. */
    private static double middleHalf(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get(3 * sorted.size() / 4) - sorted.get(sorted.size() / 4);
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
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
