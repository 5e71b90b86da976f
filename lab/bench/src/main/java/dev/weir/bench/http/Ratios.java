package dev.weir.bench.http;

import java.util.Locale;
import java.util.stream.DoubleStream;

/** The ratios of rounds that were measured in turns. */
final class Ratios {
    private Ratios() {}

    /** Returns the median, the least and the highest of one ratio or more. */
    static String shown(DoubleStream rounds) {
        double[] sorted = rounds.sorted().toArray();
        int last = sorted.length - 1;
        double median = (sorted[last / 2] + sorted[(last + 1) / 2]) / 2;
        return String.format(Locale.ROOT, "%.2f (%.2f to %.2f)", median, sorted[0], sorted[last]);
    }
}
