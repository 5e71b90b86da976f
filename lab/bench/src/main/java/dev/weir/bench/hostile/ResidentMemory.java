package dev.weir.bench.hostile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Resident memory of a process (proc(5), {@code VmRSS}). */
public final class ResidentMemory {
    private static final int KIB = 1_024;

    private ResidentMemory() {}

    /** Returns the current resident memory of a process in bytes. */
    public static long of(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * KIB;
            }
        }
        throw new IOException("the process " + pid + " has no VmRSS in /proc");
    }
}
