package dev.weir.storage.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

import dev.weir.model.Network;
import dev.weir.model.Networks;
import dev.weir.storage.DataFolder;
import dev.weir.storage.access.Access;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.hooks.HookScript;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.push.PushSettings;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.replication.ReplicationSettings;
import dev.weir.storage.shared.SharedSettings;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a storage must be told.
 *
 * @param dataDir the {@link DataFolder}; made if it is absent
 * @param database the name of the database in this folder
 * @param backend who can read the hashes
 * @param mirror a database outside the folder that follows the store, for other programs; null for none
 * @param listen addresses, ports and sockets, and the limits of connections
 * @param access who may do what, with the keys; can be replaced while the storage runs
 * @param expire age after which a flag is forgotten, counted from its last change or strong match; zero or less keeps
 *            everything
 * @param sync time between two transactions of the database, which follows the log
 * @param workers threads that receive and answer datagrams, for each address; 1 is used where the system cannot share
 * an address among more
 * @param acknowledge when updates are acknowledged
 * @param log how large the update log may become
 * @param clock tells the time of updates and of expiry
 * @param hooks a script with handlers, or null for none; can be replaced while the storage runs
 * @param replication the other nodes; null for a storage without any
 * @param shared the Redis through which the storage, a store, shares its hashes with other nodes; null for none
 * @param push the replication of Rspamd 1.3 to 1.9; null for none
 */
