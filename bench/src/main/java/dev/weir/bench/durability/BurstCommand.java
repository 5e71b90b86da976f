package dev.weir.bench.durability;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import dev.weir.bench.load.LearnLoad;
import dev.weir.bench.load.LearnResult;
import dev.weir.bench.load.Learns;
import dev.weir.bench.peer.Contents;
import dev.weir.bench.peer.Peers;
import dev.weir.bench.peer.RspamdProcess;
import dev.weir.bench.peer.Setting;
import dev.weir.bench.peer.Settling;
import dev.weir.bench.peer.Subject;
import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.report.Environment;
import dev.weir.bench.report.Table;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code burst}: many learns at once, also while the backend is away, and how many of them are stored in the end. */
@Command(name = "burst", mixinStandardHelpOptions = true, description = {
    "A burst of learns, first with a backend that works, then with one that is away for some time from the middle on:",
    "fuzzy.db is locked by another connection, or redis-server is stopped (SIGSTOP)."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:measured, and Weir has all that it acknowledged",
            "1:Weir has lost something that it acknowledged",
            "2:the command line is wrong",
            "3:something could not be measured"})
public final class BurstCommand implements Callable<Integer> {
    private static final long SEED = 0x6b75_7273_7400_0000L;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final Setting setting = new Setting();

    @Option(names = "--learns", paramLabel = "N", defaultValue = "50000",
            description = "Learns in a burst (default: ${DEFAULT-VALUE}).")
    private int learns;

    @Option(names = "--window", paramLabel = "N", defaultValue = "512",
            description = "Learns that wait for an answer at a time, at most 1024 (default: ${DEFAULT-VALUE}).")
    private int window;

    @Option(names = "--away", paramLabel = "SECONDS", defaultValue = "30",
            description = "How long the backend is away (default: ${DEFAULT-VALUE}).")
    private double away;

    @Option(names = "--timeout", paramLabel = "SECONDS", defaultValue = "1",
            description = "Time after which a learn is sent again (default: ${DEFAULT-VALUE}).")
    private double timeout;

    @Option(names = "--retransmits", paramLabel = "N", defaultValue = "3",
            description = "How often a learn is sent again, as often as Rspamd's scanners do (default: "
                    + "${DEFAULT-VALUE}).")
    private int retransmits;

    @Option(names = "--quick", description = "5000 learns and five seconds.")
    private boolean quick;

    private final List<String> complaints = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (quick) {
            learns = 5_000;
            away = 5;
        }
        Table table = new Table("burst", "backend", "sent", "acknowledged", "refused", "unanswered", "sent again",
                "took", "longest silence", "of the acknowledged stored", "lost", "survives the server's end after");
        try (Workspace workspace = Workspace.open(setting.dir())) {
            out().println(Environment.describe(workspace.folder(), setting.weir()));
            for (Subject subject : setting.subjects(out())) {
                for (boolean outage : new boolean[]{false, true}) {
                    err().println("bench: " + subject.title() + ", backend " + backend(outage));
                    burst(workspace, subject, outage, table);
                }
            }
        }
        out().println(table);
        complaints.forEach(complaint -> out().println("LOST: " + complaint));
        out().flush();
        return complaints.isEmpty() ? 0 : 1;
    }

    private String backend(boolean outage) {
        return outage ? "away for " + Table.time(duration(away)) : "works";
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

    private void burst(Workspace workspace, Subject subject, boolean outage, Table table)
            throws IOException, InterruptedException {
        Learns list = new Learns(SEED);
        LearnLoad.Plan plan = new LearnLoad.Plan(window, duration(timeout), retransmits);
        try (Peers peers = Peers.start(subject, setting, workspace);
                Away absence = new Away(peers.peer().contents(), duration(away))) {
            LearnResult result = LearnLoad.run(peers.peer().address(), plan, list, 0,
                    new LearnLoad.Extent.Count(learns, outage ? learns / 2 : -1, absence::begin));
            int acknowledged = result.acknowledged().cardinality();
            long ended = System.nanoTime();
            int stored;
            String storedAfter;
            switch (peers.peer()) {
                case WeirProcess weir -> {
                    stored = verify(weir, subject.title() + ", backend " + backend(outage),
                            new DurabilityCheck.Promise(list, 0, result.acknowledged(),
                                    result.unsure()),
                            absence);
                    storedAfter = "before the answer";
                }
                case RspamdProcess rspamd -> {
                    absence.await();
                    Duration waited = Duration.ofNanos(System.nanoTime() - ended);
                    Settling settled = setting.settle(rspamd, acknowledged);
                    stored = rspamd.contents().tally(list, result.acknowledged()).stored();
                    storedAfter = stored == acknowledged ? Table.time(waited.plus(settled.took())) : "never";
                }
            }
            table.row(subject.title(), backend(outage), Table.number(result.sent()), Table.number(acknowledged),
                    Table.number(result.refused().cardinality()), Table.number(result.unanswered().cardinality()),
                    Table.number(result.retransmits()), Table.time((long) (result.seconds() * 1e9)),
                    Table.time(result.silence()), Table.number(stored), Table.number(acknowledged - stored),
                    storedAfter);
        }
    }

    /**
     * Asks at once, waits for the backend, stops the storage, and gives how many of the acknowledged are in the file.
     */
    private int verify(WeirProcess weir, String what, DurabilityCheck.Promise promise, Away absence)
            throws IOException, InterruptedException {
        complaints.addAll(DurabilityCheck.of(what + ", at once", weir, promise).complaints());
        absence.await();
        setting.settle(weir, promise.least());
        int status = weir.terminate();
        if (status != 0) {
            complaints.add(what + ": status " + status + " after SIGTERM");
        }
        Contents.Tally tally = weir.contents().tally(promise.learns(), promise.acknowledged());
        if (tally.exact() != promise.acknowledged().cardinality()) {
            complaints.add(what + ": of " + promise.acknowledged().cardinality() + " acknowledged learns "
                    + tally.stored() + " are in fuzzy.db after SIGTERM, " + tally.exact() + " with their weight");
        }
        return tally.stored();
    }

    /** The time without a backend. It begins in the thread that sends, so that what is sent next finds none. */
    private static final class Away implements AutoCloseable {
        private final Contents contents;
        private final Duration duration;
        private final Thread end = Thread.ofPlatform().name("backend-away").daemon().unstarted(this::end);
        private Contents.@Nullable Outage outage;

        Away(Contents contents, Duration duration) {
            this.contents = contents;
            this.duration = duration;
        }

        synchronized void begin() {
            try {
                outage = contents.takeAway();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            end.start();
        }

        private void end() {
            try {
                Thread.sleep(duration);
                giveBack();
            } catch (InterruptedException e) {
                // The run is over before its time; close() gives it back.
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private synchronized void giveBack() throws IOException {
            Contents.Outage held = outage;
            outage = null;
            if (held != null) {
                held.close();
            }
        }

        void await() throws InterruptedException {
            end.join();
        }

        @Override
        public void close() throws IOException {
            end.interrupt();
            giveBack();
        }
    }
}
