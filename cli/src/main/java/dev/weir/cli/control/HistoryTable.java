package dev.weir.cli.control;

import java.io.PrintStream;
import java.time.Instant;
import java.util.Locale;

import tools.jackson.databind.JsonNode;

/** The history of figures as a table with few lines, each for several steps. */
final class HistoryTable {
    private static final int LINES = 30;

    private final JsonNode reply;

    HistoryTable(JsonNode reply) {
        this.reply = reply;
    }

    void print(PrintStream out) {
        int steps = reply.path("times").size();
        int together = Math.max(1, (steps + LINES - 1) / LINES);
        out.printf(Locale.ROOT, "%-20s %10s %10s %10s %12s %12s%n", "from", "checks/s", "hits/s", "learns/s", "p99 us",
                "hashes");
        for (int from = 0; from < steps; from += together) {
            int to = Math.min(steps, from + together);
            double seconds = (double) (to - from) * reply.path("step").asLong(1);
            out.printf(Locale.ROOT, "%-20s %10.1f %10.1f %10.1f %12.0f %12d%n",
                    Instant.ofEpochMilli(reply.path("times").path(from).asLong(0)),
                    sum("checks", from, to) / seconds, sum("hits", from, to) / seconds,
                    sum("learns", from, to) / seconds, most("p99", from, to) / 1e3, figure("hashes", to - 1));
        }
        if (steps == 0) {
            out.println("no figure yet: the first one comes after " + reply.path("step").asLong(1) + " seconds");
        }
    }

    private long figure(String name, int step) {
        return reply.path("figures").path(name).path(step).asLong(0);
    }

    private long sum(String name, int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            sum += figure(name, i);
        }
        return sum;
    }

    private long most(String name, int from, int to) {
        long most = 0;
        for (int i = from; i < to; i++) {
            most = Math.max(most, figure(name, i));
        }
        return most;
    }
}
