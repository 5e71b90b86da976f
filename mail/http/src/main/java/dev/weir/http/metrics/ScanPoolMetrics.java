package dev.weir.http.metrics;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

import dev.weir.scan.pool.ScanLane;
import dev.weir.scan.pool.ScanPool;

/** The metrics of the threads that hash mails. */
public final class ScanPoolMetrics implements StatisticsSource {
    private final ScanPool pool;

    /** Creates the source. */
    public ScanPoolMetrics(ScanPool pool) {
        this.pool = pool;
    }

    @Override
    public List<Metric> metrics() {
        return List.of(
                Metric.gauge("weir_hash_threads", "Threads that hash mails.", pool.threads()),
                of(Metric.Type.GAUGE, "weir_hash_waiting", "Mails that wait for a thread, by source.",
                        ScanLane::waiting),
                of(Metric.Type.GAUGE, "weir_hash_running", "Mails that are being hashed, by source.",
                        ScanLane::running),
                of(Metric.Type.COUNTER, "weir_hash_admitted", "Mails that were queued for hashing, by source.",
                        ScanLane::admitted),
                of(Metric.Type.COUNTER, "weir_hash_refused",
                        "Mails refused because too many waited for hashing, by source.", ScanLane::refused),
                of(Metric.Type.COUNTER, "weir_hash_abandoned",
                        "Mails given up before they were hashed because their time was over, by source.",
                        ScanLane::abandoned),
                of(Metric.Type.COUNTER, "weir_hash_waited_seconds",
                        "Time that mails waited for a thread, in seconds, by source.", ScanLane::waitedSeconds));
    }

    private Metric of(Metric.Type type, String name, String help, ToDoubleFunction<ScanLane> figure) {
        return new Metric(name, type, help, pool.lanes().stream()
                .map(lane -> new Metric.Sample("", List.of(new Metric.Label("source",
                        lane.source().name().toLowerCase(Locale.ROOT))), figure.applyAsDouble(lane)))
                .toList());
    }
}
