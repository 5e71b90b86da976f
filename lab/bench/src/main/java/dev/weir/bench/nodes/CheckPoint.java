package dev.weir.bench.nodes;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * A measurement of checks.
 *
 * @param rate answers a second
 * @param processor seconds of a processor that an answer took in the storages that were asked
 * @param redis seconds of a processor that an answer took in Redis
 * @param wrong wrong and refused answers
 * @param missing requests without an answer
 */
record CheckPoint(double rate, double processor, double redis, long wrong, long missing) {
    /** Returns the sum of a count over some rounds. */
    static long sum(List<CheckPoint> rounds, ToLongFunction<CheckPoint> count) {
        return rounds.stream().mapToLong(count).sum();
    }

    /** Returns the median of a figure in some rounds. */
    static double median(List<CheckPoint> rounds, ToDoubleFunction<CheckPoint> figure) {
        return rounds.stream().mapToDouble(figure).sorted().skip(rounds.size() / 2).findFirst().orElse(0);
    }

    /** Returns the median of the ratios of the same rounds, for a table. */
    static String ratio(List<CheckPoint> some, List<CheckPoint> others, ToDoubleFunction<CheckPoint> figure) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            ratios.add(figure.applyAsDouble(some.get(i)) / figure.applyAsDouble(others.get(i)));
        }
        return String.format(Locale.ROOT, "%.2f", ratios.stream().sorted().toList().get(ratios.size() / 2));
    }

    /** Formats the time of an answer. */
    static String micros(double seconds) {
        return String.format(Locale.ROOT, "%.2f µs", 1e6 * seconds);
    }
}
