package dev.weir.http.metrics;

import java.util.List;

import dev.weir.storage.waves.WaveFigures;

/** The metrics of waves. */
final class WaveMetrics {
    private WaveMetrics() {}

    static List<Metric> of(WaveFigures waves) {
        return List.of(
                Metric.gauge("weir_waves_groups", "Groups of near-duplicate checks without a hit.", waves.groups()),
                Metric.gauge("weir_waves_answering", "Groups that answer checks.", waves.answering()),
                Metric.gauge("weir_waves_excluded",
                        "Groups that touch wanted mail, the skip list or an exempt sender.", waves.excluded()),
                Metric.gauge("weir_waves_largest", "Checks of the largest group in the last hour, without"
                        + " excluded ones.", waves.largest()),
                Metric.gauge("weir_waves_signatures", "Signatures in the table.", waves.signatures()),
                Metric.gauge("weir_waves_bytes", "Memory of the table.", waves.bytes()),
                Metric.gauge("weir_waves_bytes_limit", "The most memory that the table can take.", waves.mostBytes()),
                Metric.gauge("weir_waves_sampling",
                        "One of how many checks of a busy network is counted now; 1 for all.", waves.sampling()),
                Metric.counter("weir_waves_checks", "Checks without a hit that were counted, with those that sampled"
                        + " ones stand for.", waves.checks()),
                Metric.counter("weir_waves_dropped", "Checks without a hit that were not counted, because too many"
                        + " waited.", waves.dropped()),
                Metric.counter("weir_waves_left_out", "Checks without a hit that others stand for, because the rate was"
                        + " high.", waves.leftOut()),
                Metric.counter("weir_waves_displaced_signatures", "Signatures that were seen once and made room for"
                        + " others.", waves.displaced()),
                Metric.counter("weir_waves_displaced_groups", "Groups that made room for others.",
                        waves.displacedGroups()),
                Metric.counter("weir_waves_learned", "Groups that the storage learned automatically.", waves.learned()),
                Metric.counter("weir_waves_learns_held", "Times that a group was not learned, because an hour had"
                        + " max_per_hour of them.", waves.learnsHeld()),
                Metric.gauge("weir_waves_other_nodes", "Other nodes whose counts are added to those of this one.",
                        waves.nodes()),
                Metric.gauge("weir_waves_unsent_groups", "Groups that had no room in the last note to other nodes.",
                        waves.unsent()),
                Metric.counter("weir_waves_exchange_failures", "Failed attempts to exchange counts with other nodes.",
                        waves.exchangesFailed()),
                Metric.counter("weir_waves_ignored_groups", "Groups in notes of other nodes that found no room or"
                        + " have a wrong time.", waves.ignored()),
                Metric.counter("weir_waves_refused_notes", "Notes of other nodes that were not used, because they were"
                        + " damaged or of another version.", waves.notesRefused()));
    }
}
