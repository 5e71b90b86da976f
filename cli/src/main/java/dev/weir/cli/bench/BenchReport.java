package dev.weir.cli.bench;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.load.Load;
import dev.weir.load.socket.Target;
import dev.weir.load.stream.LoadTiming;
import dev.weir.load.stream.Pace;
import dev.weir.load.stream.StreamResult;
import dev.weir.net.HostPort;
import org.HdrHistogram.Histogram;
import tools.jackson.core.JsonGenerator;

/**
 * The final report of {@code weir bench}.
 *
 * @param idle the share of the time that the generator was idle
 */
record BenchReport(HostPort storage, Target target, List<Load.Part> parts, LoadTiming timing,
        List<StreamResult> results, double idle) {
    static final int DEFAULT_OUTSTANDING = 128;

    /** Minimum idle share; below it, the generator limits the rate. */
    private static final double BUSY = 0.02;

    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 100};

    /** Returns the exit status. Wrong answers outweigh every other problem. */
    int status() {
        if (sum(StreamResult::wrong) > 0) {
            return ExitCode.NO_MATCH;
        }
        // Without a storage, the missing count can be 0, because the run ends while the first queries still wait.
        if (sum(StreamResult::missing) > 0 || results.getFirst().answered() == 0) {
            return ExitCode.NO_ANSWER;
        }
        return sum(StreamResult::refused) > 0 ? ExitCode.REFUSED : ExitCode.OK;
    }

    private long sum(ToLongFunction<StreamResult> count) {
        return results.stream().mapToLong(count).sum();
    }

    void print(PrintStream out) {
        out.printf(Locale.ROOT, "%s over %s%s, %s, measured for %s s%n", storage,
                target.transport().name().toLowerCase(Locale.ROOT),
                target.encryption().isPresent() ? ", encrypted" : "",
                pace(), seconds());
        for (int i = 0; i < results.size(); i++) {
            StreamResult result = results.get(i);
            switch (parts.get(i)) {
                case Load.Part.NewKeys keys ->
                    out.printf(Locale.ROOT, "%n%-24s %,15d a second%n", keys.name(),
                            Math.round(result.sent() / (timing.measured().toNanos() / 1e9)));
                case Load.Part.Asking asking -> print(out, asking, result);
            }
        }
        if (closed() && idle < BUSY) {
            out.printf("%nThe generator was busy all the time: the storage may be faster than this.%n");
        }
    }

    private boolean closed() {
        return parts.getFirst() instanceof Load.Part.Asking asking && asking.pace() instanceof Pace.Closed;
    }

    private String pace() {
        return parts.getFirst() instanceof Load.Part.Asking asking
                ? switch (asking.pace()) {
                    case Pace.Closed closed -> closed.outstanding() + " outstanding";
                    case Pace.Open open -> String.format(Locale.ROOT, "%,.0f a second", open.perSecond());
                }
                : "";
    }

    private String seconds() {
        return String.format(Locale.ROOT, "%.1f", timing.measured().toNanos() / 1e9);
    }

    private static void print(PrintStream out, Load.Part.Asking asking, StreamResult result) {
        out.printf(Locale.ROOT, "%n%-24s %,15d answers a second%n", asking.name() + " (" + asking.mix() + ")",
                Math.round(result.rate()));
        StringBuilder latency = new StringBuilder("  latency");
        for (double percentile : PERCENTILES) {
            latency.append("   ").append(name(percentile)).append(' ').append(time(result.latency(), percentile));
        }
        out.println(latency);
        out.printf(Locale.ROOT, "  sent %,d   answered %,d   wrong %,d   refused %,d   missing %,d   twice %,d%n",
                result.sent(), result.answered(), result.wrong(), result.refused(), result.missing(),
                result.duplicates());
        if (result.kinds().size() > 1 || result.wrong() > 0) {
            for (StreamResult.Kind kind : result.kinds()) {
                out.printf(Locale.ROOT, "    %-8s sent %,12d   answered %,12d   wrong %,10d   refused %,10d%n",
                        kind.kind(),
                        kind.sent(), kind.answered(), kind.wrong(), kind.refused());
            }
        }
    }

    private static String name(double percentile) {
        return percentile == 100 ? "max" : "p" + (percentile % 1 == 0 ? "" + (int) percentile : "" + percentile);
    }

    private static String time(Histogram latency, double percentile) {
        if (latency.getTotalCount() == 0) {
            return "-";
        }
        double micros = latency.getValueAtPercentile(percentile) / 1e3;
        return micros < 1_000
                ? String.format(Locale.ROOT, "%.0f µs", micros)
                : String.format(Locale.ROOT, micros < 1e6 ? "%.2f ms" : "%.0f ms", micros / 1e3);
    }

    void printJson(PrintStream out) {
        JsonLines.line(out, json -> {
            json.writeStringProperty("server", storage.toString());
            json.writeStringProperty("transport", target.transport().name().toLowerCase(Locale.ROOT));
            json.writeBooleanProperty("encrypted", target.encryption().isPresent());
            json.writeNumberProperty("seconds", timing.measured().toNanos() / 1e9);
            json.writeNumberProperty("generator_idle", idle);
            json.writeArrayPropertyStart("streams");
            for (StreamResult result : results) {
                json.writeStartObject();
                write(json, result);
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    private static void write(JsonGenerator json, StreamResult result) {
        json.writeStringProperty("name", result.name());
        json.writeNumberProperty("per_second", result.rate());
        json.writeNumberProperty("sent", result.sent());
        json.writeNumberProperty("answered", result.answered());
        json.writeNumberProperty("wrong", result.wrong());
        json.writeNumberProperty("refused", result.refused());
        json.writeNumberProperty("missing", result.missing());
        json.writeNumberProperty("twice", result.duplicates());
        json.writeNumberProperty("strays", result.strays());
        if (result.latency().getTotalCount() > 0) {
            json.writeObjectPropertyStart("latency_ns");
            for (double percentile : PERCENTILES) {
                json.writeNumberProperty(name(percentile), result.latency().getValueAtPercentile(percentile));
            }
            json.writeEndObject();
        }
        json.writeArrayPropertyStart("kinds");
        for (StreamResult.Kind kind : result.kinds()) {
            json.writeStartObject();
            json.writeStringProperty("kind", kind.kind().toString());
            json.writeNumberProperty("sent", kind.sent());
            json.writeNumberProperty("answered", kind.answered());
            json.writeNumberProperty("wrong", kind.wrong());
            json.writeNumberProperty("refused", kind.refused());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
