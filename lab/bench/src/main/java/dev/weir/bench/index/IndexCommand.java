package dev.weir.bench.index;

import java.util.List;
import java.util.concurrent.Callable;

import dev.weir.bench.report.Table;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code index}: measures the memory index alone. */
@Command(name = "index", mixinStandardHelpOptions = true, description = {
    "Measures the memory index alone: the memory per hash, the longest step while it grows and while everything "
            + "expires, and with --jmh what",
    "a miss, an exact hit, a near duplicate and an insertion cost."})
public final class IndexCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--hashes", paramLabel = "N", split = ",", defaultValue = "1000000,10000000",
            description = "Numbers of stored hashes (default: ${DEFAULT-VALUE}).")
    private List<Integer> hashes = List.of();

    @Option(names = "--jmh", description = "Run the microbenchmarks; takes minutes for each number of hashes.")
    private boolean jmh;

    @Override
    public Integer call() throws Exception {
        Table table = new Table("hashes", "signatures", "bytes a hash", "update p50", "p99.9", "longest",
                "lookup beside p50", "p99.9", "longest", "between lookups", "lookup beside expiry p99.9", "longest",
                "between lookups");
        for (int count : hashes) {
            for (boolean signatures : new boolean[]{false, true}) {
                Growth growth = Growth.measure(count, signatures);
                table.row(Table.number(count), signatures ? "yes" : "no", Table.number(growth.bytes() / count),
                        nanos(growth.updates().getValueAtPercentile(50)),
                        nanos(growth.updates().getValueAtPercentile(99.9)), nanos(growth.updates().getMaxValue()),
                        nanos(growth.growing().lookups().getValueAtPercentile(50)),
                        nanos(growth.growing().lookups().getValueAtPercentile(99.9)),
                        nanos(growth.growing().lookups().getMaxValue()),
                        nanos(growth.growing().between().getMaxValue()),
                        nanos(growth.expiring().lookups().getValueAtPercentile(99.9)),
                        nanos(growth.expiring().lookups().getMaxValue()),
                        nanos(growth.expiring().between().getMaxValue()));
            }
        }
        spec.commandLine().getOut().println(table);
        if (jmh) {
            new Runner(new OptionsBuilder().include("IndexBenchmark")
                    .param("hashes", hashes.stream().map(String::valueOf).toArray(String[]::new))
                    .build()).run();
        }
        return 0;
    }

    private static String nanos(long nanos) {
        return nanos < 10_000 ? Table.number(nanos) + " ns" : Table.time(nanos);
    }
}
