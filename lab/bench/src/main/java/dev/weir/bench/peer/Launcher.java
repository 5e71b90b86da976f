package dev.weir.bench.peer;

import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the {@code weir} to measure. */
public final class Launcher {
    @Option(names = "--weir", paramLabel = "FILE",
            description = "The launcher of weir (default: ./weir of the checkout).")
    private @Nullable Path file;

    /** Returns the command line that runs {@code weir}: the launcher, or else the classes of this program. */
    public List<String> command() {
        if (file != null) {
            return List.of(file.toString());
        }
        String property = System.getProperty("weir.bench.launcher");
        return property != null
                ? List.of(property)
                : List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                        "dev.weir.cli.Main");
    }
}
