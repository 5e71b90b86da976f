package dev.weir.bench.nodes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.weir.bench.load.Asker;
import dev.weir.bench.load.BackgroundLoad;
import dev.weir.bench.load.LearnLoad;
import dev.weir.bench.load.LearnResult;
import dev.weir.bench.peer.PeerProcess;
import dev.weir.bench.peer.ProcessorTime;
import dev.weir.bench.peer.RspamdProcess;
import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.speed.Case;
import dev.weir.bench.speed.Contender;
import dev.weir.bench.speed.Dataset;
import dev.weir.bench.speed.Pinning;
import dev.weir.load.query.Rule;
import dev.weir.load.stream.StreamResult;
import dev.weir.testkit.RedisServer;

/** Measures checks at one node, at three nodes at once, and at Rspamd's worker, all with the same Redis, in turns. */
final class NodeChecks {
    private static final int NODES = 3;
    private static final int CLIENTS = 256;
    private static final int OUTSTANDING = 256;

    /** Rspamd's socket has the small default buffer, which drops more than this. */
    private static final int OUTSTANDING_FOR_RSPAMD = 64;

    private static final int SYNC_SECONDS = 3600;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    /** The first round is so many times as long as the others, because the JIT compiler works in it. */
    private static final int WARM_UP = 3;

    private static final Case MIX = Case.parse("miss=8,exact=1,fuzzy20=1");

    private final Workspace workspace;
    private final List<String> command;
    private final Pinning pinning;
    private final int hashes;
    private final Duration measured;

    /** Who is asked. */
    enum Asked {
        ONE("one node of Weir"), THREE("three nodes of Weir at once"), RSPAMD("Rspamd");

        final String title;

        Asked(String title) {
            this.title = title;
        }
    }

    /**
     * Prepares a measurement.
     *
     * @param command the command line that runs {@code weir}
     * @param pinning gives all servers one processor
     * @param measured the time of each measurement
     */
    NodeChecks(Workspace workspace, List<String> command, Pinning pinning, int hashes, Duration measured) {
        this.workspace = workspace;
        this.command = command;
        this.pinning = pinning;
        this.hashes = hashes;
        this.measured = measured;
    }

    /**
     * Returns the points of all rounds, after a longer one that does not count.
     *
     * @param withRspamd whether Rspamd is installed
     */
    Map<Asked, List<CheckPoint>> run(int rounds, boolean withRspamd) throws IOException, InterruptedException {
        Map<Asked, List<CheckPoint>> points = new EnumMap<>(Asked.class);
        List<WeirProcess> nodes = new ArrayList<>();
        try (RedisServer redis = RedisServer.start(workspace::start, pinning.server(List.of("redis-server")),
                workspace.newFolder("redis"))) {
            for (int i = 0; i < NODES; i++) {
                nodes.add(node(redis));
            }
            fill(nodes);
            RspamdProcess rspamd = withRspamd
                    ? RspamdProcess.start(workspace, pinning.server(List.of("rspamd")),
                            new RspamdProcess.Backend.Redis(redis), SYNC_SECONDS, "")
                    : null;
            for (int round = 0; round <= rounds; round++) {
                Duration time = round == 0 ? measured.multipliedBy(WARM_UP) : measured;
                for (Asked asked : Asked.values()) {
                    List<? extends PeerProcess> storages = switch (asked) {
                        case ONE -> nodes.subList(0, 1);
                        case THREE -> nodes;
                        case RSPAMD -> rspamd == null ? List.of() : List.of(rspamd);
                    };
                    if (!storages.isEmpty()) {
                        CheckPoint point = saturate(redis, storages, time);
                        if (round > 0) {
                            points.computeIfAbsent(asked, _ -> new ArrayList<>()).add(point);
                        }
                    }
                }
            }
        }
        return points;
    }

    private WeirProcess node(RedisServer redis) throws IOException {
        Path folder = workspace.newFolder("node");
        Path configuration = Files.writeString(folder.resolve("weir.conf"), String.format(Locale.ROOT, """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:0"; hash_file = "%s/data/fuzzy.db"; allow_update = "127.0.0.1"; expire = 90d;
                  backend = "redis"; servers = "127.0.0.1:%d";
                }
                """, folder, redis.port()));
        return WeirProcess.configured(workspace, pinning.server(command), configuration, folder.resolve("data"));
    }

    /** Learns all hashes at the first node, and waits until all nodes have them. */
    private void fill(List<WeirProcess> nodes) throws IOException, InterruptedException {
        LearnResult result = LearnLoad.run(nodes.getFirst().address(), new LearnLoad.Plan(CLIENTS, TIMEOUT, 3),
                Dataset.population(hashes), 0, new LearnLoad.Extent.Count(hashes, -1, () -> {}));
        if (result.acknowledged().cardinality() != hashes) {
            throw new IOException("the node acknowledged " + result.acknowledged().cardinality() + " of " + hashes
                    + " updates");
        }
        long end = System.nanoTime() + PATIENCE.toNanos();
        for (WeirProcess node : nodes) {
            try (Asker asker = new Asker(node.address())) {
                while (asker.count(1).orElse(0L) < hashes) {
                    if (System.nanoTime() - end > 0) {
                        throw new IOException("a node has not all hashes within " + PATIENCE.toMinutes()
                                + " minutes:\n" + Files.readString(node.log()));
                    }
                    Thread.sleep(20);
                }
            }
        }
    }

    /** Asks some storages at once, each from a thread of its own. */
    private CheckPoint saturate(RedisServer redis, List<? extends PeerProcess> storages, Duration time)
            throws IOException, InterruptedException {
        double before = processor(storages);
        double redisBefore = ProcessorTime.of(redis.process().pid());
        List<BackgroundLoad<StreamResult>> loads = new ArrayList<>();
        for (PeerProcess storage : storages) {
            int outstanding = storage instanceof WeirProcess ? OUTSTANDING : OUTSTANDING_FOR_RSPAMD;
            Contender contender = new Contender("", storage.address(), Rule.COUNT, null, 1);
            loads.add(BackgroundLoad.start("checks", () -> contender
                    .saturate(MIX, Dataset.population(hashes), outstanding, Duration.ZERO, time).first()));
        }
        double rate = 0;
        long answered = 0;
        long wrong = 0;
        long missing = 0;
        for (BackgroundLoad<StreamResult> load : loads) {
            StreamResult result = load.await();
            rate += result.rate();
            answered += result.answered();
            wrong += result.wrong() + result.refused();
            missing += result.missing();
        }
        return new CheckPoint(rate, (processor(storages) - before) / answered,
                (ProcessorTime.of(redis.process().pid()) - redisBefore) / answered, wrong, missing);
    }

    private static double processor(List<? extends PeerProcess> storages) {
        return storages.stream().mapToDouble(storage -> ProcessorTime.of(storage.pid())).sum();
    }
}
