package dev.weir.bench.nodes;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.bench.peer.Workspace;
import dev.weir.bench.report.Environment;
import dev.weir.bench.report.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program {@code nodes}: measures two nodes with Redis, plays many with these costs, and names the first limit. */
@Command(name = "nodes", mixinStandardHelpOptions = true, description = {
    "Measures what two nodes cost that share a real Redis, then plays many nodes with these costs: how much of each "
            + "part is used, what happens when one dies, and which part is full first."})
public final class NodesCommand implements Callable<Integer> {
    private static final double GIGABYTE = 1e9;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final NodeOptions options = new NodeOptions();

    @Option(names = "--sample", paramLabel = "N", defaultValue = "50000",
            description = "Updates of each part of the measurement (default: ${DEFAULT-VALUE}).")
    private int sample;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "100",
            description = "Number of nodes to play (default: ${DEFAULT-VALUE}).")
    private int nodes;

    @Option(names = "--groups", paramLabel = "N", defaultValue = "10",
            description = "Number of groups that share a Redis each (default: ${DEFAULT-VALUE}).")
    private int groups;

    @Option(names = "--hashes", paramLabel = "N", defaultValue = "1000000000",
            description = "Number of hashes of all groups (default: ${DEFAULT-VALUE}).")
    private long hashes;

    @Option(names = "--checks", paramLabel = "N", defaultValue = "5000000",
            description = "Checks a second of all groups (default: ${DEFAULT-VALUE}).")
    private double checks;

    @Option(names = "--updates", paramLabel = "N", defaultValue = "5000",
            description = "Updates a second of all groups (default: ${DEFAULT-VALUE}).")
    private double updates;

    @Option(names = "--cores", paramLabel = "N", defaultValue = "4",
            description = "Processors of a node (default: ${DEFAULT-VALUE}).")
    private double cores;

    @Option(names = "--memory", paramLabel = "GB", defaultValue = "64",
            description = "Memory of a node, and of a Redis, in gigabytes (default: ${DEFAULT-VALUE}).")
    private double memory;

    @Option(names = "--link", paramLabel = "MB", defaultValue = "125",
            description = "Megabytes a second that a Redis can send (default: ${DEFAULT-VALUE}).")
    private double link;

    @Option(names = "--check-rate", paramLabel = "N", defaultValue = "300000",
            description = "Checks a second of one processor, as lab/bench/run wire measures "
                    + "(default: ${DEFAULT-VALUE}).")
    private double checkRate;

    @Option(names = "--hash-bytes", paramLabel = "N", defaultValue = "300",
            description = "Memory of a hash on a node, as lab/bench/run memory measures (default: ${DEFAULT-VALUE}).")
    private double hashBytes;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (groups < 1 || nodes < 2 * groups || sample < 1) {
            throw new ParameterException(spec.commandLine(), "Give at least two nodes for each group, and a sample.");
        }
        PrintWriter out = spec.commandLine().getOut();
        NodeCosts costs;
        try (Workspace workspace = options.openWorkspace()) {
            List<String> command = options.weir();
            out.println(Environment.describe(workspace.folder(), command));
            costs = new NodeCostsMeasurement(workspace, command, sample).run(1 / checkRate, hashBytes);
        }
        Fleet fleet = new Fleet(groups, nodes / groups, cores, hashes, checks, updates, memory * GIGABYTE,
                memory * GIGABYTE, link * 1e6);
        print(out, costs, fleet);
        out.flush();
        return 0;
    }

    private void print(PrintWriter out, NodeCosts costs, Fleet fleet) {
        out.println(new Table("measured", "cost")
                .row("an update of a client, on its node", micros(costs.ownUpdate()))
                .row("a change of another node", micros(costs.receivedChange()))
                .row("an update in Redis, with two nodes", micros(costs.redisUpdate()))
                .row("a hash that a new node reads", micros(costs.scanned()))
                .row("the same in Redis", micros(costs.redisScanned()))
                .row("memory of a hash in Redis", fixed(costs.redisBytes(), 0) + " B")
                .row("traffic of a change to a node", fixed(costs.changeBytes(), 0) + " B"));
        out.printf(Locale.ROOT, "%d groups of %d nodes, %,d hashes, %,.0f checks and %,.0f updates a second%n%n",
                groups,
                nodes / groups, hashes, checks, updates);
        Table uses = new Table("part", "used", "full at");
        for (Fleet.Use use : fleet.uses(costs)) {
            uses.row(use.part(), fixed(100 * use.share(), 1) + " %", fixed(1 / use.share(), 1) + " times");
        }
        out.println(uses);
        Table courses = new Table("for a minute", "most updates that a node holds back", "a change is everywhere after",
                "all is as before after");
        for (Fleet.Event event : Fleet.Event.values()) {
            Fleet.Course course = fleet.play(costs, event);
            courses.row(event.title(), Table.rate(course.unsent()), fixed(course.late(), 1) + " s",
                    Double.isInfinite(course.recovered()) ? "never" : fixed(course.recovered(), 1) + " s");
        }
        out.println(courses);
        Fleet.Use first = fleet.uses(costs).getFirst();
        out.println("Full first: " + first.part() + ", at " + fixed(1 / first.share(), 1) + " times this load.");
    }

    private static String micros(double seconds) {
        return fixed(1e6 * seconds, 1) + " µs";
    }

    private static String fixed(double value, int digits) {
        return String.format(Locale.ROOT, "%,." + digits + "f", value);
    }
}
