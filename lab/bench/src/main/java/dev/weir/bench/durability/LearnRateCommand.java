package dev.weir.bench.durability;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.bench.load.CheckLoad;
import dev.weir.bench.load.Echo;
import dev.weir.bench.load.LearnLoad;
import dev.weir.bench.load.LearnResult;
import dev.weir.bench.peer.Contents;
import dev.weir.bench.peer.PeerProcess;
import dev.weir.bench.peer.Peers;
import dev.weir.bench.peer.RspamdProcess;
import dev.weir.bench.peer.Setting;
import dev.weir.bench.peer.Settling;
import dev.weir.bench.peer.Subject;
import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.report.Environment;
import dev.weir.bench.report.Table;
import dev.weir.load.population.Population;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code learn}: measures acknowledged learn requests per second and counts the stored hashes. */
@Command(name = "learn", mixinStandardHelpOptions = true, description = {
    "Measures learn requests per second in a closed loop with checks beside, and counts what is stored afterwards.",
    "The same run measures the sync rate of the disk."}, exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:measured, and Weir has all that it acknowledged, also after SIGKILL",
            "1:Weir has lost something that it acknowledged",
            "2:the command line is wrong",
            "3:something could not be measured"})
public final class LearnRateCommand implements Callable<Integer> {
    /** Number of hashes stored before the measurement, for the checks to find. */
    private static final int KNOWN = 1000;

    /** The hashes to learn; the numbers from {@link #KNOWN} on are learned during the measurement. */
    private static final Population POPULATION = new Population(0x1ea2_0000_0000_0000L, KNOWN);

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final int RETRANSMITS = 30;

    /** Warm-up after a pause of one second. */
    private static final double AGAIN_WARM_SECONDS = 0.3;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final Setting setting = new Setting();

    @Option(names = "--clients", paramLabel = "N", split = ",", defaultValue = "1,64",
            description = "Clients in the closed loop (default: ${DEFAULT-VALUE}).")
    private List<Integer> clients = List.of(1, 64);

    @Option(names = "--checks", paramLabel = "N", defaultValue = "1000",
            description = "Checks per second beside the learn requests (default: ${DEFAULT-VALUE}).")
    private int checks;

    @Option(names = "--warm-up", paramLabel = "SECONDS", defaultValue = "5",
            description = "Warm-up before the measurement (default: ${DEFAULT-VALUE}).")
    private double warmUp;

    @Option(names = "--seconds", paramLabel = "SECONDS", defaultValue = "15",
            description = "Duration of the measurement (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(names = "--quick", description = "Warm up for one second and measure for two.")
    private boolean quick;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "5",
            description = "Weir only: number of parts of the measured time. The disk is measured before and after "
                    + "each, because its rate may change within minutes (default: ${DEFAULT-VALUE}).")
    private int rounds;

    /**
     * A row of the tables.
     *
     * @param ofDisk for each round, the share of the rate that the disk permits around it; empty for Rspamd
     * @param ofBare for each round, the share of the rate of a server that only writes and syncs; empty for Rspamd
     */
    private record Row(Subject subject, int clients, List<Double> ofDisk, List<Double> ofBare, LearnResult learns,
            CheckLoad.Result idle, CheckLoad.Result busy, Stored stored) {}

    /**
     * The limits of the machine at a moment.
     *
     * @param disk learn requests per second, if every sync covers one request of each client
     * @param bare learn requests per second of a server that only writes and syncs before it answers
     */
    private record Limits(double disk, double bare) {}

    /**
     * The contents of the backend at the end.
     *
     * @param learns number of acknowledged hashes that it has
     * @param after time from the end of the load until it had the last one
     */
    private record Stored(int learns, Duration after) {}

    /** The results of one or more loads. */
    private record Load(LearnResult learns, CheckLoad.Result checks) {
        Load plus(Load other) {
            return new Load(learns.plus(other.learns), checks.plus(other.checks));
        }
    }

