package dev.weir.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.bench.load.CheckLoad;
import dev.weir.bench.load.LearnLoad;
import dev.weir.bench.load.LearnResult;
import dev.weir.bench.load.Learns;
import dev.weir.bench.peer.Peer;
import dev.weir.bench.peer.RspamdPeer;
import dev.weir.bench.peer.WeirPeer;
import dev.weir.bench.peer.Workspace;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code learn}: how many learns a second a storage acknowledges, and how many of them it then has. */
@Command(name = "learn", mixinStandardHelpOptions = true, description = {
    "Learns a second in a closed loop, checks a second beside them, and what is really stored afterwards.",
    "The disk's own rate of syncs is measured in the same run."}, exitCodeListHeading = "%nExit status:%n", exitCodeList = {
        "0:measured, and Weir has all that it acknowledged, also after SIGKILL",
        "1:Weir has lost something that it acknowledged",
        "2:the command line is wrong"})
final class LearnCommand implements Callable<Integer> {
    /** Hashes that are stored before anything is measured, for the checks to find. */
    private static final int KNOWN = 1000;

    private static final long SEED = 0x1ea2_0000_0000_0000L;
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final int RETRANSMITS = 30;

    @Mixin
    private final Setting setting = new Setting();

    @Option(names = "--clients", paramLabel = "N", split = ",", defaultValue = "1,64", description = "Clients in the closed loop (default: ${DEFAULT-VALUE}).")
    private List<Integer> clients = List.of(1, 64);

    @Option(names = "--checks", paramLabel = "N", defaultValue = "1000", description = "Checks a second beside the learns (default: ${DEFAULT-VALUE}).")
    private int checks;

    @Option(names = "--warm-up", paramLabel = "SECONDS", defaultValue = "5", description = "Not measured (default: ${DEFAULT-VALUE}).")
    private double warmUp;

    @Option(names = "--seconds", paramLabel = "SECONDS", defaultValue = "10", description = "Measured (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(names = "--quick", description = "A warm-up of one second and two that are measured.")
    private boolean quick;

    /** One row of the tables. */
    private record Row(Subject subject, int clients, double permitted, LearnResult learns, CheckLoad.Result idle,
            CheckLoad.Result busy, Settling settled) {}

    private final List<String> complaints = new ArrayList<>();
    private final Table disk = new Table("one write + fdatasync of", "syncs a second", "p50", "p99", "p99.9",
            "learns a second that it permits");

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (quick) {
            warmUp = 1;
            seconds = 2;
        }
        final List<Row> rows = new ArrayList<>();
        try (Workspace workspace = Workspace.open(setting.dir())) {
            System.out.println(Environment.describe(workspace.folder(), setting.weir()));
            for (final Subject subject : setting.subjects()) {
                for (final int number : clients) {
                    System.err.println("bench: " + subject.title() + ", " + number + " clients");
                    rows.add(measure(workspace, subject, number));
                }
            }
        }
        print(rows);
        complaints.forEach(complaint -> System.out.println("LOST: " + complaint));
        return complaints.isEmpty() ? 0 : 1;
    }

