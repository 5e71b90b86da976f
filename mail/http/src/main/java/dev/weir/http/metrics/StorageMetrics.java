package dev.weir.http.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import dev.weir.storage.engine.CheckpointStats;
import dev.weir.storage.log.ConsumerStatus;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.StorageStats;
import dev.weir.storage.shared.SharedStats;

/** The metrics and the health of a storage in the same process. */
public final class StorageMetrics implements StatisticsSource, Health {
    private final Supplier<StorageStats> storage;

    /**
     * Creates the metrics of a storage.
     *
     * @param storage a source such as {@code server::stats}
     */
    public StorageMetrics(Supplier<StorageStats> storage) {
        this.storage = storage;
    }

    @Override
    public List<Metric> metrics() {
        StorageStats stats = storage.get();
        List<Metric> metrics = new ArrayList<>();
        metrics.add(Metric.gauge("weir_storage_hashes", "Stored digests.", stats.engine().hashes()));
        metrics.add(
                Metric.gauge("weir_storage_index_bytes", "Memory taken for the index; not all of it need be in use.",
                        stats.engine().indexBytes()));
        metrics.add(
                Metric.gauge("weir_storage_queued_updates", "Updates that wait to be written to the log.",
                        stats.engine().queued()));
        metrics.add(
                Metric.gauge("weir_storage_pending_updates", "Updates in the log that the store does not have yet.",
                        stats.engine().pending()));
        metrics.add(Metric.gauge("weir_storage_log_bytes", "Size of the update log.", stats.engine().logBytes()));
        metrics.add(Metric.gauge("weir_storage_refusing", "1 while updates are refused, because the log cannot take"
                + " them.", stats.engine().refusing() ? 1 : 0));
        metrics.add(
                Metric.gauge("weir_storage_full", "1 while updates are rejected because the memory index is full.",
                        stats.engine().full() ? 1 : 0));
        metrics.add(Metric.gauge("weir_storage_clock_doubted",
                "1 while the storage does not trust the clock of the machine.",
                stats.engine().clockDoubt().isEmpty() ? 0 : 1));
        metrics.add(Metric.gauge("weir_storage_waiting_removals",
                "Removals of many hashes that wait for weir control confirm.", stats.engine().waitingRemovals()));
        metrics.add(Metric.counter("weir_storage_held_removals",
                "Removals of many hashes that had to wait for an operator.", stats.engine().heldRemovals()));
        metrics.add(Metric.gauge("weir_storage_database_failing", "1 while the store cannot be written.",
                stats.engine().databaseFailure().isEmpty() ? 0 : 1));
        metrics.add(Metric.gauge("weir_storage_database_damaged", "1 if damage of the store or its mirror was found"
                + " since the start.", stats.engine().databaseDamage().isEmpty() ? 0 : 1));
        CheckpointStats store = stats.engine().store();
        metrics.addAll(List.of(
                Metric.gauge("weir_store_backlog_bytes", "Slots that may not be on disk yet.", store.backlogBytes()),
                Metric.gauge("weir_store_checkpoint_age_seconds",
                        "Time since the last checkpoint of the store or the start.",
                        store.checkpointAge().toSeconds()),
                Metric.counter("weir_store_written_bytes", "Bytes written to the store, without the update log.",
                        store.bytesWritten()),
                Metric.gauge("weir_store_free_slots", "Free slots that new hashes may use.", store.freeSlots())));
        stats.engine().unmirrored().ifPresent(lag -> metrics.addAll(List.of(
                Metric.gauge("weir_storage_unmirrored_updates", "Updates that the mirror does not have yet.", lag),
                Metric.gauge("weir_storage_mirror_failing", "1 while the mirror cannot be written.",
                        stats.engine().mirrorFailure().isEmpty() ? 0 : 1))));
        stats.shared().ifPresent(node -> metrics.addAll(List.of(
                Metric.gauge("weir_shared_unsent_updates", "Updates that the shared Redis does not have yet.",
                        node.unsent()),
                Metric.counter("weir_shared_received_changes", "Changes that came through the shared Redis.",
                        node.received()),
                Metric.counter("weir_shared_comparisons",
                        "Comparisons with the whole Redis, because changes were missing.", node.rejoined()),
                Metric.counter("weir_shared_unconfirmed_updates",
                        "Stored updates whose clients got an error, because the shared Redis did not have them in"
                                + " time.",
                        node.unconfirmed()),
                Metric.gauge("weir_shared_nodes", "Nodes that reported in the last minute.",
                        node.peers().stream().filter(peer -> peer.silentSeconds() < 60).count()),
                Metric.gauge("weir_shared_sending_failing", "1 while the shared Redis takes no updates.",
                        node.sendingFailure().isEmpty() ? 0 : 1),
                Metric.gauge("weir_shared_listening_failing", "1 while the node does not hear from the others.",
                        node.listeningFailure().isEmpty() ? 0 : 1),
                Metric.gauge("weir_shared_whole", "1 once the node has all hashes of the shared Redis.",
                        node.whole() ? 1 : 0),
                Metric.counter("weir_shared_put_back_hashes",
                        "Hashes that this node offered to the shared Redis, because it had lost them.", node.putBack()),
                Metric.counter("weir_shared_kept_flags",
                        "Flags that an undo kept, because other nodes had learned them meanwhile.",
                        node.keptByUndo()))));
        stats.shared().map(SharedStats::asking).ifPresent(asking -> metrics.addAll(List.of(
                Metric.counter("weir_shared_asked_misses", "Checks without a match that Redis was asked about.",
                        asking.asked()),
                Metric.counter("weir_shared_unasked_misses",
                        "Checks without a match that Redis was not asked about, because there were too many.",
                        asking.dropped()),
                Metric.counter("weir_shared_found_hashes", "Hashes that these requests found in Redis.",
                        asking.found()))));
        metrics.add(consumers(stats, "weir_consumer_behind_updates", "Updates that a consumer of the update log lacks.",
                ConsumerStatus::behind));
        metrics.add(consumers(stats, "weir_consumer_lag_seconds", "Time for which a consumer has lacked updates.",
                ConsumerStatus::lagSeconds));
        metrics.add(consumers(stats, "weir_consumer_running",
                "1 while a consumer takes updates; 0 while it fails, begins again, or has stopped.",
                consumer -> consumer.state() == ConsumerStatus.State.RUNNING ? 1 : 0));
        metrics.add(Metric.gauge("weir_storage_connections", "Open connections.", stats.connections()));
        metrics.add(Metric.counter("weir_storage_revision",
                "Revision of the last update that is durable and that checks see.",
                stats.engine().revision()));
        metrics.add(Metric.counters("weir_storage_updates", "Updates by result.",
                List.of(update("stored", stats.engine().updates().stored()),
                        update("failed", stats.engine().updates().failed()),
                        update("repeated", stats.engine().updates().repeated()),
                        update("expired", stats.engine().updates().expired()),
                        update("refreshed", stats.engine().updates().refreshed()))));
        stats.waves().ifPresent(waves -> metrics.addAll(WaveMetrics.of(waves)));
        stats.replication().ifPresent(node -> metrics.addAll(NodeMetrics.of(node)));
        stats.push().ifPresent(node -> metrics.addAll(PushMetrics.of(node)));
        for (Counter counter : Counter.values()) {
            metrics.add(Metric.counter("weir_storage_" + counter.name().toLowerCase(Locale.ROOT),
                    counter.description(), stats.get(counter)));
        }
        return metrics;
    }

    private static Metric consumers(StorageStats stats, String name, String help,
            ToLongFunction<ConsumerStatus> figure) {
        return new Metric(name, Metric.Type.GAUGE, help, stats.engine().consumers().stream()
                .map(consumer -> Metric.Sample.of(List.of(new Metric.Label("consumer", consumer.name())),
                        figure.applyAsLong(consumer)))
                .toList());
    }

    private static Metric.Sample update(String result, long count) {
        return Metric.Sample.of(List.of(new Metric.Label("result", result)), count);
    }

    @Override
    public List<Failure> failures() {
        return storage.get().troubles().stream()
                .map(trouble -> new Failure(trouble.reason(), trouble.detail()))
                .toList();
    }
}
