package dev.weir.bench.durability;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

import dev.weir.bench.load.Asker;
import dev.weir.bench.load.BackgroundLoad;
import dev.weir.bench.load.CheckLoad;
import dev.weir.bench.load.Echo;
import dev.weir.bench.load.LearnLoad;
import dev.weir.bench.load.LearnResult;
import dev.weir.bench.load.WarmUp;
import dev.weir.bench.peer.PeerProcess;
import dev.weir.bench.peer.RspamdProcess;
import dev.weir.bench.peer.Setting;
import dev.weir.bench.peer.Subject;
import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.report.Environment;
import dev.weir.bench.report.Table;
import dev.weir.load.population.Population;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code store}: sustained updates, disk space and starts: a store beside SQLite and beside Rspamd. */
@Command(name = "store", mixinStandardHelpOptions = true, description = {
    "Sustained updates with checks beside, disk space, bytes written, and starts after a stop and after SIGKILL:",
    "Weir alone, beside Weir with a database that follows for Rspamd, and beside Rspamd with SQLite."},
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:measured, and Weir has all that it acknowledged, also after SIGKILL",
            "1:Weir has lost something that it acknowledged",
            "2:the command line is wrong",
            "3:something could not be measured"})
public final class StoreCommand implements Callable<Integer> {
    /** Hashes that the checks find. They are stored before the measurement and learned once. */
    private static final int KNOWN = 1_000;

    private static final long SEED = 0x5702_e000_0000_0000L;
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final int RETRANSMITS = 30;
    private static final int CLIENTS = 64;
    private static final int MAX_CLIENTS = 1_024;

    /** Time of load after SIGKILL. */
    private static final Duration AFTER_KILL = Duration.ofMillis(200);

    private static final double MIB = 1 << 20;

    /** Percentiles of latencies, and of the delays that a generator causes itself. */
    private static final double[] USUAL = {50, 99, 99.9};
    private static final double[] TAIL = {99, 99.9, 100};

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final Setting setting = new Setting();

    @Option(names = "--places", paramLabel = "PLACE", split = ",",
            description = "The places to measure, of ${COMPLETION-CANDIDATES} (default: all).")
    private List<Place> places = List.of(Place.values());

    @Option(names = "--hashes", paramLabel = "N", defaultValue = "200000",
            description = "Different hashes, more than 1000 (default: ${DEFAULT-VALUE}).")
    private int hashes;

    @Option(names = "--compared", paramLabel = "N",
            description = "Different hashes for SQLite and Rspamd, whose database takes hours for millions "
                    + "(default: as --hashes).")
    private @Nullable Integer compared;

    @Option(names = "--plain", description = "Hashes without shingles.")
    private boolean plain;

    @Option(names = "--passes", paramLabel = "N", defaultValue = "3",
            description = "How often each hash is learned (default: ${DEFAULT-VALUE}).")
    private int passes;

    @Option(names = "--at-most", paramLabel = "MINUTES", defaultValue = "1440",
            description = "Each pass over the hashes, the first one with its warm-up, ends after this time, also "
                    + "without having learned every hash (default: ${DEFAULT-VALUE}).")
    private double atMost;

