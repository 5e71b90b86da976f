package dev.weir.bench.speed;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

import dev.weir.bench.report.Table;
import dev.weir.testkit.FreePort;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code pages}: measures what open pages cost the storage behind them. */
@Command(name = "pages", mixinStandardHelpOptions = true, description = {
    "What open pages cost the storage behind them: checks a second without an open page and with several, and the "
            + "processor time of the server beside its answers to checks. Each page reads the live figures and asks "
            + "for the curves and campaigns every ten seconds, as a browser does. Both kinds of rounds alternate, "
            + "after an hour's requests of a page.",
    "The processor time decides, because other programs hardly change it. The rate decides, too, if its rounds differ "
            + "by less than the limit."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:the pages cost at most 1 %",
            "1:they cost more",
            "2:the command line is wrong",
            "3:the rounds differ too much to tell"})
public final class PagesCommand implements Callable<Integer> {
    /** What open pages may cost, as a share of one processor and of the rate without them. */
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

    /** A measurement: the rate, and the processor time beside the answers as a share of one processor. */
    private record Round(double rate, double pages, double beside) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Case load = Case.parse(List.of(kind)).getFirst();
        List<Round> alone = new ArrayList<>();
        List<Round> watched = new ArrayList<>();
        Table table = new Table("round", "no page, checks/s", pages + " pages, checks/s", "ratio", "events",
                "beside answers, no page", "with pages", "of that HTTP and events");
        try (SpeedOptions.Lab lab = options.open(out, spec.commandLine().getErr())) {
            Path data = lab.data().weir(hashes, true);
            int port = FreePort.find();
            try (Served served = lab.stand().weirWithHttp(data, port)) {
                Contender weir = lab.stand().contender(served, 1);
                warmUp(weir, load, served, port);
                for (int round = 0; round < rounds; round++) {
                    boolean first = round % 2 == 0;
                    if (first) {
                        alone.add(measure(weir, load, served));
                    }
                    Round with;
                    long events;
                    try (OpenPages open = OpenPages.on(port, pages)) {
                        with = measure(weir, load, served);
                        events = open.events();
                    }
                    watched.add(with);
                    if (!first) {
                        alone.add(measure(weir, load, served));
                    }
                    Round without = alone.getLast();
                    table.row(Integer.toString(round + 1), Table.rate(without.rate()), Table.rate(with.rate()),
                            ratio(with.rate() / without.rate()), Long.toString(events), percent(without.beside()),
                            percent(with.beside()), percent(with.pages()));
                }
            }
        }
        out.println(table);
        int status = verdict(out, alone, watched);
        out.flush();
        return status;
    }

    /** Does the work of an hour, and a round of each kind that does not count: pages are open for long. */
    private void warmUp(Contender weir, Case load, Served served, int port) throws IOException, InterruptedException {
        measure(weir, load, served);
        OpenPages.hour(port);
        try (OpenPages _ = OpenPages.on(port, pages)) {
            measure(weir, load, served);
        }
    }

    private int verdict(PrintWriter out, List<Round> alone, List<Round> watched) {
        List<Double> ratios = new ArrayList<>();
        List<Double> costs = new ArrayList<>();
        for (int i = 0; i < alone.size(); i++) {
            ratios.add(watched.get(i).rate() / alone.get(i).rate());
            costs.add(watched.get(i).beside() - alone.get(i).beside());
        }
        double kept = RoundTally.median(ratios);
        double cost = Math.max(0, RoundTally.median(costs));
        out.printf(Locale.ROOT, "Medians: %s checks/s without a page, %s with %d pages, ratio %s. The middle half of "
                + "the ratios spreads over %.1f %%.%n",
                Table.rate(RoundTally.median(alone.stream().map(Round::rate).toList())),
                Table.rate(RoundTally.median(watched.stream().map(Round::rate).toList())), pages, ratio(kept),
                RoundTally.middleHalf(ratios) * 100);
        out.printf(Locale.ROOT, "Processor time: %d pages cost %s of a processor. The middle half of the costs spreads "
                + "over %s. The threads of HTTP and events take %s.%n", pages, percent(cost),
                percent(RoundTally.middleHalf(costs)),
                percent(RoundTally.median(watched.stream().map(Round::pages).toList())));
        if (RoundTally.middleHalf(costs) > MOST_COST && cost <= MOST_COST) {
            out.printf(Locale.ROOT,
                    "Verdict: none. The rounds differ by more than the %s that is allowed: measure on a "
                            + "quiet machine, or with more --rounds.%n",
                    percent(MOST_COST));
            return UNDECIDED;
        }
        boolean isRateTold = RoundTally.middleHalf(ratios) <= MOST_COST;
        boolean within = cost <= MOST_COST && !(isRateTold && 1 - kept > MOST_COST);
        out.printf(Locale.ROOT, "Verdict: %s. The limit is %s, of a processor and of the rate. The rate %s.%n",
                within ? "passed" : "FAILED", percent(MOST_COST),
                isRateTold ? "fell by " + percent(Math.max(0, 1 - kept)) : "varies too much to tell");
        return within ? 0 : 1;
    }

    private Round measure(Contender weir, Case load, Served served) throws IOException {
        ProcessorTimes begun = served.processorTimes();
        double rate = weir.saturate(load, Dataset.population(hashes), options.outstanding(), options.warmUp(),
                options.measured()).first().rate();
        Map<ProcessorTimes.Kind, Double> shares = served.processorTimes().since(begun);
        double pagesShare = shares.getOrDefault(ProcessorTimes.Kind.PAGES, 0.0);
        return new Round(rate, pagesShare, pagesShare + shares.getOrDefault(ProcessorTimes.Kind.REST, 0.0));
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.2f %%", share * 100);
    }

    private static String ratio(double ratio) {
        return String.format(Locale.ROOT, "%.4f", ratio);
    }
}
