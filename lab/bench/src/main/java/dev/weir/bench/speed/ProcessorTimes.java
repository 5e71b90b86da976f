package dev.weir.bench.speed;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

import dev.weir.bench.peer.ProcessorTime;

/**
 * The processor time of the threads of a server up to a moment. Other programs on the machine slow a server down, but
 * hardly change what its threads need, so this is steadier than a rate.
 *
 * @param process seconds of a processor that the process has used
 * @param nanos of all threads that live, by number
 * @param names of these threads, which Linux shortens to 15 characters
 */
record ProcessorTimes(long nanoTime, double process, Map<String, Long> nanos, Map<String, String> names) {

    /** What a thread works for. */
    enum Kind {
        /** Answers to checks. */
        ANSWERS("weir-receiver.*"),
        /** HTTP and events; virtual threads run on the threads of a pool. */
        PAGES("(weir-http|weir-events|ForkJoinPool|VirtualThread|\\w+-Poller).*"),
        /** Collection of garbage, compilers, and the other threads of the storage, those that ended included. */
        REST(".*");

        private final Pattern names;

        Kind(String names) {
            this.names = Pattern.compile(names);
        }

        static Kind of(String name) {
            for (Kind kind : values()) {
                if (kind.names.matcher(name).matches()) {
                    return kind;
                }
            }
            return REST;
        }
    }

    /** Reads the times of a process. */
    static ProcessorTimes of(long pid) throws IOException {
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
        return new ProcessorTimes(System.nanoTime(), ProcessorTime.of(pid), nanos, names);
    }

    /** Returns what the threads needed since an earlier moment, as shares of one processor. */
    Map<Kind, Double> since(ProcessorTimes before) {
        Map<Kind, Double> shares = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            shares.put(kind, 0.0);
        }
        double span = nanoTime - before.nanoTime;
        nanos.forEach((number, time) -> shares.merge(Kind.of(names.getOrDefault(number, "")),
                (time - before.nanos.getOrDefault(number, 0L)) / span, Double::sum));
        double all = (process - before.process) * 1e9 / span;
        shares.put(Kind.REST, Math.max(0, all - shares.getOrDefault(Kind.ANSWERS, 0.0)
                - shares.getOrDefault(Kind.PAGES, 0.0)));
        return shares;
    }
}
