package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import dev.weir.testkit.FreePort;
import dev.weir.testkit.RedisServer;
import org.awaitility.Awaitility;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/** A real Redis with a replica and three Sentinels, which replace a master that has died. */
final class RedisGroup implements AutoCloseable {
    /** The name that the Sentinels know the master by. */
    static final String NAME = "weir";

    private static final int SENTINELS = 3;
    private static final long PATIENCE_NANOS = 120_000_000_000L;

    private final RedisServer master;
    private final RedisServer replica;
    private final List<Process> sentinels = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();

    private RedisGroup(RedisServer master, RedisServer replica) {
        this.master = master;
        this.replica = replica;
    }

    /** Starts all and waits until the Sentinels know each other and the replica. */
    static RedisGroup start(Path scratch) throws IOException, InterruptedException {
        RedisServer master = RedisServer.start(scratch, "--repl-diskless-sync-delay", "0");
        try {
            RedisGroup group = new RedisGroup(master,
                    RedisServer.start(Files.createTempDirectory(scratch, "replica"), "--replicaof",
                            "127.0.0.1 " + master.port()));
            try {
                for (int i = 0; i < SENTINELS; i++) {
                    group.sentinel(scratch);
                }
                group.await(group::isComplete);
                return group;
            } catch (Throwable e) {
                group.close();
                throw e;
            }
        } catch (Throwable e) {
            master.close();
            throw e;
        }
    }

    private void sentinel(Path scratch) throws IOException {
        int port = FreePort.find();
        Path folder = Files.createTempDirectory(scratch, "sentinel");
        Path file = Files.writeString(folder.resolve("sentinel.conf"), """
                port %d
                bind 127.0.0.1
                dir %s
                sentinel monitor %s 127.0.0.1 %d 2
                sentinel down-after-milliseconds %s 1000
                sentinel failover-timeout %s 5000
                """.formatted(port, folder, NAME, master.port(), NAME, NAME));
        sentinels.add(new ProcessBuilder("redis-server", file.toString(), "--sentinel").redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile()).start());
        ports.add(port);
    }

    private interface Condition {
        boolean holds(Jedis sentinel);
    }

    /** Waits until something holds at each Sentinel. */
    private void await(Condition condition) {
        Awaitility.await("the Sentinels agree").atMost(PATIENCE_NANOS, TimeUnit.NANOSECONDS)
                .until(() -> ports.stream().allMatch(port -> holds(port, condition)));
    }

    private static boolean holds(int port, Condition condition) {
        try (Jedis sentinel = new Jedis("127.0.0.1", port)) {
            return condition.holds(sentinel);
        } catch (JedisException e) {
            return false;
        }
    }

    private boolean isComplete(Jedis sentinel) {
        return sentinel.sentinelReplicas(NAME).size() == 1
                && Integer.toString(SENTINELS - 1).equals(sentinel.sentinelMaster(NAME).get("num-other-sentinels"));
    }

    /** Returns the Sentinels as a list in a configuration. */
    String places() {
        return ports.stream().map(port -> "\"127.0.0.1:" + port + "\"").collect(Collectors.joining(", ", "[", "]"));
    }

    /** Ends the master at once, as a crash would. */
    void killMaster() {
        master.close();
    }

    /** Waits until the Sentinels have made the replica the master. */
    void awaitReplacement() {
        await(sentinel -> Integer.toString(replica.port())
                .equals(sentinel.sentinelGetMasterAddrByName(NAME).getLast()));
    }

    @Override
    public void close() {
        sentinels.forEach(Process::destroyForcibly);
        sentinels.forEach(sentinel -> sentinel.onExit().join());
        replica.close();
        master.close();
    }
}