    @Option(names = "--clients", paramLabel = "N",
            description = "Clients, which have one update under way each (default: ${DEFAULT-VALUE}, and 1024 with "
                    + "--rate).")
    private @Nullable Integer clients;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "0",
            description = "Updates a second, each due at its time; 0 for a closed loop, as fast as possible. The "
                    + "latency of an update counts from when it is due (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--checks", paramLabel = "N", defaultValue = "1000",
            description = "Checks a second beside the updates (default: ${DEFAULT-VALUE}).")
    private int checks;

    @Option(names = "--quiet", paramLabel = "SECONDS", defaultValue = "30",
            description = "How long the checks run alone (default: ${DEFAULT-VALUE}).")
    private double quiet;

    @Option(names = "--warm-up", paramLabel = "SECONDS", defaultValue = "20",
            description = "New hashes and checks of this time, but at most half of the hashes and of --at-most, have "
                    + "latencies of their own, because the JVM still compiles (default: ${DEFAULT-VALUE}).")
    private double warmUp;

    @Option(names = "--kill-after", paramLabel = "SECONDS", defaultValue = "5",
            description = "Full load before SIGKILL (default: ${DEFAULT-VALUE}).")
    private double killAfter;

    private final List<String> complaints = new ArrayList<>();

    /** A place for the hashes. */
    private enum Place {
        RSPAMD("Rspamd, SQLite"), SQLITE("Weir, SQLite"), STORE("Weir, store");

        final String title;

        Place(String title) {
            this.title = title;
        }
    }

    /**
     * The measurements of one place.
     *
     * @param hashes different hashes that were learned, if all were acknowledged
     * @param fresh updates of new hashes, and checks beside
     * @param freshWritten bytes that the process wrote for them, until the place had all of them
     * @param freshSettled from the last new hash until the place had all of them
     * @param freshDisk bytes of the data folder then
     * @param again updates of hashes that are stored already, and the time that they took
     * @param alone checks without updates, after the new hashes
     * @param written bytes that the process wrote from its start to its end
     * @param stoppedLog bytes of the update log after the stop, which are part of {@code stoppedDisk}
     * @param killedStart time of the start after SIGKILL
     * @param killed updates that were acknowledged between the start and SIGKILL
     * @param lost acknowledged hashes that are missing after SIGKILL
     */
    private record Column(Place place, int hashes, Fresh fresh, long freshWritten, Duration freshSettled,
            long freshDisk, Updates again, ControlledChecks.Result alone, ControlledChecks.Result beside,
            ProcessWatch.Seen seen, long written, Duration stop, long stoppedDisk, long stoppedLog,
            Duration stoppedStart,
            Duration killedStart, int killed, long lost) {
        Updates all() {
            return again.plus(fresh.learned);
        }
    }

    /**
     * Updates of new hashes, and checks beside them.
     *
     * @param learned all updates
     * @param early checks of the warm-up
     * @param warm later checks
     * @param warmUp the length of the warm-up
     */
    private record Fresh(LearnResult learned, ControlledChecks.Result early, ControlledChecks.Result warm,
            Duration warmUp) {}

    /** The storage to measure, and a server that only answers. */
    private record Servers(PeerProcess storage, Echo echo) {}

    /** A number of acknowledged updates. */
    private record Updates(long count, double seconds, long refused) {
        static final Updates NONE = new Updates(0, 0, 0);

        Updates plus(LearnResult result) {
            return new Updates(count + result.acknowledged().cardinality(), seconds + result.elapsed(),
                    refused + result.refused().cardinality() + result.unanswered().cardinality());
        }

        double perSecond() {
            return count / seconds;
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (Math.min(hashes, compared()) <= KNOWN) {
            err().println("bench: --hashes and --compared must be above " + KNOWN);
            return spec.exitCodeOnInvalidInput();
        }
        List<Column> columns = new ArrayList<>();
        try (Workspace workspace = Workspace.open(setting.dir())) {
            out().println(Environment.describe(workspace.folder(), setting.weir()));
            for (Place place : places.stream().distinct().toList()) {
                if (place == Place.RSPAMD && !Subject.RSPAMD_SQLITE.missing().isEmpty()) {
                    out().println("Rspamd is not measured, because it is not installed");
                    continue;
                }
                Path data = workspace.newFolder("data");
                columns.add(measure(workspace, place, data));
                // The disk need not hold all.
                workspace.delete(data);
            }
        }
        print(columns);
        complaints.forEach(complaint -> out().println("LOST: " + complaint));
        out().flush();
        return complaints.isEmpty() ? 0 : 1;
    }

    private int clients() {
        return clients != null ? clients : rate > 0 ? MAX_CLIENTS : CLIENTS;
    }

    private int compared() {
        return compared == null ? hashes : compared;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }

    private void progress(Place place, String what) {
        err().println("bench: " + place.title + ": " + what);
        err().flush();
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    private PeerProcess start(Workspace workspace, Place place, Path data) throws IOException, InterruptedException {
        if (place == Place.RSPAMD) {
            return RspamdProcess.start(workspace, new RspamdProcess.Backend.SqliteAt(data.resolve("fuzzy.db")),
                    setting.sync());
        }
        return WeirProcess.start(workspace, setting.weir(), data, List.of("--backend",
                place == Place.STORE ? "store" : "sqlite", "--allow-update", "127.0.0.1"), Map.of());
    }

    private LearnResult learn(PeerProcess peer, Population population, int from, int to, WarmUp warmingUp)
            throws IOException {
        return LearnLoad.run(peer.address(), new LearnLoad.Plan(clients(), TIMEOUT, RETRANSMITS, !plain, rate),
                population, from, new LearnLoad.Extent.Within(to - from, seconds(60 * atMost), warmingUp));
    }

    private Fresh learnFresh(Servers servers, Population population, int to)
            throws IOException, InterruptedException {
        WarmUp warmingUp = WarmUp.start(seconds(Math.min(warmUp, 60 * atMost / 2)));
        try (ControlledChecks running = check(servers, population, warmingUp, Duration.ofDays(1))) {
            LearnResult learned = learn(servers.storage(), population, KNOWN, to, warmingUp);
            ControlledChecks.Result warm = running.end();
            return new Fresh(learned, running.early(), warm, warmingUp.length());
        }
    }

    private ControlledChecks check(Servers servers, Population population, WarmUp warmingUp, Duration time)
            throws IOException {
        return ControlledChecks.start(servers.storage().address(), servers.echo().address(),
                new CheckLoad.Plan(population, checks, !plain), warmingUp, time);
    }

    private Column measure(Workspace workspace, Place place, Path data) throws IOException, InterruptedException {
        int wanted = place == Place.STORE ? hashes : compared();
        Population population = new Population(SEED, KNOWN);
        Fresh fresh;
        LearnResult learned;
        int last;
        long freshWritten;
        Duration freshSettled;
        long freshDisk;
        Updates again = Updates.NONE;
        ControlledChecks.Result alone;
        ControlledChecks.Result beside;
        ProcessWatch.Seen seen;
        Duration stop;
        try (PeerProcess peer = start(workspace, place, data);
                Echo echo = Echo.start(_ -> {});
                ProcessWatch watch = ProcessWatch.start(peer.pid(), data.resolve("updates"))) {
            Servers servers = new Servers(peer, echo);
            learn(peer, population, 0, KNOWN, WarmUp.none());
            // Rspamd finds a hash only when its backend has it.
            settle(workspace, place, peer, data, KNOWN);
            progress(place, wanted + " new hashes");
            long before = ProcessWatch.written(peer.pid());
            fresh = learnFresh(servers, population, wanted);
            learned = fresh.learned();
            beside = fresh.warm();
            last = KNOWN + learned.sent();
            progress(place, "until it has all of them");
            long settling = System.nanoTime();
            settle(workspace, place, peer, data, KNOWN + learned.acknowledged().cardinality());
            freshSettled = since(settling);
            freshWritten = ProcessWatch.written(peer.pid()) - before;
            freshDisk = ProcessWatch.bytes(data);
            // Only now, because the JVM has compiled what checks need.
            try (ControlledChecks running = check(servers, population, WarmUp.none(), seconds(quiet))) {
                alone = running.finish();
            }
            progress(place, "the same hashes again");
            for (int pass = 1; pass < passes; pass++) {
                try (ControlledChecks running = check(servers, population, WarmUp.none(), Duration.ofDays(1))) {
                    again = again.plus(learn(peer, population, KNOWN, last, WarmUp.none()));
                    beside = beside.plus(running.end());
                }
            }
            long stopping = System.nanoTime();
            int status = peer.terminate();
            stop = since(stopping);
            seen = watch.seen();
            if (status != 0 && place != Place.RSPAMD) {
                complaints.add(place.title + ": status " + status + " after SIGTERM");
            }
        }
        long stoppedDisk = ProcessWatch.bytes(data);
        long stoppedLog = ProcessWatch.bytes(data.resolve("updates"));
        progress(place, "SIGKILL under load");
        DurabilityCheck.Promise promise;
        LearnResult killed;
        long starting = System.nanoTime();
        Duration stoppedStart;
        try (PeerProcess peer = start(workspace, place, data)) {
            stoppedStart = since(starting);
            killed = learnUntilKilled(peer, population, last);
            promise = promise(population, learned, killed);
        }
        starting = System.nanoTime();
        try (PeerProcess peer = start(workspace, place, data)) {
            Duration killedStart = since(starting);
            if (place != Place.RSPAMD) {
                complaints.addAll(DurabilityCheck.of(place.title + ", after SIGKILL", peer, promise).complaints());
            }
            return new Column(place, last, fresh, freshWritten, freshSettled, freshDisk, again, alone, beside, seen,
                    seen.written(), stop, stoppedDisk, stoppedLog, stoppedStart, killedStart,
                    killed.acknowledged().cardinality(), lost(peer, promise));
        }
    }

    private static long lost(PeerProcess peer, DurabilityCheck.Promise promise) throws IOException {
        try (Asker asker = new Asker(peer.address())) {
            Optional<Long> count = asker.count(30);
            return Math.max(0, promise.least() - count.orElse(0L));
        }
    }

    /** Samples only hashes that were learned once. The others are counted. */
    private static DurabilityCheck.Promise promise(Population population, LearnResult fresh,
            LearnResult killed) {
        return new DurabilityCheck.Promise(population, KNOWN + fresh.acknowledged().cardinality(),
                killed.acknowledged(),
                fresh.unsure() + fresh.refused().cardinality() + killed.unsure());
    }

    /** Waits until the place has everything that was acknowledged. */
    private void settle(Workspace workspace, Place place, PeerProcess peer, Path data, int expected)
            throws IOException, InterruptedException {
        if (place == Place.RSPAMD) {
            setting.settle(peer, expected);
            return;
        }
        List<String> words = new ArrayList<>(setting.weir());
        words.addAll(List.of("control", "--data", data.toString(), "--timeout", "1d", "fuzzysync"));
        Process sync = workspace.start(new ProcessBuilder(words).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD));
        int status = sync.waitFor();
        workspace.kill(sync);
        if (status != 0) {
            throw new IOException("weir control fuzzysync ended with status " + status);
        }
    }

    /** Learns new hashes with all clients, and kills the storage meanwhile. */
    private LearnResult learnUntilKilled(PeerProcess peer, Population population, int first)
            throws IOException, InterruptedException {
        LearnLoad.Plan plan = new LearnLoad.Plan(CLIENTS, TIMEOUT, 0, !plain, 0);
        LearnLoad.Extent.Time time = new LearnLoad.Extent.Time(Duration.ZERO, seconds(killAfter).plus(AFTER_KILL));
        BackgroundLoad<LearnResult> load = BackgroundLoad.start("updates",
                () -> LearnLoad.run(peer.address(), plan, population, first, time));
        Thread.sleep(seconds(killAfter));
        peer.close();
        return load.await();
    }

    private void print(List<Column> columns) {
        Table table = new Table(Stream.concat(Stream.of(""), columns.stream().map(c -> c.place().title))
                .toArray(String[]::new));
        row(table, columns, "different hashes", c -> Table.number(c.hashes()));
        row(table, columns, "updates of new hashes, acknowledged/s",
                c -> Table.rate(c.fresh().learned().perSecond()));
        row(table, columns, "updates of known hashes, acknowledged/s",
                c -> passes < 2 ? "-" : Table.rate(c.again().perSecond()));
        row(table, columns, "all updates, acknowledged/s", c -> Table.rate(c.all().perSecond()));
        row(table, columns, "all updates, acknowledged, in minutes", c -> Table.number(c.all().count())
                + String.format(Locale.ROOT, ", %.1f", c.all().seconds() / 60));
        row(table, columns, "refused or unanswered updates", c -> Table.number(c.all().refused()));
        row(table, columns, "until the new hashes are out of the log", c -> Table.time(c.freshSettled()));
        row(table, columns, "largest log",
                c -> c.place() == Place.RSPAMD ? "-" : mebibytes(c.seen().largestFolder()));
        row(table, columns, "update p50, p99, p99.9", c -> percentiles(c.fresh().learned().latency(), USUAL));
        row(table, columns, "the same in the warm-up", c -> percentiles(c.fresh().learned().early(), USUAL));
        row(table, columns, "check alone p50, p99, p99.9", c -> percentiles(c.alone().checks().latency(), USUAL));
        row(table, columns, "check beside p50, p99, p99.9", c -> percentiles(c.beside().checks().latency(), USUAL));
        row(table, columns, "the same in the warm-up",
                c -> percentiles(c.fresh().early().checks().latency(), USUAL));
        row(table, columns, "echo alone p50, p99, p99.9", c -> percentiles(c.alone().control(), USUAL));
        row(table, columns, "echo beside p50, p99, p99.9", c -> percentiles(c.beside().control(), USUAL));
        row(table, columns, "p99.9 beside by p99.9 alone, check and echo",
                c -> ratio(c.beside().checks().latency(), c.alone().checks().latency()) + ", "
                        + ratio(c.beside().control(), c.alone().control()));
        row(table, columns, "longest check alone, beside", c -> Table.time(c.alone().checks().latency(), 100) + ", "
                + Table.time(c.beside().checks().latency(), 100));
        row(table, columns, "longest echo alone, beside", c -> Table.time(c.alone().control(), 100) + ", "
                + Table.time(c.beside().control(), 100));
        row(table, columns, "delay of the generator alone p99, p99.9, longest",
                c -> percentiles(c.alone().checks().lag(), TAIL));
        row(table, columns, "delay of the generator beside p99, p99.9, longest",
                c -> percentiles(c.beside().checks().lag(), TAIL));
        row(table, columns, "checks beside, unanswered, wrong", c -> Table.number(c.beside().checks().sent()) + ", "
                + Table.number(c.beside().checks().unanswered()) + ", " + Table.number(c.beside().checks().wrong()));
        row(table, columns, "bytes written for each new hash", c -> Table.rate(c.freshWritten()
                / (double) c.fresh().learned().acknowledged().cardinality()));
        row(table, columns, "bytes written for each update", c -> Table.rate(c.written()
                / (double) (KNOWN + c.all().count())));
        row(table, columns, "disk space for each hash, running",
                c -> Table.rate(c.freshDisk() / (double) c.hashes()));
        row(table, columns, "disk space for each hash, stopped",
                c -> Table.rate(c.stoppedDisk() / (double) c.hashes()));
        row(table, columns, "of these, the update log with its history", StoreCommand::logSpace);
        row(table, columns, "stop", c -> Table.time(c.stop()));
        row(table, columns, "start after the stop", c -> Table.time(c.stoppedStart()));
        row(table, columns, "start after SIGKILL under load", c -> Table.time(c.killedStart()));
        row(table, columns, "updates before SIGKILL", c -> Table.number(c.killed()));
        row(table, columns, "acknowledged hashes missing after SIGKILL", c -> Table.number(c.lost()));
        out().println("Hashes " + (plain ? "without" : "with 32") + " shingles, each learned " + passes + " times by "
                + clients() + " clients, " + (rate > 0 ? rate + " updates a second, " : "") + checks
                + " checks a second beside");
        columns.stream().filter(this::isCold).forEach(column -> out().println(String.format(Locale.ROOT,
                "%s: the warm-up ended after %.1f s instead of %.1f s, at half of the new hashes or of --at-most, "
                        + "so later figures may be those of a cold JVM",
                column.place().title, column.fresh().warmUp().toNanos() / 1e9, warmUp)));
        out().println();
        out().println(table);
    }

    /** Returns whether figures may look like those of a warm JVM although the warm-up was too short. */
    private boolean isCold(Column column) {
        return column.place() != Place.RSPAMD && column.fresh().warmUp().compareTo(seconds(warmUp)) < 0;
    }

    private static void row(Table table, List<Column> columns, String title, Function<Column, String> value) {
        table.row(Stream.concat(Stream.of(title), columns.stream().map(value)).toArray(String[]::new));
    }

    private static String logSpace(Column column) {
        return column.place() == Place.RSPAMD ? "-" : Table.rate(column.stoppedLog() / (double) column.hashes());
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%,.0f MiB", bytes / MIB);
    }

    private static String ratio(Histogram some, Histogram others) {
        return String.format(Locale.ROOT, "%.1f",
                (double) some.getValueAtPercentile(99.9) / others.getValueAtPercentile(99.9));
    }

    private static String percentiles(Histogram times, double... percentiles) {
        return DoubleStream.of(percentiles).mapToObj(percentile -> Table.time(times, percentile))
                .collect(Collectors.joining(", "));
    }
}