public record StorageConfig(Path dataDir, String database, BackendKind backend, @Nullable Path mirror, Listen listen,
        Access access,
        Duration expire,
        Duration sync, int workers, Acknowledge acknowledge, LogLimits log, InstantSource clock,
        @Nullable HookScript hooks, @Nullable ReplicationSettings replication,
        @Nullable SharedSettings shared, @Nullable PushSettings push) {

    /** Time between two transactions of the database unless told otherwise. */
    public static final Duration DEFAULT_SYNC = Duration.ofSeconds(5);

    /** The most threads that receive: each has buffers and a cache of keys. */
    public static final int MAX_WORKERS = 64;

    /** The port that Rspamd's fuzzy storages listen on. */
    public static final int DEFAULT_PORT = 11335;

    /** How long hashes are kept unless told otherwise; Rspamd's shipped configuration says the same. */
    public static final Duration DEFAULT_EXPIRE = Duration.ofDays(90);

    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if there are no workers or more than {@value #MAX_WORKERS}
     */
    public StorageConfig {
        if (workers < 1 || workers > MAX_WORKERS) {
            throw new IllegalArgumentException(workers + " workers: between 1 and " + MAX_WORKERS);
        }
    }

    /** Returns a storage on 127.0.0.1:11335 without writers and without keys. */
    public static StorageConfig of(Path dataDir) {
        return new StorageConfig(dataDir, DataFolder.DATABASE, BackendKind.SQLITE, null,
                Listen.on(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), DEFAULT_PORT)),
                Access.DEFAULT, DEFAULT_EXPIRE, DEFAULT_SYNC, defaultWorkers(), Acknowledge.DURABLE,
                LogLimits.DEFAULT, InstantSource.system(), null, null, null, null);
    }

    /** Returns the addresses of the machine itself. */
    public static List<Network> loopback() {
        return List.of(Network.of("127.0.0.0/8"), Network.of("::1"));
    }

    /**
     * All processors but one, which is for updates: one thread answers as fast as a processor can be given datagrams.
     */
    public static int defaultWorkers() {
        return Math.clamp(Runtime.getRuntime().availableProcessors() - 1, 1, MAX_WORKERS);
    }

    /** Returns the first of the addresses to listen on. */
    public InetSocketAddress bind() {
        return listen.first();
    }

    /** Returns the database that follows the store; empty for none. */
    public Optional<Path> mirrorDatabase() {
        return backend == BackendKind.SQLITE
                ? Optional.of(DataFolder.database(dataDir))
                : Optional.ofNullable(mirror);
    }

    /** Returns a copy for other readers of the hashes. */
    public StorageConfig withBackend(BackendKind kind) {
        return new StorageConfig(dataDir, database, kind, mirror, listen, access, expire, sync, workers, acknowledge,
                log, clock,
                hooks, replication, shared, push);
    }

    /** Returns a copy whose database has another name. */
    public StorageConfig withDatabase(String name) {
        return new StorageConfig(dataDir, name, backend, mirror, listen, access, expire, sync, workers, acknowledge,
                log, clock, hooks, replication, shared, push);
    }

    /** Returns a copy with a database that follows the store. */
    public StorageConfig withMirror(Path follower) {
        return new StorageConfig(dataDir, database, backend, follower, listen, access, expire, sync, workers,
                acknowledge, log,
                clock, hooks, replication, shared, push);
    }

    /** Returns a copy with one address to listen on, and only that. */
    public StorageConfig withBind(InetSocketAddress address) {
        return withListen(listen.withBinds(List.of(new Bind.Inet(address))));
    }

    /** Returns a copy with other places to listen on. */
    public StorageConfig withListen(Listen places) {
        return new StorageConfig(dataDir, database, backend, mirror, places, access, expire, sync, workers, acknowledge,
                log,
                clock,
                hooks, replication, shared, push);
    }

    /** Returns a copy with other rules. */
    public StorageConfig withAccess(Access rules) {
        return new StorageConfig(dataDir, database, backend, mirror, listen, rules, expire, sync, workers, acknowledge,
                log,
                clock,
                hooks, replication, shared, push);
    }

    /** Returns a copy with other sources that may write; none when empty, unless a key says so. */
    public StorageConfig withAllowUpdate(List<Network> networks) {
        return withAccess(access.withUpdateSources(networks.isEmpty() ? null : Networks.perFamily(networks)));
    }

    /** Returns a copy with other key pairs, the last of which is also used for requests that name none of them. */
    public StorageConfig withKeyPairs(List<KeyPair> pairs) {
        return withAccess(access.withKeyPairs(pairs));
    }

    /** Returns a copy with plain requests refused or not. */
    public StorageConfig withEncryptedOnly(boolean only) {
        return withAccess(access.withEncryptedOnly(only));
    }

    /** Returns a copy with another age of expiry. */
    public StorageConfig withExpire(Duration age) {
        return new StorageConfig(dataDir, database, backend, mirror, listen, access, age, sync, workers, acknowledge,
                log, clock,
                hooks, replication, shared, push);
    }

    /** Returns a copy with another clock. */
    public StorageConfig withClock(InstantSource source) {
        return new StorageConfig(dataDir, database, backend, mirror, listen, access, expire, sync, workers, acknowledge,
                log,
                source,
                hooks, replication, shared, push);
    }

    /** Returns a copy with another time between two transactions of the database. */
    public StorageConfig withSync(Duration time) {
        return new StorageConfig(dataDir, database, backend, mirror, listen, access, expire, time, workers, acknowledge,
                log,
                clock,
                hooks, replication, shared, push);
    }

    /** Returns a copy with another number of threads that receive and answer. */
    public StorageConfig withWorkers(int count) {
        return new StorageConfig(dataDir, database, backend, mirror, listen, access, expire, sync, count, acknowledge,
                log, clock,
                hooks, replication, shared, push);
    }

    /** Returns a copy with another moment of acknowledgement. */
    public StorageConfig withAcknowledge(Acknowledge when) {
        return new StorageConfig(dataDir, database, backend, mirror, listen, access, expire, sync, workers, when, log,
                clock,
                hooks, replication, shared, push);
    }

    /** Returns a copy with other bounds of the update log. */
    public StorageConfig withLog(LogLimits limits) {
        return new StorageConfig(dataDir, database, backend, mirror, listen, access, expire, sync, workers, acknowledge,
                limits,
                clock,
                hooks, replication, shared, push);
    }

    /** Returns a copy with a script of handlers, or with none. */
    public StorageConfig withHooks(@Nullable HookScript script) {
        return new StorageConfig(dataDir, database, backend, mirror, listen, access, expire, sync, workers, acknowledge,
                log,
                clock,
                script, replication, shared, push);
    }

    /** Returns a copy for a node among several, or for one without others. */
    public StorageConfig withReplication(@Nullable ReplicationSettings settings) {
        return new StorageConfig(dataDir, database, backend, mirror, listen, access, expire, sync, workers, acknowledge,
                log,
                clock, hooks, settings, shared, push);
    }

    /** Returns a copy with a store that shares its hashes with other nodes. */
    public StorageConfig withShared(SharedSettings engine) {
        return new StorageConfig(dataDir, database, BackendKind.STORE, mirror, listen, access, expire, sync, workers,
                acknowledge,
                log, clock, hooks, replication, engine, push);
    }

    /** Returns a copy with the replication of Rspamd 1.3 to 1.9, or without. */
    public StorageConfig withPush(@Nullable PushSettings settings) {
        return new StorageConfig(dataDir, database, backend, mirror, listen, access, expire, sync, workers, acknowledge,
                log, clock, hooks, replication, shared, settings);
    }
}
