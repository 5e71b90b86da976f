package dev.weir.http.metrics;

import java.util.ArrayList;
import java.util.List;

/** A source of metrics. Thread-safe; answers at once. */
@FunctionalInterface
public interface StatisticsSource {
    /** A source without metrics. */
    StatisticsSource NONE = List::of;

    /** Returns the current metrics. */
    List<Metric> metrics();

    /** Returns a source of the metrics of both. */
    default StatisticsSource and(StatisticsSource other) {
        return () -> {
            List<Metric> all = new ArrayList<>(metrics());
            all.addAll(other.metrics());
            return all;
        };
    }
}
