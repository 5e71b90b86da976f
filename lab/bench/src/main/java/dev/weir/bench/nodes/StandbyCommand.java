package dev.weir.bench.nodes;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

import dev.weir.bench.load.LearnResult;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.report.Environment;
import dev.weir.bench.report.Table;
import dev.weir.bench.speed.Pinning;
import dev.weir.bench.speed.SpeedOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program {@code standby}: a leader and its follower under kills, during the first copy, and under checks. */
@Command(name = "standby", mixinStandardHelpOptions = true, description = {
    "Measures a leader and its follower on this machine, in three parts.",
    "kill: learns that are acknowledged as replicated, while SIGKILL ends the follower and then the leader. All that "
            + "was acknowledged must be at the promoted follower, and at the old leader when it follows.",
    "copy: the first copy of a follower, while its leader learns.",
    "checks: the highest rate of checks of a storage alone and of a follower with the same hashes, in turns."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:measured, and nothing that was acknowledged is missing",
            "1:something that was acknowledged is missing, or answers were wrong",
            "2:the command line is wrong",
            "3:something could not be measured"})
public final class StandbyCommand implements Callable<Integer> {
    /** A part of the program. */
    enum Part {
        KILL, COPY, CHECKS
    }

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final NodeOptions options = new NodeOptions();

    @Option(names = "--parts", paramLabel = "PART", split = ",", defaultValue = "KILL,COPY,CHECKS",
            description = "What to measure, of ${COMPLETION-CANDIDATES} (default: all).")
    private List<Part> parts = List.of();

    @Option(names = "--rate", paramLabel = "N", defaultValue = "20000",
            description = "kill: learns a second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--seconds", paramLabel = "SECONDS", defaultValue = "10",
            description = "kill: time before each kill (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(names = "--hashes", paramLabel = "N", defaultValue = "10000000",
            description = "copy: hashes that the leader has at first (default: ${DEFAULT-VALUE}).")
    private long hashes;

    @Option(names = "--checked", paramLabel = "N", defaultValue = "1000000",
            description = "checks: hashes of each storage (default: ${DEFAULT-VALUE}).")
    private long checked;

