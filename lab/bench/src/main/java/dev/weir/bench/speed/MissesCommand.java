package dev.weir.bench.speed;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

import dev.weir.bench.load.Asker;
import dev.weir.bench.report.Table;
import dev.weir.load.Load;
import dev.weir.load.population.Population;
import dev.weir.load.query.Mix;
import dev.weir.load.query.Rule;
import dev.weir.load.socket.Target;
import dev.weir.load.stream.LoadTiming;
import dev.weir.load.stream.Pace;
import dev.weir.load.stream.StreamResult;
import dev.weir.testkit.FreePort;
import dev.weir.wire.Protocol;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code misses}: measures what the counting of waves costs checks that find nothing. */
@Command(name = "misses", mixinStandardHelpOptions = true, description = {
    "What the counting of waves costs checks that find nothing: pairs of storages, of which one has waves and some "
            + "groups that answer, in alternating rounds. Half of the checks come four times in a row.",
    "Where the memory of a process lies makes it up to a tenth faster or slower for as long as it runs, so each pair "
            + "is two new processes, and the median of all pairs decides.",
    "The processor time of the threads that answer checks decides, because other programs hardly change it. The rate "
            + "decides, too, if its rounds differ by less than the limit."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:checks keep 0.97 of what they are without waves", "1:they do not, or an answer was wrong",
            "2:the command line is wrong", "3:something could not be measured"})
public final class MissesCommand implements Callable<Integer> {
    /** The least ratio of checks with waves to those without. */
    private static final double LEAST = 0.97;

    /** Half of the checks are copies of one another. */
    private static final Mix MIX = Mix.parse("miss,again");

    private static final int FLAG = 60;

    /** Separates the texts of the groups that answer from the stored hashes. */
    private static final long SEED = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int JIT_FLIGHT = 64;
    private static final int JIT_WARM_UPS = 10;
    private static final Duration ANSWERS = Duration.ofSeconds(60);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Option(names = "--hashes", paramLabel = "N", defaultValue = "1000000",
            description = "Number of stored hashes (default: ${DEFAULT-VALUE}).")
    private long hashes;

    @Option(names = "--in-flight", paramLabel = "N", split = ",", defaultValue = "1,64,256",
            description = "Numbers of checks in flight, instead of --outstanding (default: ${DEFAULT-VALUE}).")
    private List<Integer> inFlight = List.of();

    @Option(names = "--answering", paramLabel = "N", defaultValue = "100",
            description = "Number of groups that answer; with none, each check asks one index less (default: "
                    + "${DEFAULT-VALUE}).")
    private int answering;