    private final List<String> complaints = new ArrayList<>();
    private final Table disk = new Table("one write + fdatasync of", "syncs a second", "p50", "p99", "p99.9",
            "learns a second that it permits");
    private final Table echoes = new Table("the generator against a bare server", "clients", "acknowledged/s", "p50",
            "p99");

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (quick) {
            warmUp = 1;
            seconds = 2;
            rounds = 1;
        }
        List<Row> rows = new ArrayList<>();
        try (Workspace workspace = Workspace.open(setting.dir())) {
            out().println(Environment.describe(workspace.folder(), setting.weir()));
            for (int number : clients) {
                LearnResult result = echo(number, requests -> {}, time());
                echoes.row("nothing is stored", Integer.toString(number), Table.rate(result.perSecond()),
                        Table.time(result.latency(), 50), Table.time(result.latency(), 99));
            }
            for (Subject subject : setting.subjects(out())) {
                for (int number : clients) {
                    err().println("bench: " + subject.title() + ", clients: " + number);
                    rows.add(measure(workspace, subject, number));
                }
            }
        }
        print(rows);
        complaints.forEach(complaint -> out().println("LOST: " + complaint));
        out().flush();
        return complaints.isEmpty() ? 0 : 1;
    }

    private static LearnResult echo(int number, Echo.Before before, LearnLoad.Extent.Time time) throws IOException {
        try (Echo echo = Echo.start(before)) {
            return LearnLoad.run(echo.address(), plan(number), POPULATION, 0, time);
        }
    }

    private static LearnLoad.Plan plan(int clients) {
        return new LearnLoad.Plan(clients, TIMEOUT, RETRANSMITS);
    }

    private LearnLoad.Extent.Time round(double warmUpSeconds) {
        return new LearnLoad.Extent.Time(duration(warmUpSeconds), duration(seconds / rounds));
    }

    private LearnLoad.Extent.Time time() {
        return new LearnLoad.Extent.Time(duration(warmUp), duration(seconds));
    }

    private Row measure(Workspace workspace, Subject subject, int number) throws IOException, InterruptedException {
        try (Peers peers = Peers.start(subject, setting, workspace)) {
            PeerProcess peer = peers.peer();
            LearnResult known = LearnLoad.run(peer.address(), plan(16), POPULATION, 0,
                    new LearnLoad.Extent.Count(KNOWN, -1, () -> {}));
            if (known.acknowledged().cardinality() != KNOWN) {
                throw new IOException(subject.title() + " acknowledged only " + known.acknowledged().cardinality()
                        + " of the first " + KNOWN + " learns");
            }
            if (peer instanceof RspamdProcess) {
                setting.settle(peer, KNOWN);
            }
            CheckLoad.Result idle = CheckLoad.start(peer.address(), checks(),
                    new LearnLoad.Extent.Time(duration(Math.min(2, warmUp)), duration(seconds))).finish();
            return switch (peer) {
                case WeirProcess weir -> {
                    List<Double> ofDisk = new ArrayList<>();
                    List<Double> ofBare = new ArrayList<>();
                    Limits before = limits(workspace.folder(), weir, number);
                    Load all = load(weir, KNOWN, number, round(warmUp));
                    double last = all.learns().perSecond();
                    for (int round = 1; round <= rounds; round++) {
                        Limits after = limits(workspace.folder(), weir, number);
                        ofDisk.add(2 * last / (before.disk() + after.disk()));
                        ofBare.add(2 * last / (before.bare() + after.bare()));
                        before = after;
                        if (round < rounds) {
                            Load next = load(weir, KNOWN + all.learns().sent(), number,
                                    round(Math.min(warmUp, AGAIN_WARM_SECONDS)));
                            last = next.learns().perSecond();
                            all = all.plus(next);
                        }
                    }
                    LearnResult result = all.learns();
                    // The database may take many minutes to catch up.
                    err().println("bench: " + Table.rate(result.perSecond()) + " a second, of the bare server "
                            + median(ofBare) + "; verifying");
                    err().flush();
                    Stored stored = verify(workspace, weir, new DurabilityCheck.Promise(POPULATION, KNOWN,
                            result.acknowledged(), result.unsure()));
                    yield new Row(subject, number, ofDisk, ofBare, result, idle, all.checks(), stored);
                }
                case RspamdProcess rspamd -> {
                    // Rspamd is fast until its first flush to the backend. A warm-up would hide that.
                    Load load = load(rspamd, KNOWN, number,
                            new LearnLoad.Extent.Time(Duration.ZERO, duration(warmUp + seconds)));
                    BitSet acknowledged = load.learns().acknowledged();
                    Settling settled = setting.settle(rspamd, KNOWN + acknowledged.cardinality());
                    yield new Row(subject, number, List.of(), List.of(), load.learns(), idle, load.checks(),
                            new Stored(rspamd.contents().tally(POPULATION, acknowledged).stored(), settled.took()));
                }
            };
        }
    }

    private CheckLoad.Plan checks() {
        return new CheckLoad.Plan(POPULATION, checks);
    }

    private Load load(PeerProcess peer, int first, int number, LearnLoad.Extent.Time time)
            throws IOException, InterruptedException {
        CheckLoad running = CheckLoad.start(peer.address(), checks(), time);
        LearnResult result = LearnLoad.run(peer.address(), plan(number), POPULATION, first, time);
        return new Load(result, running.finish());
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    private Limits limits(Path folder, WeirProcess weir, int number) throws IOException {
        Duration moment = duration(Math.min(1, seconds));
        // The storage may still be writing to its database, which would slow down the disk.
        try (Contents.Outage _ = weir.pause(); SyncProbe file = SyncProbe.open(folder)) {
            SyncProbe.Rate rate = file.measure(number, moment);
            disk.row(String.format(Locale.ROOT, "%d × %d bytes", number, SyncProbe.RECORD),
                    Table.rate(rate.perSecond()),
                    Table.time(rate.latency(), 50), Table.time(rate.latency(), 99), Table.time(rate.latency(), 99.9),
                    Table.rate(rate.learns()));
            LearnResult bare = echo(number, file::keep,
                    new LearnLoad.Extent.Time(duration(AGAIN_WARM_SECONDS), moment));
            echoes.row("each is written and synced", Integer.toString(number), Table.rate(bare.perSecond()),
                    Table.time(bare.latency(), 50), Table.time(bare.latency(), 99));
            return new Limits(rate.learns(), bare.perSecond());
        }
    }

    /**
     * Checks the storage, kills and restarts it, checks it again, waits until the database has caught up with the log,
     * stops the storage, and reads the database.
     */
    private Stored verify(Workspace workspace, WeirProcess weir, DurabilityCheck.Promise promise)
            throws IOException, InterruptedException {
        String load = promise.acknowledged().cardinality() + " learns";
        long start = System.nanoTime();
        complaints.addAll(DurabilityCheck.of(load + ", at once", weir, promise).complaints());
        weir.close();
        try (WeirProcess again = WeirProcess.start(workspace, setting.weir(), weir.data())) {
            complaints.addAll(DurabilityCheck.of(load + ", after SIGKILL", again, promise).complaints());
            long settling = System.nanoTime();
            Settling settled = setting.settle(again, promise.least());
            int status = again.terminate();
            if (status != 0) {
                complaints.add(load + ": status " + status + " after SIGTERM");
            }
            Contents.Tally tally = again.contents().tally(promise.population(), promise.acknowledged());
            if (tally.exact() != promise.acknowledged().cardinality()) {
                complaints.add(load + ": " + tally.exact() + " of them are in fuzzy.db after SIGTERM");
            }
            return new Stored(tally.stored(), Duration.ofNanos(settling - start).plus(settled.took()));
        }
    }

    private void print(List<Row> rows) {
        Table learning = new Table("learns", "clients", "acknowledged/s", "of what the disk permits",
                "of the bare server that syncs", "p50", "p99", "p99.9", "max", "longest silence", "sent again");
        Table checking = new Table("checks, " + checks + " a second", "learning clients", "p50", "p99", "p99.9",
                "max", "unanswered", "wrong");
        Table storing = new Table("stored", "clients", "acknowledged", "refused", "unanswered",
                "of the acknowledged stored", "lost", "survives the server's end", "in the backend after",
                "through to the backend/s");
        for (Row row : rows) {
            LearnResult learns = row.learns();
            String name = row.subject().title();
            String number = Integer.toString(row.clients());
            learning.row(name, number, Table.rate(learns.perSecond()),
                    median(row.ofDisk()), median(row.ofBare()),
                    Table.time(learns.latency(), 50), Table.time(learns.latency(), 99),
                    Table.time(learns.latency(), 99.9), Table.time(learns.latency(), 100),
                    Table.time(learns.silence()), Table.number(learns.retransmits()));
            check(checking, name, "none", row.idle());
            check(checking, name, number, row.busy());
            long acknowledged = learns.acknowledged().cardinality();
            int stored = row.stored().learns();
            double whole = learns.elapsed() + row.stored().after().toNanos() / 1e9;
            storing.row(name, number, Table.number(acknowledged), Table.number(learns.refused().cardinality()),
                    Table.number(learns.unanswered().cardinality()), Table.number(stored),
                    Table.number(acknowledged - stored),
                    row.subject() == Subject.WEIR ? "from the answer on" : "from then on",
                    stored < acknowledged ? "never all" : Table.time(row.stored().after()), Table.rate(stored / whole));
        }
        out().println(disk);
        out().println(echoes);
        out().println(learning);
        out().println(checking);
        out().println(storing);
    }

    private static String median(List<Double> values) {
        return values.isEmpty()
                ? "-"
                : String.format(Locale.ROOT, "%.2f", values.stream().sorted().toList().get(values.size() / 2));
    }

    private static void check(Table table, String name, String number, CheckLoad.Result result) {
        table.row(name, number, Table.time(result.latency(), 50), Table.time(result.latency(), 99),
                Table.time(result.latency(), 99.9), Table.time(result.latency(), 100),
                Table.number(result.unanswered()), Table.number(result.wrong()));
    }
}
