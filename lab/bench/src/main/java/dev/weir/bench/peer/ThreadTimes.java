package dev.weir.bench.peer;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The processor time of the threads of a process that live at a moment.
 *
 * @param nanos by number of the thread
 * @param names of these threads, which Linux shortens to 15 characters
 */
public record ThreadTimes(Map<String, Long> nanos, Map<String, String> names) {
    /** Reads the times of a process. */
    public static ThreadTimes of(long pid) throws IOException {
        Map<String, Long> nanos = new HashMap<>();
        Map<String, String> names = new HashMap<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                String number = thread.getFileName().toString();
                try {
                    // The first number is the time on a processor (proc(5)).
                    nanos.put(number, Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ", 2)[0]));
                    names.put(number, Files.readString(thread.resolve("comm")).strip());
                } catch (IOException ended) {
                    nanos.remove(number);
                }
            }
        }
        return new ThreadTimes(nanos, names);
    }

    /** Returns the nanoseconds that the threads of such names needed since an earlier moment. */
    public long since(ThreadTimes before, Predicate<String> name) {
        return nanos.entrySet().stream().filter(thread -> name.test(names.getOrDefault(thread.getKey(), "")))
                .mapToLong(thread -> thread.getValue() - before.nanos.getOrDefault(thread.getKey(), 0L)).sum();
    }
}
