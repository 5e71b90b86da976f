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
import dev.weir.bench.load.Learns;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code learn}: how many learns a second a storage acknowledges, and how many of them it then has. */
@Command(name = "learn", mixinStandardHelpOptions = true, description = {
    "Learns a second in a closed loop, checks a second beside them, and what is really stored afterwards.",
    "The disk's own rate of syncs is measured in the same run."}, exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:measured, and Weir has all that it acknowledged, also after SIGKILL",
            "1:Weir has lost something that it acknowledged",
            "2:the command line is wrong",
            "3:something could not be measured"})
public final class LearnRateCommand implements Callable<Integer> {
    /** Hashes that are stored before anything is measured, for the checks to find. */
    private static final int KNOWN = 1000;

    private static final long SEED = 0x1ea2_0000_0000_0000L;
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final int RETRANSMITS = 30;

    /** Warm-up after a pause of a second. */
    private static final double AGAIN_WARM_SECONDS = 0.3;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final Setting setting = new Setting();

    @Option(names = "--clients", paramLabel = "N", split = ",", defaultValue = "1,64",
            description = "Clients in the closed loop (default: ${DEFAULT-VALUE}).")
    private List<Integer> clients = List.of(1, 64);

    @Option(names = "--checks", paramLabel = "N", defaultValue = "1000",
            description = "Checks a second beside the learns (default: ${DEFAULT-VALUE}).")
    private int checks;

    @Option(names = "--warm-up", paramLabel = "SECONDS", defaultValue = "5",
            description = "Not measured (default: ${DEFAULT-VALUE}).")
    private double warmUp;

    @Option(names = "--seconds", paramLabel = "SECONDS", defaultValue = "15",
            description = "Measured (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(names = "--quick", description = "A warm-up of one second and two that are measured.")
    private boolean quick;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "5",
            description = "Weir only: into so many parts the measured time is divided, with a measurement of the disk "
                    + "before and after each, whose rate may change by the minute (default: ${DEFAULT-VALUE}).")
    private int rounds;

    /**
     * One row of the tables.
     *
     * @param ofDisk for each round the part of what the disk permits just before and after it; none for Rspamd
     * @param ofBare the same of what a server reaches that does nothing but write and sync
     */
    private record Row(Subject subject, int clients, List<Double> ofDisk, List<Double> ofBare, LearnResult learns,
            CheckLoad.Result idle, CheckLoad.Result busy, Stored stored) {}

    /**
     * What the machine permits for a moment.
     *
     * @param disk learns a second, if every sync covers one learn of each client
     * @param bare learns a second of a server that does nothing but write and sync before it answers
     */
    private record Limits(double disk, double bare) {}

    /**
     * What the backend has in the end.
     *
     * @param learns how many of the acknowledged ones
     * @param after when it got the last one, counted from the end of the load
     */
    private record Stored(int learns, Duration after) {}

    /** What one or more loads gave. */
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
            return LearnLoad.run(echo.address(), plan(number), new Learns(SEED), 0, time);
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
        Learns learns = new Learns(SEED);
        try (Peers peers = Peers.start(subject, setting, workspace)) {
            PeerProcess peer = peers.peer();
            LearnResult known = LearnLoad.run(peer.address(), plan(16), learns, 0,
                    new LearnLoad.Extent.Count(KNOWN, -1, () -> {}));
            if (known.acknowledged().cardinality() != KNOWN) {
                throw new IOException(subject.title() + " acknowledged only " + known.acknowledged().cardinality()
                        + " of the first " + KNOWN + " learns");
            }
            if (peer instanceof RspamdProcess) {
                setting.settle(peer, KNOWN);
            }
            CheckLoad.Result idle = CheckLoad.start(peer.address(), checks(learns),
                    new LearnLoad.Extent.Time(duration(Math.min(2, warmUp)), duration(seconds))).finish();
            return switch (peer) {
                case WeirProcess weir -> {
                    List<Double> ofDisk = new ArrayList<>();
                    List<Double> ofBare = new ArrayList<>();
                    Limits before = limits(workspace.folder(), weir, number);
                    Load all = load(weir, learns, KNOWN, number, round(warmUp));
                    double last = all.learns().perSecond();
                    for (int round = 1; round <= rounds; round++) {
                        Limits after = limits(workspace.folder(), weir, number);
                        ofDisk.add(2 * last / (before.disk() + after.disk()));
                        ofBare.add(2 * last / (before.bare() + after.bare()));
                        before = after;
                        if (round < rounds) {
                            Load next = load(weir, learns, KNOWN + all.learns().sent(), number,
                                    round(Math.min(warmUp, AGAIN_WARM_SECONDS)));
                            last = next.learns().perSecond();
                            all = all.plus(next);
                        }
                    }
                    LearnResult result = all.learns();
                    // The database may take many minutes to follow.
                    err().println("bench: " + Table.rate(result.perSecond()) + " a second, of the bare server "
                            + median(ofBare) + "; verifying");
                    err().flush();
                    Stored stored = verify(workspace, weir, new DurabilityCheck.Promise(learns, KNOWN,
                            result.acknowledged(), result.unsure()));
                    yield new Row(subject, number, ofDisk, ofBare, result, idle, all.checks(), stored);
                }
                case RspamdProcess rspamd -> {
                    // It is quick until its list first goes to the backend: leaving out the beginning would hide that.
                    Load load = load(rspamd, learns, KNOWN, number,
                            new LearnLoad.Extent.Time(Duration.ZERO, duration(warmUp + seconds)));
                    BitSet acknowledged = load.learns().acknowledged();
                    Settling settled = setting.settle(rspamd, KNOWN + acknowledged.cardinality());
                    yield new Row(subject, number, List.of(), List.of(), load.learns(), idle, load.checks(),
                            new Stored(rspamd.contents().tally(learns, acknowledged).stored(), settled.took()));
                }
            };
        }
    }

    private CheckLoad.Plan checks(Learns learns) {
        return new CheckLoad.Plan(learns, KNOWN, checks);
    }

    private Load load(PeerProcess peer, Learns learns, int first, int number, LearnLoad.Extent.Time time)
            throws IOException, InterruptedException {
        CheckLoad running = CheckLoad.start(peer.address(), checks(learns), time);
        LearnResult result = LearnLoad.run(peer.address(), plan(number), learns, first, time);
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
        // The storage may still be feeding its database, which is no part of what the disk can do.
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
     * Asks, kills, starts again, asks again, waits until the database has followed the log, stops, and reads the
     * database.
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
            Contents.Tally tally = again.contents().tally(promise.learns(), promise.acknowledged());
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
