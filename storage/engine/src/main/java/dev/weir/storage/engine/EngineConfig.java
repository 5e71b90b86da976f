package dev.weir.storage.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.weir.model.KeyedHash;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.Quorum;
import dev.weir.storage.queue.Role;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;

/**
 * The settings of an engine, and its sources of time, randomness and threads.
 *
 * @param expire age after which a flag expires, counted from its last change or strong match; zero or less keeps
 *            everything
 * @param sync time between two transactions of the backend, which follows the log
 * @param acknowledge the time at which updates are acknowledged
 * @param log the size limits of the update log
 * @param clock the time of day
 * @param nanos a monotonic clock like {@link System#nanoTime}
 * @param hashes supplies the keyed hash of each table, with a key that no client can guess
 * @param preparer runs work that would delay the writer for a fraction of a second, such as preparing the next log
 *            segment
 * @param replication the part of this node, and the condition of an acknowledgment
 */
public record EngineConfig(Duration expire, Duration sync, Acknowledge acknowledge, LogLimits log,
        InstantSource clock, LongSupplier nanos, Supplier<KeyedHash> hashes, Executor preparer,
        Replication replication) {

    /**
     * The settings of a node among several.
     *
     * @param part the part at the start
     * @param quorum the condition, beyond the own disk, under which updates are acknowledged
     */
    public record Replication(Role.Part part, Quorum quorum) {
        /** A node without others. */
        public static final Replication ALONE = new Replication(Role.Part.LEADER, Quorum.NONE);
    }

    /**
     * The defaults of {@code weir serve}, with the clocks and the randomness of the machine. An engine with them
     * removes flags older than 90 days at once, also from a folder whose storage keeps them longer.
     */
    public static final EngineConfig DEFAULT = of(Duration.ofDays(90), Duration.ofSeconds(5), Acknowledge.DURABLE,
            LogLimits.DEFAULT, InstantSource.system());

    /** Returns settings with the randomness and the threads of the machine. */
    public static EngineConfig of(Duration expire, Duration sync, Acknowledge acknowledge, LogLimits log,
            InstantSource clock) {
        return new EngineConfig(expire, sync, acknowledge, log, clock, System::nanoTime, KeyedHash::random,
                task -> Thread.ofPlatform().name("weir-log").daemon().start(task), Replication.ALONE);
    }

    /** Returns a copy for a node among several. */
    public EngineConfig withReplication(Replication next) {
        return new EngineConfig(expire, sync, acknowledge, log, clock, nanos, hashes, preparer, next);
    }
}
