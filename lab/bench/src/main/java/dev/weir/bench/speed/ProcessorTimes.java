package dev.weir.bench.speed;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.regex.Pattern;

import dev.weir.bench.peer.ProcessorTime;
import dev.weir.bench.peer.ThreadTimes;

/**
 * The processor time of the threads of a server up to a moment. Other programs on the machine slow a server down, but
 * hardly change what its threads need, so this is steadier than a rate.
 *
 * @param process seconds of a processor that the process has used
 * @param threads the times of the threads that live
 */
record ProcessorTimes(long nanoTime, double process, ThreadTimes threads) {

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
        return new ProcessorTimes(System.nanoTime(), ProcessorTime.of(pid), ThreadTimes.of(pid));
    }

    /** Returns what the threads needed since an earlier moment, as shares of one processor. */
    Map<Kind, Double> since(ProcessorTimes before) {
        Map<Kind, Double> shares = new EnumMap<>(Kind.class);
        double span = nanoTime - before.nanoTime;
        for (Kind kind : Kind.values()) {
            shares.put(kind, threads.since(before.threads, name -> Kind.of(name) == kind) / span);
        }
        double all = (process - before.process) * 1e9 / span;
        shares.put(Kind.REST, Math.max(0, all - shares.getOrDefault(Kind.ANSWERS, 0.0)
                - shares.getOrDefault(Kind.PAGES, 0.0)));
        return shares;
    }
}
