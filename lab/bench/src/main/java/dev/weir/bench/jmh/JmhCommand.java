package dev.weir.bench.jmh;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

import dev.weir.bench.speed.SpeedOptions;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The program {@code jmh}: runs the microbenchmarks. */
@Command(name = "jmh", mixinStandardHelpOptions = true,
        description = "Microbenchmarks: the crypto box, commands and replies, the primitives of hashing.")
public final class JmhCommand implements Callable<Integer> {
    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Option(names = "--forks", paramLabel = "N", defaultValue = "1",
            description = "Fresh JVMs for each benchmark (default: ${DEFAULT-VALUE}).")
    private int forks;

    @Parameters(arity = "0..*", paramLabel = "PATTERN",
            description = "Only benchmarks whose name contains a match (default: all).")
    private List<String> patterns = List.of();

    @Override
    public Integer call() throws Exception {
        Path results = Files.createDirectories(options.results());
        ChainedOptionsBuilder chosen = new OptionsBuilder().forks(forks)
                .warmupIterations(3)
                .warmupTime(TimeValue.nanoseconds(options.warmUp().toNanos()))
                .measurementIterations(5)
                .measurementTime(TimeValue.nanoseconds(options.measured().toNanos()))
                .resultFormat(ResultFormatType.JSON)
                .result(results.resolve("jmh.txt").toString());
        patterns.forEach(chosen::include);
        new Runner(chosen.build()).run();
        return 0;
    }
}