    @Option(names = "--learns", paramLabel = "N", defaultValue = "1000",
            description = "copy, checks: learns a second at the leader (default: ${DEFAULT-VALUE}).")
    private int learns;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "5",
            description = "checks: rounds (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--measured", paramLabel = "SECONDS", defaultValue = "3",
            description = "checks: time of each measurement (default: ${DEFAULT-VALUE}).")
    private double measured;

    private final List<String> complaints = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rate < 1 || learns < 1 || hashes < 1 || checked < 1 || rounds < 1) {
            throw new ParameterException(spec.commandLine(), "Rates, hashes and rounds are at least 1.");
        }
        List<String> command = options.weir();
        Set<Part> ordered = EnumSet.copyOf(parts);
        Part first = ordered.iterator().next();
        for (Part part : ordered) {
            try (Workspace workspace = options.openWorkspace()) {
                if (part == first) {
                    out().println(Environment.describe(workspace.folder(), command));
                }
                switch (part) {
                    case KILL -> kill(workspace, command);
                    case COPY -> copy(workspace, command);
                    case CHECKS -> checks(workspace, command);
                }
            }
        }
        complaints.forEach(complaint -> out().println("WRONG: " + complaint));
        out().flush();
        return complaints.isEmpty() ? 0 : 1;
    }

    private void kill(Workspace workspace, List<String> command) throws IOException, InterruptedException {
        KillMeasurement.Result result = new KillMeasurement(workspace, command, rate, SpeedOptions.duration(seconds))
                .run();
        Table table = new Table("learns, " + Table.number(rate) + " due a second", "due", "acknowledged", "a second",
                "refused", "unanswered", "p50", "p99");
        row(table, "nothing is killed", result.quiet(), result.quiet().seconds());
        row(table, "the standby is killed and starts again", result.standby(), result.standby().seconds());
        // Half of the load is due after the kill.
        row(table, "until the leader is killed", result.leader(), result.leader().seconds() / 2);
        out().println(table);
        out().printf(Locale.ROOT,
                "While nothing was killed, a learn took %s of a processor at the leader and %s at the "
                        + "standby.%n",
                CheckPoint.micros(result.leaderTime()), CheckPoint.micros(result.standbyTime()));
        out().printf(Locale.ROOT, "The standby followed again %s after its kill, and led %s after the kill of the "
                + "leader.%n%,d learns were acknowledged; missing or wrong: %s.%n%n", Table.time(result.away()),
                Table.time(result.promoted()), result.acknowledged(),
                result.complaints().isEmpty() ? "none" : String.join(", ", result.complaints()));
        complaints.addAll(result.complaints());
    }

    private static void row(Table table, String name, LearnResult result, double seconds) {
        table.row(name, Table.number(result.sent()), Table.number(result.acknowledged().cardinality()),
                Table.rate(result.measured() / seconds), Table.number(result.refused().cardinality()),
                Table.number(result.unanswered().cardinality()), Table.time(result.latency(), 50),
                Table.time(result.latency(), 99));
    }

    private void copy(Workspace workspace, List<String> command) throws IOException, InterruptedException {
        CopyMeasurement.Result result = new CopyMeasurement(workspace, command, hashes, learns,
                spec.commandLine().getErr()).run();
        out().println(new Table("copy of " + Table.number(result.copied()) + " hashes", "")
                .row("the copy takes", Table.time(result.copy()))
                .row("sent", Table.number(result.mebibytes()) + " MiB")
                .row("bandwidth", result.copy().isZero()
                        ? "–"
                        : String.format(Locale.ROOT, "%,.0f MiB/s",
                                result.mebibytes() * 1e3 / result.copy().toMillis()))
                .row("for each hash", String.format(Locale.ROOT, "%.0f B",
                        result.mebibytes() * (double) (1 << 20) / result.copied()))
                .row("from the start of the follower until it answers and has all updates",
                        Table.time(result.whole()))
                .row("processor time of the leader", Table.time(SpeedOptions.duration(result.leaderTime())))
                .row("processor time of the follower", Table.time(SpeedOptions.duration(result.followerTime()))));
        Table table = new Table("learns, " + Table.number(learns) + " due a second", "due", "acknowledged", "a second",
                "refused", "unanswered", "p50", "p99");
        row(table, "before", result.before(), result.before().seconds());
        row(table, "during the copy", result.meanwhile(), result.meanwhile().seconds());
        out().println(table);
        if (result.wrong() > 0) {
            complaints.add("the follower lacks " + result.wrong() + " hashes of a sample, or has other values");
        }
    }

    private void checks(Workspace workspace, List<String> command) throws IOException, InterruptedException {
        Pinning pinning = Pinning.begin();
        out().println(pinning.possible()
                ? "- both storages have one processor, the load the other; the leader runs on both\n"
                : "- all programs share the processors\n");
        Duration time = SpeedOptions.duration(measured);
        Map<FollowerChecks.State, List<CheckPoint>> points = new FollowerChecks(workspace, command, pinning,
                checked, learns, time, spec.commandLine().getErr()).run(rounds);
        Table table = new Table("checks, " + Table.number(checked) + " hashes", "answers/s", "of alone",
                "processor time of an answer", "of alone", "wrong", "missing");
        List<CheckPoint> alone = points.getOrDefault(FollowerChecks.State.ALONE, List.of());
        points.forEach((state, all) -> {
            long wrong = CheckPoint.sum(all, CheckPoint::wrong);
            table.row(state.title, Table.rate(CheckPoint.median(all, CheckPoint::rate)),
                    CheckPoint.ratio(all, alone, CheckPoint::rate),
                    CheckPoint.micros(CheckPoint.median(all, CheckPoint::processor)),
                    CheckPoint.ratio(all, alone, CheckPoint::processor), Table.number(wrong),
                    Table.number(CheckPoint.sum(all, CheckPoint::missing)));
            if (wrong > 0) {
                complaints.add(state.title + ": " + wrong + " answers are wrong");
            }
        });
        out().println(table);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
