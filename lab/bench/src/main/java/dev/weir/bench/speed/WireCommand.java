package dev.weir.bench.speed;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;

import dev.weir.bench.peer.Subject;
import dev.weir.bench.report.Table;
import dev.weir.load.population.Population;
import dev.weir.load.query.Rule;
import dev.weir.load.socket.QuerySocket;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program {@code wire}: compares the rate of checks with the rate of an echo. */
@Command(name = "wire", mixinStandardHelpOptions = true, description = {
    "Checks a second of Weir beside a bare echo in Java and in C and beside Rspamd, in rounds that alternate, after a "
            + "first one that does not count.",
    "The ratio is to the mean of the Java echo before and after, in the same round. Neither that echo nor the one in "
            + "C couples its answers to one client on their way through the system, as Weir does; a third echo does, "
            + "for comparison."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:measured, and Weir answered everything rightly",
            "1:Weir gave wrong answers or none",
            "2:the command line is wrong",
            "3:something could not be measured"})
public final class WireCommand implements Callable<Integer> {
    private static final String CASES = "miss,exact,fuzzy17,fuzzy20,fuzzy24,fuzzy31,miss+box,exact+box";

    /** Number of client sockets where the client matters. */
    private static final int CLIENTS = 64;

    /** Preparing more takes Rspamd hours. */
    private static final long MOST_FOR_RSPAMD = 100_000;

    /** Rspamd's socket has the small default buffer, which drops more than this. */
    private static final int OUTSTANDING_FOR_RSPAMD = 64;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Option(names = "--hashes", paramLabel = "N", split = ",", defaultValue = "10000,1000000",
            description = "Number of stored hashes (default: ${DEFAULT-VALUE}).")
    private List<Long> hashes = List.of();

    @Option(names = "--cases", paramLabel = "KIND", split = ",", defaultValue = CASES,
            description = "Kinds of queries; +box for encrypted ones (default: ${DEFAULT-VALUE}).")
    private List<String> cases = List.of();

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "3",
            description = "Rounds (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--at-once", paramLabel = "N",
            description = "Queries that a client sends at once, one per part of a mail, before the turn of "
                    + "another of 64 clients, 1 to 64 (default: one client, as many as are due).")
    private @Nullable Integer atOnce;

    @Option(names = "--without-rspamd", description = "Do not measure Rspamd.")
    private boolean withoutRspamd;

    @Option(names = "--echo-source", paramLabel = "FILE", hidden = true,
            defaultValue = "${sys:weir.bench.echo:-echo.c}")
    private Path echoSource = Path.of("echo.c");

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (atOnce != null) {
            try {
                QuerySocket.checkAtOnce(atOnce);
            } catch (IllegalArgumentException e) {
                throw new ParameterException(spec.commandLine(), "--at-once: " + e.getMessage(), e);
            }
        }
        List<Case> asked = Case.parse(cases).stream()
                .map(one -> atOnce == null ? one : one.named(one.name() + ", " + atOnce + " at once")).toList();
        boolean right = true;
        for (long number : hashes) {
            try (SpeedOptions.Lab lab = options.open(out(), err())) {
                List<Point> points = measure(lab, number, asked);
                Point.keep(options.results(), "wire-" + Instant.now().getEpochSecond(), points);
                print(number, points);
                right &= points.stream().filter(point -> point.server().equals("Weir"))
                        .allMatch(point -> point.wrong() == 0 && point.missing() == 0);
            }
        }
        return right ? 0 : 1;
    }

    private List<Point> measure(SpeedOptions.Lab lab, long number, List<Case> asked)
            throws IOException, InterruptedException {
        Population population = Dataset.population(number);
        Path data = lab.data().weir(number, true);
        Contender java = lab.stand().javaEcho();
        Contender coupling = lab.stand().couplingEcho();
        Optional<Contender> c = lab.stand().cEcho(echoSource);
        if (c.isEmpty()) {
            out().println("The echo in C is not measured: no gcc, or no " + echoSource + "\n");
        }
        Contender weir = lab.stand().contender(lab.stand().weir(data), 1);
        Contender rspamd = rspamd(lab, number);
        RoundTally tally = new RoundTally(number);
        // An unfinished JIT compiler would share the one processor with the first measured cases.
        for (Case one : asked) {
            saturate(weir, one, population);
        }
        for (int round = 1; round <= rounds; round++) {
            err().println("bench: " + number + " hashes, round " + round + " of " + rounds);
            err().flush();
            List<Contender> storages = rspamd == null ? List.of(weir) : List.of(weir, rspamd);
            if (c.isPresent()) {
                echo(tally, c.get());
            }
            echo(tally, coupling);
            double before = echo(tally, java);
            for (Case one : asked) {
                for (Contender storage : storages) {
                    tally.add(storage, one, saturate(storage, one, population));
                }
                double after = echo(tally, java);
                tally.compare((before + after) / 2);
                before = after;
            }
        }
        return tally.points();
    }

    private double echo(RoundTally tally, Contender echo) throws IOException {
        return tally.echo(echo, saturate(echo, Case.parse("miss"), new Population(0, 0)));
    }

    private Contender.Shown saturate(Contender contender, Case one, Population population) throws IOException {
        Contender server = atOnce == null ? contender : contender.askedFrom(CLIENTS, atOnce);
        return server.saturate(one, population,
                contender.rule() == Rule.COUNT ? options.outstanding() : OUTSTANDING_FOR_RSPAMD,
                options.warmUp(), options.measured());
    }

    private @Nullable Contender rspamd(SpeedOptions.Lab lab, long number) throws IOException, InterruptedException {
        if (withoutRspamd || number > MOST_FOR_RSPAMD) {
            return null;
        }
        if (!Subject.RSPAMD_SQLITE.missing().isEmpty()) {
            out().println("Rspamd is not measured, because it is not installed: "
                    + Subject.RSPAMD_SQLITE.missing() + "\n");
            return null;
        }
        return lab.stand().rspamd(lab.data().rspamd(number));
    }

    private void print(long number, List<Point> points) {
        Table table = new Table(Table.number(number) + " hashes", "asked", "answers/s", "of the echo", "wrong",
                "missing", "generator idle");
        for (Point point : points) {
            table.row(point.server(), point.load(), Table.rate(point.perSecond()),
                    point.ofEcho() == 0 ? "-" : String.format(Locale.ROOT, "%.2f", point.ofEcho()),
                    Table.number(point.wrong()), Table.number(point.missing()),
                    String.format(Locale.ROOT, "%.0f %%", 100 * point.idle()));
        }
        out().println(table);
        out().flush();
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
