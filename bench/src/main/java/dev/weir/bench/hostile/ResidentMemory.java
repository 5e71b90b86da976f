package dev.weir.bench.hostile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a process takes of the machine's memory (proc(5), {@code VmRSS}). */
public final class ResidentMemory {
    private static final int KIB = 1_024;

    private ResidentMemory() {}

    /** Bytes of a process at this moment. */
    public static long of(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * KIB;
            }
        }
        throw new IOException("the process " + pid + " says nothing of its memory");
    }
}
