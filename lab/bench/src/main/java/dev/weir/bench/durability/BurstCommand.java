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
import dev.weir.load.population.Population;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code burst}: counts how many hashes of a burst are stored, also while the backend is unavailable. */
@Command(name = "burst", mixinStandardHelpOptions = true, description = {
    "Sends a burst of learn requests, first with a working backend, then with one that is unavailable from the middle "
            + "on:",
    "another connection locks fuzzy.db, or SIGSTOP suspends redis-server."},
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
            description = "Learn requests in a burst (default: ${DEFAULT-VALUE}).")
    private int learns;

    @Option(names = "--window", paramLabel = "N", defaultValue = "512",
            description = "Maximum number of outstanding learn requests, at most 1024 (default: ${DEFAULT-VALUE}).")
    private int window;

    @Option(names = "--away", paramLabel = "SECONDS", defaultValue = "30",
            description = "Duration of the outage (default: ${DEFAULT-VALUE}).")
    private double away;

    @Option(names = "--timeout", paramLabel = "SECONDS", defaultValue = "1",
            description = "Time after which an unanswered request is sent again (default: ${DEFAULT-VALUE}).")
    private double timeout;

    @Option(names = "--retransmits", paramLabel = "N", defaultValue = "3",
            description = "Repetitions of an unanswered request, as many as Rspamd's scanners send (default: "
                    + "${DEFAULT-VALUE}).")
    private int retransmits;

    @Option(names = "--quick", description = "Send 5000 requests and make the backend unavailable for five seconds.")
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
        Population population = new Population(SEED, learns);
        LearnLoad.Plan plan = new LearnLoad.Plan(window, duration(timeout), retransmits);
        try (Peers peers = Peers.start(subject, setting, workspace);
                Away absence = new Away(peers.peer().contents(), duration(away))) {
            LearnResult result = LearnLoad.run(peers.peer().address(), plan, population, 0,
                    new LearnLoad.Extent.Count(learns, outage ? learns / 2 : -1, absence::begin));
            int acknowledged = result.acknowledged().cardinality();
            long ended = System.nanoTime();
            int stored;
            String storedAfter;
            switch (peers.peer()) {
                case WeirProcess weir -> {
                    stored = verify(weir, subject.title() + ", backend " + backend(outage),
                            new DurabilityCheck.Promise(population, 0, result.acknowledged(),
                                    result.unsure()),
                            absence);
                    storedAfter = "before the answer";
                }
                case RspamdProcess rspamd -> {
                    absence.await();
                    Duration waited = Duration.ofNanos(System.nanoTime() - ended);
                    Settling settled = setting.settle(rspamd, acknowledged);
                    stored = rspamd.contents().tally(population, result.acknowledged()).stored();
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
     * Checks the storage at once, waits for the backend, stops the storage, and returns how many acknowledged hashes
     * are
     * in the database.
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
        Contents.Tally tally = weir.contents().tally(promise.population(), promise.acknowledged());
        if (tally.exact() != promise.acknowledged().cardinality()) {
            complaints.add(what + ": of " + promise.acknowledged().cardinality() + " acknowledged learns "
                    + tally.stored() + " are in fuzzy.db after SIGTERM, " + tally.exact()
                    + " with their flag and value");
        }
        return tally.stored();
    }

    /** An outage of the backend. It begins in the sending thread, so the next request already meets it. */
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
                // The run ended early; close() restores the backend.
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
