package dev.weir.bench.speed;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import dev.weir.bench.peer.Launcher;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.report.Environment;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options common to the speed programs. */
public final class SpeedOptions {
    @Option(names = "--dir", paramLabel = "DIR", defaultValue = "${sys:weir.bench.dir:-${sys:java.io.tmpdir}}",
            description = "Folder for prepared storages and results (default: ${DEFAULT-VALUE}).")
    private Path dir = Path.of(".");

    @Mixin
    private final Launcher launcher = new Launcher();

    @Option(names = "--warm-up", paramLabel = "SECONDS", defaultValue = "1",
            description = "Warm-up before each measurement (default: ${DEFAULT-VALUE}).")
    private double warmUp;

    @Option(names = "--seconds", paramLabel = "SECONDS", defaultValue = "2",
            description = "Duration of each measurement (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(names = "--outstanding", paramLabel = "N", defaultValue = "256",
            description = "Maximum number of outstanding queries (default: ${DEFAULT-VALUE}).")
    private int outstanding;

    public Duration warmUp() {
        return duration(warmUp);
    }

    public Duration measured() {
        return duration(seconds);
    }

    int outstanding() {
        return outstanding;
    }

    /** Returns the folder of results. */
    public Path results() {
        return dir.resolve("results");
    }

    public static Duration duration(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    /** Created once, because this process sees a single processor afterwards. */
    private @Nullable Pinning pinning;

    /** The environment of a measurement. */
    record Lab(Workspace workspace, Pinning pinning, Dataset data, Stand stand) implements AutoCloseable {
        @Override
        public void close() {
            workspace.close();
        }
    }

    /** Opens an environment and pins this process to the processor of the load. */
    Lab open(PrintWriter out, PrintWriter err) throws IOException, InterruptedException {
        return open(out, err, true);
    }

    /** Opens an environment without pinning. */
    Lab openUnpinned(PrintWriter out, PrintWriter err) throws IOException, InterruptedException {
        return open(out, err, false);
    }

    private Lab open(PrintWriter out, PrintWriter err, boolean pinned) throws IOException, InterruptedException {
        Files.createDirectories(dir);
        Workspace workspace = Workspace.open(dir);
        List<String> weir = launcher.command();
        out.println(Environment.describe(workspace.folder(), weir));
        if (pinning == null) {
            pinning = pinned ? Pinning.begin() : Pinning.none();
        }
        out.println(pinning.possible()
                ? "- the server has one processor, the load the other\n"
                : "- the server and the load share the processors\n");
        return new Lab(workspace, pinning, new Dataset(dir.toAbsolutePath(), weir, pinning, err),
                new Stand(workspace, weir, pinning));
    }
}
