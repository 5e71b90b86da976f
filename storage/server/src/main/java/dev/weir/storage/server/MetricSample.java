package dev.weir.storage.server;

import java.util.Map;

import dev.weir.storage.history.Series;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.StorageStats;

/** The figures of the history at one moment. */
final class MetricSample {
    private MetricSample() {}

    /** Returns one value for each {@link Series}; 0 for the percentiles, which the history computes. */
    @SuppressWarnings("EnumOrdinal")
    static long[] of(StorageStats stats) {
        long[] values = new long[Series.values().length];
        for (Series figure : Series.values()) {
            values[figure.ordinal()] = switch (figure) {
                case CHECKS -> stats.get(Counter.CHECKS);
                case HITS -> stats.get(Counter.EXACT_HITS) + stats.get(Counter.SIMILAR_HITS);
                case LEARNS -> stats.get(Counter.WRITES);
                case DELETES -> stats.get(Counter.DELETES);
                case REFUSED -> stats.counters().entrySet().stream()
                        .filter(entry -> entry.getKey().isRefusal()).mapToLong(Map.Entry::getValue).sum();
                case DROPPED -> stats.dropped();
                case HASHES -> stats.engine().hashes();
                case QUEUED -> stats.engine().queued();
                case PENDING -> stats.engine().pending();
                case LOG_BYTES -> stats.engine().logBytes();
                case P50, P99, P999 -> 0;
            };
        }
        return values;
    }
}
