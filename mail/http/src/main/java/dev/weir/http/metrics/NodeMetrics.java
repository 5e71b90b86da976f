package dev.weir.http.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

import dev.weir.storage.queue.Role;
import dev.weir.storage.replication.Leader;
import dev.weir.storage.replication.NodeStatus;

/** The metrics of a storage as a node among several. */
final class NodeMetrics {
    private NodeMetrics() {}

    static List<Metric> of(NodeStatus node) {
        List<Metric> metrics = new ArrayList<>();
        metrics.add(Metric.gauge("weir_node_leading", "1 if the node takes updates of clients, 0 if it follows, -1 if"
                + " another node leads under a higher epoch.",
                node.part() == Role.Part.LEADER ? 1 : node.part() == Role.Part.FOLLOWER ? 0 : -1));
        metrics.add(Metric.gauge("weir_node_epoch", "Number of the epoch of the update log.", node.epoch().number()));
        NodeStatus.Above above = node.upstream();
        if (above != null) {
            metrics.add(Metric.gauge("weir_node_behind_updates",
                    "Updates of the leader that this node lacks; -1 while that is not known.",
                    above.behind()));
            above.lagSeconds().ifPresent(lag -> metrics.add(Metric.gauge("weir_node_lag_seconds",
                    "Time by which the hashes of this node are older than the leader's.", lag)));
        }
        metrics.add(Metric.counter("weir_node_applied", "Updates taken from the leader.", node.counts().applied()));
        metrics.add(Metric.counter("weir_node_copies", "Copies made of the leader.", node.counts().copies()));
        metrics.add(Metric.counters("weir_node_forwarded", "Updates of clients passed to the leader.",
                List.of(sample(node.counts().forwarded(), "result", "stored"),
                        sample(node.counts().forwardFailures(), "result", "failed"))));
        metrics.add(
                Metric.counter("weir_node_unreplicated", "Stored updates whose clients got an error, because too few"
                        + " followers confirmed them in time.", node.counts().unreplicated()));
        if (!node.followers().isEmpty()) {
            metrics.add(followers(node, "weir_follower_present", "1 for a follower that asked in the last 30 seconds.",
                    follower -> NodeStatus.isPresent(follower) ? 1 : 0));
            metrics.add(followers(node, "weir_follower_behind_updates",
                    "Updates that a follower lacks; -1 if it has not asked since the start.",
                    Leader.Follower::behind));
        }
        return metrics;
    }

    private static Metric followers(NodeStatus node, String name, String help,
            ToLongFunction<Leader.Follower> figure) {
        return new Metric(name, Metric.Type.GAUGE, help, node.followers().stream()
                .map(follower -> sample(figure.applyAsLong(follower), "follower", follower.name())).toList());
    }

    private static Metric.Sample sample(long value, String label, String name) {
        return Metric.Sample.of(List.of(new Metric.Label(label, name)), value);
    }
}
