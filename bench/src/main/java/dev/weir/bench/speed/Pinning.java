package dev.weir.bench.speed;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Who runs on which processor: the server on the first, the load on the second. Where there is only one, or no
 * {@code taskset}, threads run on any processor, and the figures say so.
 */
public final class Pinning {
    private final boolean possible;
    private final int processors;

    private Pinning(boolean possible, int processors) {
        this.possible = possible;
        this.processors = processors;
    }

    /** Puts this process on the second processor. */
    public static Pinning begin() throws IOException, InterruptedException {
        // Asked first: once it is pinned the JVM sees one.
        int processors = Runtime.getRuntime().availableProcessors();
        return new Pinning(processors > 1 && taskset("1"), processors);
    }

    /** No thread is pinned. */
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

    /** These words as a server's command, on the first processor. */
    public List<String> server(List<String> words) {
        return on("0", words);
    }

    /** These words on all processors, for what only prepares. */
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
