package dev.weir.bench.speed;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Processor affinity: the server runs on the first processor, the load on the second. With a single processor or
 * without
 * {@code taskset}, threads run anywhere and the report states that.
 */
public final class Pinning {
    private final boolean possible;
    private final int processors;

    private Pinning(boolean possible, int processors) {
        this.possible = possible;
        this.processors = processors;
    }

    /** Pins this process to the second processor. */
    public static Pinning begin() throws IOException, InterruptedException {
        // Read before pinning, because a pinned JVM sees one processor.
        int processors = Runtime.getRuntime().availableProcessors();
        return new Pinning(processors > 1 && taskset("1"), processors);
    }

    /** Pins no thread. */
    public static Pinning none() {
        return new Pinning(false, 1);
    }

    private static boolean taskset(String processors) throws IOException, InterruptedException {
        try {
            Process process = new ProcessBuilder("taskset", "-a", "-p", "-c", processors,
                    Long.toString(ProcessHandle.current().pid()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0;
        } catch (IOException notInstalled) {
            return false;
        }
    }

    /** Returns whether processes are pinned. */
    public boolean possible() {
        return possible;
    }

    /** Returns the command line of a server, pinned to the first processor. */
    public List<String> server(List<String> words) {
        return on("0", words);
    }

    /** Returns a command line that runs on all processors, for preparations. */
    public List<String> everywhere(List<String> words) {
        return on("0-" + (processors - 1), words);
    }

    private List<String> on(String processors, List<String> words) {
        if (!possible) {
            return words;
        }
        List<String> pinned = new ArrayList<>(List.of("taskset", "-c", processors));
        pinned.addAll(words);
        return pinned;
    }
}
