package dev.weir.http.metrics;

import java.util.ArrayList;
import java.util.List;

/** Something that has figures to show. Asked from any thread, answers at once. */
@FunctionalInterface
public interface StatisticsSource {
    /** Nothing to show. */
    StatisticsSource NONE = List::of;

    /** Returns the figures of this moment. */
    List<Metric> metrics();

    /** Returns the figures of both. */
    default StatisticsSource and(StatisticsSource other) {
        return () -> {
            List<Metric> all = new ArrayList<>(metrics());
            all.addAll(other.metrics());
            return all;
        };
    }
}
