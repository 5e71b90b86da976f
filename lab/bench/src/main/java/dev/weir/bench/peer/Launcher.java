package dev.weir.bench.peer;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the {@code weir} to measure. */
public final class Launcher {
    @Option(names = "--weir", paramLabel = "FILE",
            description = "The launcher of weir (default: ./weir of the checkout).")
    private @Nullable Path file;

    /** Returns the command line that runs {@code weir}. */
    public List<String> command() {
        return List.of(file != null
                ? file.toString()
                : Objects.requireNonNull(System.getProperty("weir.bench.launcher"), "lab/bench/run sets it"));
    }
}