    private Row measure(Workspace workspace, Subject subject, int number) throws IOException, InterruptedException {
        final double before = syncs(workspace.folder(), number);
        final Learns learns = new Learns(SEED);
        final Row row;
        try (Peers peers = Peers.start(subject, setting, workspace)) {
            final Peer peer = peers.peer();
            final LearnResult known = LearnLoad.run(peer.address(), new LearnLoad.Plan(16, TIMEOUT, RETRANSMITS),
                    learns,
                    0, new LearnLoad.Extent.Count(KNOWN, -1, () -> {}));
            if (known.acknowledged().cardinality() != KNOWN) {
                throw new IOException(subject.title() + " acknowledged only " + known.acknowledged().cardinality()
                        + " of the first " + KNOWN + " learns");
            }
            if (peer instanceof RspamdPeer) {
                settle(peer, KNOWN);
            }
            final CheckLoad.Plan plan = new CheckLoad.Plan(learns, KNOWN, checks);
            final LearnLoad.Extent.Time time = new LearnLoad.Extent.Time(duration(warmUp), duration(seconds));
            final CheckLoad.Result idle = CheckLoad.start(peer.address(), plan, time).finish();
            final CheckLoad running = CheckLoad.start(peer.address(), plan, time);
            final LearnResult result = LearnLoad.run(peer.address(), new LearnLoad.Plan(number, TIMEOUT, RETRANSMITS),
                    learns, KNOWN, time);
            final CheckLoad.Result busy = running.finish();
            final Settling settled = switch (peer) {
                case WeirPeer weir -> verify(workspace, weir, new Verification.Promise(learns, KNOWN,
                        result.acknowledged(), result.unanswered().cardinality()));
                case RspamdPeer rspamd -> settle(rspamd, KNOWN + result.acknowledged().cardinality());
            };
            row = new Row(subject, number, Math.max(before, syncs(workspace.folder(), number)), result, idle, busy,
                    settled);
        }
        return row;
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    /** The learns that the disk permits when every sync covers one learn of each client. */
    private double syncs(Path folder, int records) throws IOException {
        final Disk.Rate rate = Disk.measure(folder, records, duration(Math.min(2, seconds)));
        disk.row(String.format(Locale.ROOT, "%d × %d bytes", records, Disk.RECORD), Table.rate(rate.perSecond()),
                Table.time(rate.latency(), 50), Table.time(rate.latency(), 99), Table.time(rate.latency(), 99.9),
                Table.rate(rate.learns()));
        return rate.learns();
    }

    private Settling settle(Peer peer, long expected) throws IOException, InterruptedException {
        return Settling.await(peer, expected, duration(10 * setting.sync()), Duration.ofMinutes(5));
    }

    /** Asks, kills, starts again, asks again, stops, and reads the file. */
    private Settling verify(Workspace workspace, WeirPeer weir, Verification.Promise promise)
            throws IOException, InterruptedException {
        final String load = promise.acknowledged().cardinality() + " learns";
        complaints.addAll(Verification.of(load + ", at once", weir, promise).complaints());
        weir.close();
        try (WeirPeer again = WeirPeer.start(workspace, setting.weir(), weir.data())) {
            complaints.addAll(Verification.of(load + ", after SIGKILL", again, promise).complaints());
            final int status = again.terminate();
            if (status != 0) {
                complaints.add(load + ": status " + status + " after SIGTERM");
            }
            final BitSet acknowledged = promise.acknowledged();
            final int exact = again.contents().tally(promise.learns(), acknowledged).exact();
            if (exact != acknowledged.cardinality()) {
                complaints.add(load + ": " + exact + " of them are in fuzzy.db after SIGTERM");
            }
            return new Settling(again.contents().count(), Duration.ZERO);
        }
    }

    private void print(List<Row> rows) {
        final Table learning = new Table("learns", "clients", "acknowledged/s", "of what the disk permits", "p50",
                "p99",
                "p99.9", "max", "longest silence", "sent again");
        final Table checking = new Table("checks, " + checks + " a second", "learning clients", "p50", "p99", "p99.9",
                "max", "unanswered", "wrong");
        final Table storing = new Table("stored", "clients", "acknowledged", "refused", "unanswered", "stored",
                "acknowledged and not stored", "stored after");
        for (final Row row : rows) {
            final LearnResult learns = row.learns();
            final String name = row.subject().title();
            final String number = Integer.toString(row.clients());
            learning.row(name, number, Table.rate(learns.perSecond()),
                    String.format(Locale.ROOT, "%.2f", learns.perSecond() / row.permitted()),
                    Table.time(learns.latency(), 50), Table.time(learns.latency(), 99),
                    Table.time(learns.latency(), 99.9), Table.time(learns.latency(), 100),
                    Table.time(learns.silence()), Table.number(learns.retransmits()));
            check(checking, name, "none", row.idle());
            check(checking, name, number, row.busy());
            final long acknowledged = learns.acknowledged().cardinality();
            storing.row(name, number, Table.number(acknowledged), Table.number(learns.refused().cardinality()),
                    Table.number(learns.unanswered().cardinality()), Table.number(row.settled().stored() - KNOWN),
                    Table.number(Math.max(0, KNOWN + acknowledged - row.settled().stored())),
                    row.subject() == Subject.WEIR ? "before the answer" : Table.time(row.settled().took()));
        }
        System.out.println(disk);
        System.out.println(learning);
        System.out.println(checking);
        System.out.println(storing);
    }

    private static void check(Table table, String name, String number, CheckLoad.Result result) {
        table.row(name, number, Table.time(result.latency(), 50), Table.time(result.latency(), 99),
                Table.time(result.latency(), 99.9), Table.time(result.latency(), 100),
                Table.number(result.unanswered()), Table.number(result.wrong()));
    }
}
