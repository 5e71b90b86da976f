package dev.weir.bench.nodes;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import dev.weir.bench.peer.Subject;
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

/** The program {@code node-checks}: checks of one node, of three nodes, and of Rspamd, with one Redis. */
@Command(name = "node-checks", mixinStandardHelpOptions = true, description = {
    "Measures the highest rate of checks of one node of Weir, of three nodes at once, and of Rspamd's worker, all with "
            + "the same hashes in one Redis with Rspamd's keys, in turns.",
    "All servers share one processor and the load has the other, so the rates of three nodes do not add up here: "
            + "the processor time of an answer tells what each takes on a machine of its own."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:measured, and Weir answered everything rightly",
            "1:Weir gave wrong answers or none",
            "2:the command line is wrong",
            "3:something could not be measured"})
public final class NodeChecksCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final NodeOptions options = new NodeOptions();

    @Option(names = "--hashes", paramLabel = "N", defaultValue = "50000",
            description = "Hashes in Redis (default: ${DEFAULT-VALUE}).")
    private int hashes;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "5",
            description = "Rounds (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--seconds", paramLabel = "SECONDS", defaultValue = "3",
            description = "Duration of each measurement (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (hashes < 1 || rounds < 1) {
            throw new ParameterException(spec.commandLine(), "Hashes and rounds are at least 1.");
        }
        PrintWriter out = spec.commandLine().getOut();
        Map<NodeChecks.Asked, List<CheckPoint>> points;
        try (Workspace workspace = options.openWorkspace()) {
            List<String> command = options.weir();
            out.println(Environment.describe(workspace.folder(), command));
            String missing = Subject.RSPAMD_REDIS.missing();
            if (!missing.isEmpty()) {
                out.println("Rspamd is not measured, because it is not installed: " + missing);
            }
            Pinning pinning = Pinning.begin();
            out.println(pinning.possible()
                    ? "- all servers have one processor, the load the other\n"
                    : "- all programs share the processors\n");
            points = new NodeChecks(workspace, command, pinning, hashes, SpeedOptions.duration(seconds))
                    .run(rounds, missing.isEmpty());
        }
        List<CheckPoint> one = points.getOrDefault(NodeChecks.Asked.ONE, List.of());
        Table table = new Table("checks, " + Table.number(hashes) + " hashes", "answers/s", "of one node",
                "processor time of an answer", "in Redis", "both, of one node", "wrong", "missing");
        points.forEach((asked, all) -> table.row(asked.title,
                Table.rate(CheckPoint.median(all, CheckPoint::rate)), CheckPoint.ratio(all, one, CheckPoint::rate),
                CheckPoint.micros(CheckPoint.median(all, CheckPoint::processor)),
                CheckPoint.micros(CheckPoint.median(all, CheckPoint::redis)),
                CheckPoint.ratio(all, one, point -> point.processor() + point.redis()),
                Table.number(CheckPoint.sum(all, CheckPoint::wrong)),
                Table.number(CheckPoint.sum(all, CheckPoint::missing))));
        out.println(table);
        out.flush();
        List<CheckPoint> three = points.getOrDefault(NodeChecks.Asked.THREE, List.of());
        return CheckPoint.sum(one, CheckPoint::wrong) + CheckPoint.sum(three, CheckPoint::wrong) == 0 ? 0 : 1;
    }
}
