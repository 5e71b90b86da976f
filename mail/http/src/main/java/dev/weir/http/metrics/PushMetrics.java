package dev.weir.http.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

import dev.weir.storage.push.PushNode;

/** The metrics of a storage in the replication of Rspamd 1.3 to 1.9. */
final class PushMetrics {
    private PushMetrics() {}

    static List<Metric> of(PushNode.Status node) {
        List<Metric> metrics = new ArrayList<>();
        node.intake().ifPresent(intake -> {
            metrics.add(Metric.counters("weir_push_received", "Batches of masters by result.",
                    List.of(sample(intake.batches(), "result", "applied"), sample(intake.older(), "result", "older"),
                            sample(intake.malformed(), "result", "malformed"),
                            sample(intake.failed(), "result", "failed"))));
            metrics.add(Metric.counter("weir_push_received_updates", "Commands of applied batches.",
                    intake.updates()));
            metrics.add(Metric.counter("weir_push_gaps", "Batches after which others are missing.", intake.gaps()));
            metrics.add(Metric.counter("weir_push_left_out_updates",
                    "Updates of batches whose hash can have no more flags beyond 255.", intake.leftOut()));
        });
        if (!node.slaves().isEmpty()) {
            metrics.add(slaves(node, Metric.Type.GAUGE, "weir_push_behind_updates", "Updates that a slave lacks.",
                    PushNode.Slave::behind));
            metrics.add(slaves(node, Metric.Type.COUNTER, "weir_push_sent_batches", "Batches that a slave took.",
                    PushNode.Slave::batches));
            metrics.add(slaves(node, Metric.Type.COUNTER, "weir_push_sent_updates",
                    "Commands of batches that a slave took.", PushNode.Slave::updates));
            metrics.add(slaves(node, Metric.Type.COUNTER, "weir_push_failures", "Failed attempts to send a batch.",
                    PushNode.Slave::failures));
            metrics.add(slaves(node, Metric.Type.COUNTER, "weir_push_not_applied",
                    "Batches that a slave did not apply because of their number, also where it answered 200.",
                    PushNode.Slave::refusals));
            metrics.add(slaves(node, Metric.Type.COUNTER, "weir_push_unproven",
                    "Batches that Rspamd may not have applied.", PushNode.Slave::unproven));
            metrics.add(slaves(node, Metric.Type.COUNTER, "weir_push_lost_updates",
                    "Updates that the log no longer had when a slave came back.", PushNode.Slave::lost));
            metrics.add(slaves(node, Metric.Type.COUNTER, "weir_push_untold_flags",
                    "Updates of flags beyond 255, which are not sent.", PushNode.Slave::untold));
        }
        return metrics;
    }

    private static Metric slaves(PushNode.Status node, Metric.Type type, String name, String help,
            ToLongFunction<PushNode.Slave> figure) {
        return new Metric(name, type, help, node.slaves().stream()
                .map(slave -> sample(figure.applyAsLong(slave), "slave", slave.name())).toList());
    }

    private static Metric.Sample sample(long value, String label, String name) {
        return Metric.Sample.of(List.of(new Metric.Label(label, name)), value);
    }
}
