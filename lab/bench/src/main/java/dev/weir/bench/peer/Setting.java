package dev.weir.bench.peer;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options common to the durability programs. */
public final class Setting {
    private static final Duration SETTLING_LIMIT = Duration.ofMinutes(15);

    @Option(names = "--dir", paramLabel = "DIR", defaultValue = "${sys:weir.bench.dir:-${sys:java.io.tmpdir}}",
            description = "Parent of the data folders, on the disk to measure "
                    + "(default: ${DEFAULT-VALUE}).")
    private Path dir = Path.of(".");

    @Mixin
    private final Launcher launcher = new Launcher();

    @Option(names = "--only", paramLabel = "WHAT", split = ",",
            description = "The storages to measure, of ${COMPLETION-CANDIDATES} (default: all).")
    private List<Subject> only = List.of(Subject.values());

    @Option(names = "--sync", paramLabel = "SECONDS", defaultValue = "2",
            description = "Rspamd's option sync, the time between flushes to its backend; its own "
                    + "default is 60, a short one gives it a fair chance to be done in time (default: "
                    + "${DEFAULT-VALUE}).")
    private double sync;

    public Path dir() {
        return dir;
    }

    /** Returns the command line that runs {@code weir}. */
    public List<String> weir() {
        return launcher.command();
    }

    /** Returns the interval of Rspamd in seconds. */
    public double sync() {
        return sync;
    }

    /**
     * Waits until a backend has this many hashes. Rspamd retries a failed batch three times, each after at most one and
     * a
     * half times {@code sync} (docs/reference/storage.md#update-queue).
     */
    public Settling settle(PeerProcess peer, long expected) throws IOException, InterruptedException {
        return Settling.await(peer, expected, Duration.ofMillis((long) (6_000 * sync) + 10_000), SETTLING_LIMIT);
    }

    /** Returns the storages that can be measured here, and prints those that cannot. */
    public List<Subject> subjects(PrintWriter out) {
        return only.stream().distinct().flatMap(subject -> {
            if (subject.missing().isEmpty()) {
                return Stream.of(subject);
            }
            out.println(subject.title() + " is not measured, because it is not installed: " + subject.missing());
            return Stream.of();
        }).toList();
    }
}