    @Option(names = "--pairs", paramLabel = "N", defaultValue = "7",
            description = "Number of pairs of storages (default: ${DEFAULT-VALUE}).")
    private int pairs;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "2",
            description = "Number of rounds of each storage (default: ${DEFAULT-VALUE}).")
    private int rounds;

    private long missing;

    /**
     * A measurement.
     *
     * @param answers nanoseconds of the threads that answer checks, for each check
     * @param waves nanoseconds of the thread that counts waves, for each check
     * @param process nanoseconds of the process, for each check
     */
    private record Round(double rate, double answers, double waves, double process) {}

    /** What is compared. */
    private record Case(boolean shingles, int flight) {}

    /** The rounds of all pairs, and the ratios of each pair. */
    private record Rounds(List<Round> without, List<Round> with, List<Double> rates, List<Double> times) {
        Rounds() {
            this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }

        static double median(List<Round> rounds, ToDoubleFunction<Round> what) {
            return RoundTally.median(rounds.stream().mapToDouble(what).boxed().toList());
        }

        void add(List<Round> off, List<Round> on) {
            without.addAll(off);
            with.addAll(on);
            rates.add(median(on, Round::rate) / median(off, Round::rate));
            times.add(median(off, Round::answers) / median(on, Round::answers));
        }

        boolean isPassed() {
            boolean isRateTold = RoundTally.middleHalf(rates) <= 1 - LEAST;
            return RoundTally.median(times) >= LEAST && (!isRateTold || RoundTally.median(rates) >= LEAST);
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Map<Case, Rounds> all = new LinkedHashMap<>();
        for (boolean shingles : new boolean[]{true, false}) {
            inFlight.forEach(flight -> all.put(new Case(shingles, flight), new Rounds()));
        }
        try (SpeedOptions.Lab lab = options.open(out, spec.commandLine().getErr())) {
            Path data = lab.data().weir(hashes, true);
            for (int pair = 0; pair < pairs; pair++) {
                measure(lab, data, all, pair == pairs - 1 ? out : null);
            }
        }
        out.println(table(all));
        boolean passed = all.values().stream().allMatch(Rounds::isPassed);
        out.println(Table.number(missing) + " checks without an answer.");
        out.printf(Locale.ROOT, "Verdict: %s. The limit is %.2f.%n", passed ? "passed" : "FAILED", LEAST);
        out.flush();
        return passed ? 0 : 1;
    }

    private static Table table(Map<Case, Rounds> all) {
        Table table = new Table("asked", "in flight", "checks/s without", "with waves", "ratio of rates, quartiles",
                "a check without", "with waves", "ratio of times, quartiles", "waves thread", "process without",
                "with waves");
        all.forEach((one, rounds) -> table.row(one.shingles() ? "with shingles" : "without",
                Integer.toString(one.flight()), Table.rate(Rounds.median(rounds.without(), Round::rate)),
                Table.rate(Rounds.median(rounds.with(), Round::rate)), quartiles(rounds.rates()),
                micros(Rounds.median(rounds.without(), Round::answers)),
                micros(Rounds.median(rounds.with(), Round::answers)), quartiles(rounds.times()),
                micros(Rounds.median(rounds.with(), Round::waves)),
                micros(Rounds.median(rounds.without(), Round::process)),
                micros(Rounds.median(rounds.with(), Round::process))));
        return table;
    }

    /**
     * Measures a new pair of storages.
     *
     * @param figures where the storage with waves says what it counted; null for nowhere
     */
    private void measure(SpeedOptions.Lab lab, Path data, Map<Case, Rounds> all, @Nullable PrintWriter figures)
            throws IOException, InterruptedException {
        int port = FreePort.find();
        try (Served without = lab.stand().configured(configuration(lab, data, "", ""));
                Served with = lab.stand().configured(configuration(lab, data, "waves { flag = " + FLAG
                        + "; min_checks = 2; min_clients = 2; }",
                        "worker \"controller\" { bind_socket = \"127.0.0.1:" + port + "\"; }"))) {
            plant(with);
            for (boolean shingles : new boolean[]{true, false}) {
                // The JVMs compile.
                run(without, shingles, JIT_FLIGHT, options.warmUp().multipliedBy(JIT_WARM_UPS));
                run(with, shingles, JIT_FLIGHT, options.warmUp().multipliedBy(JIT_WARM_UPS));
                for (int flight : inFlight) {
                    Case one = new Case(shingles, flight);
                    compare(without, with, one, Objects.requireNonNull(all.get(one)));
                }
            }
            if (figures != null) {
                figures.println("Of the storage with waves:");
                figures(port).forEach(figures::println);
            }
        }
    }

    private static String configuration(SpeedOptions.Lab lab, Path data, String waves, String further)
            throws IOException {
        Path copy = lab.data().copy(data, lab.workspace().newFolder("data"));
        return "worker \"fuzzy\" { bind_socket = \"127.0.0.1:0\"; hash_file = \"" + copy.resolve("fuzzy.db")
                + "\"; backend = \"store\"; " + waves + " }\n" + further + "\n";
    }

    /** Makes groups that answer: texts that clients of two networks ask about. The load comes from a third one. */
    private void plant(Served storage) throws IOException, InterruptedException {
        Population texts = new Population(SEED, answering);
        long[] shingles = new long[Protocol.SHINGLES];
        long deadline = System.nanoTime() + ANSWERS.toNanos();
        try (Asker one = asker(storage, "127.0.1.1"); Asker other = asker(storage, "127.0.2.1")) {
            for (int i = 0; i < answering; i++) {
                texts.shingles(i, shingles);
                one.check(texts.digest(i), shingles);
                other.check(texts.digest(i), shingles);
            }
            for (int i = 0; i < answering; i++) {
                texts.shingles(i, shingles);
                while (one.check(texts.digest(i), shingles).filter(Reply::isMatch).isEmpty()) {
                    if (System.nanoTime() > deadline) {
                        throw new IOException("a text that clients of two networks asked about gets no answer");
                    }
                    TimeUnit.MILLISECONDS.sleep(50);
                }
            }
        }
    }

    private static Asker asker(Served storage, String own) throws IOException {
        return new Asker(storage.address(), new InetSocketAddress(InetAddress.ofLiteral(own), 0));
    }

    private void compare(Served without, Served with, Case one, Rounds rounds) throws IOException {
        List<Round> off = new ArrayList<>();
        List<Round> on = new ArrayList<>();
        for (int round = 0; round < this.rounds; round++) {
            for (int turn = 0; turn < 2; turn++) {
                boolean waves = (round + turn) % 2 == 1;
                (waves ? on : off).add(measure(waves ? with : without, one.shingles(), one.flight()));
            }
        }
        rounds.add(off, on);
    }

    private Round measure(Served storage, boolean shingles, int flight) throws IOException {
        run(storage, shingles, flight, options.warmUp());
        ProcessorTimes begun = storage.processorTimes();
        StreamResult result = run(storage, shingles, flight, options.measured());
        ProcessorTimes ended = storage.processorTimes();
        double checks = result.sent();
        return new Round(result.rate(),
                ended.threads().since(begun.threads(), name -> name.startsWith("weir-receiver")) / checks,
                ended.threads().since(begun.threads(), name -> name.equals("weir-waves")) / checks,
                (ended.process() - begun.process()) * 1e9 / checks);
    }

    private StreamResult run(Served storage, boolean shingles, int flight, Duration measured) throws IOException {
        Load.Knowledge knowledge = new Load.Knowledge(Dataset.population(hashes), Rule.COUNT, shingles,
                System.nanoTime());
        StreamResult result;
        try (Load load = Load.open(Target.plain(storage.address()), knowledge,
                List.of(new Load.Part.Asking("misses", MIX, new Pace.Closed(flight))),
                new LoadTiming(Duration.ZERO, measured, PATIENCE), 1)) {
            result = load.run().getFirst();
        }
        if (result.wrong() + result.refused() > 0) {
            throw new IOException(result.wrong() + result.refused() + " wrong answers: " + result.examples());
        }
        missing += result.missing();
        return result;
    }

    /** Returns what the storage says about its waves. */
    private static List<String> figures(int port) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build(),
                    HttpResponse.BodyHandlers.ofLines()).body().filter(line -> line.startsWith("weir_waves_")).toList();
        }
    }

    private static String quartiles(List<Double> ratios) {
        return String.format(Locale.ROOT, "%.3f (%.3f to %.3f)", RoundTally.median(ratios),
                RoundTally.part(ratios, 0.25), RoundTally.part(ratios, 0.75));
    }

    private static String micros(double nanos) {
        return String.format(Locale.ROOT, "%.2f µs", nanos / 1_000);
    }
}
