package dev.weir.bench.nodes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.bench.load.Asker;
import dev.weir.bench.load.LearnLoad;
import dev.weir.bench.load.LearnResult;
import dev.weir.bench.peer.ProcessorTime;
import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.load.population.Population;
import dev.weir.testkit.RedisServer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

/** Measures what two real nodes cost with a real Redis. */
final class NodeCostsMeasurement {
    private static final long SEED = 0x6e6f_6465_7300_0000L;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int CLIENTS = 256;
    private static final int SHARDS = 16;

    /** Has Redis count a whole stream, instead of samples. */
    private static final int EXACT = 0;

    private final Workspace workspace;
    private final List<String> command;
    private final int sample;
    private int learned;

    /**
     * Prepares a measurement.
     *
     * @param command the command line that runs {@code weir}
     * @param sample number of updates of each part
     */
    NodeCostsMeasurement(Workspace workspace, List<String> command, int sample) {
        this.workspace = workspace;
        this.command = command;
        this.sample = sample;
    }

    /** Processor time so far. */
    private record Time(double first, double second, double redis, double clock) {}

    /**
     * Measures.
     *
     * @param check seconds of a processor for a check, which other programs measure
     * @param nodeBytes memory of a hash on a node, which other programs measure
     */
    NodeCosts run(double check, double nodeBytes) throws IOException, InterruptedException {
        try (RedisServer redis = RedisServer.start(workspace::start, List.of("redis-server"),
                workspace.newFolder("redis"));
                Jedis jedis = new Jedis("127.0.0.1", redis.port());
                WeirProcess first = node(redis)) {
            double empty = info(jedis, "used_memory");
            // The first part warms both up.
            learn(first, jedis);
            Time before = time(first, null, jedis);
            learn(first, jedis);
            Time alone = time(first, null, jedis);
            try (WeirProcess second = node(redis)) {
                Time ready = time(first, second, jedis);
                long found = count(second);
                await(second);
                Time scan = time(first, second, jedis);
                if (found == learned) {
                    throw new IOException("the new node was too fast to be measured: give a larger --sample");
                }
                // The new one warms up as well.
                learn(first, jedis);
                await(second);
                Time begun = time(first, second, jedis);
                double sent = info(jedis, "total_net_output_bytes");
                learn(first, jedis);
                await(second);
                Time both = time(first, second, jedis);
                double traffic = info(jedis, "total_net_output_bytes") - sent;
                double streams = 0;
                for (int shard = 0; shard < SHARDS; shard++) {
                    Long bytes = jedis.memoryUsage("fuzzy{" + shard + "}_weir_stream", EXACT);
                    streams += bytes == null ? 0 : bytes;
                }
                double held = info(jedis, "used_memory") - empty - streams;
                return new NodeCosts(check, (alone.first() - before.first()) / sample,
                        (both.second() - begun.second()) / sample, (both.redis() - begun.redis()) / sample,
                        (scan.clock() - ready.clock()) / (2L * sample - found),
                        (scan.redis() - alone.redis()) / (2L * sample), nodeBytes, held / learned,
                        traffic / sample / 2);
            }
        }
    }

    private WeirProcess node(RedisServer redis) throws IOException {
        Path folder = workspace.newFolder("node");
        Path configuration = Files.writeString(folder.resolve("weir.conf"), String.format(Locale.ROOT, """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:0"; hash_file = "%s/data/fuzzy.db"; allow_update = "127.0.0.1"; expire = 90d;
                  backend = "redis"; servers = "127.0.0.1:%d"; redis_layout = "weir"; redis_shards = %d;
                }
                """, folder, redis.port(), SHARDS));
        return WeirProcess.configured(workspace, command, configuration, folder.resolve("data"));
    }

    /** Learns the next part on a node, and waits until Redis has it. */
    private void learn(WeirProcess node, Jedis jedis) throws IOException, InterruptedException {
        LearnResult result = LearnLoad.run(node.address(), new LearnLoad.Plan(CLIENTS, Duration.ofSeconds(5), 3),
                new Population(SEED, 4L * sample), learned, new LearnLoad.Extent.Count(sample, -1, () -> {}));
        if (result.acknowledged().cardinality() != sample) {
            throw new IOException("the node acknowledged " + result.acknowledged().cardinality() + " of " + sample
                    + " updates:\n" + Files.readString(node.log()));
        }
        learned += sample;
        await("Redis has " + learned + " hashes", jedis::dbSize);
    }

    /** Waits until a node has what was learned. */
    private void await(WeirProcess node) throws IOException, InterruptedException {
        try (Asker asker = new Asker(node.address())) {
            await("the node has " + learned + " hashes", () -> {
                try {
                    return asker.count(1).orElse(0L);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    private static long count(WeirProcess node) throws IOException {
        try (Asker asker = new Asker(node.address())) {
            return asker.count(1).orElse(0L);
        }
    }

    private void await(String what, LongSupplier hashes) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        while (hashes.getAsLong() < learned) {
            if (System.nanoTime() - begun > PATIENCE.toNanos()) {
                throw new IOException("not within " + PATIENCE.toMinutes() + " minutes: " + what);
            }
            Thread.sleep(5);
        }
    }

    private static Time time(WeirProcess first, @Nullable WeirProcess second, Jedis jedis)
            throws IOException {
        return new Time(ProcessorTime.of(first.pid()), second == null ? 0 : ProcessorTime.of(second.pid()),
                info(jedis, "used_cpu_user") + info(jedis, "used_cpu_sys"), System.nanoTime() / 1e9);
    }

    private static double info(Jedis jedis, String name) throws IOException {
        Matcher found = Pattern.compile("(?m)^" + name + ":([0-9.]+)").matcher(jedis.info());
        if (!found.find()) {
            throw new IOException("redis-server does not tell " + name);
        }
        return Double.parseDouble(found.group(1));
    }
}
