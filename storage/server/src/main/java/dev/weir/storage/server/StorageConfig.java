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
import dev.weir.storage.waves.WaveSettings;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a storage must be told.
 *
 * @param data where the hashes are
 * @param listen addresses, ports and sockets, and the limits of connections
 * @param workers threads that receive and answer datagrams, for each address; 1 is used where the system cannot share
 * an address among more
 * @param access who may do what, with the keys; can be replaced while the storage runs
 * @param times when something happens; all but the clock can be replaced while the storage runs
 * @param writing how updates become durable
 * @param hooks a script with handlers, or null for none; can be replaced while the storage runs
 * @param nodes the other storages that have the same hashes
 * @param waves what is counted of checks without a hit; null for nothing; all but the size of the table can be replaced
 * while the storage runs
 */
public record StorageConfig(Data data, Listen listen, int workers, Access access, Times times, Writing writing,
        @Nullable HookScript hooks, Nodes nodes, @Nullable WaveSettings waves) {

    /**
     * The place of the hashes.
     *
     * @param folder the {@link DataFolder}; made if it is absent
     * @param database the name of the database in this folder
     * @param backend who can read the hashes
     * @param mirror a database outside the folder that follows the store, for other programs; null for none
     */
    public record Data(Path folder, String database, BackendKind backend, @Nullable Path mirror) {
        /** Returns the database that follows the store; empty for none. */
        Optional<Path> mirrorDatabase() {
            return backend == BackendKind.SQLITE
                    ? Optional.of(DataFolder.database(folder))
                    : Optional.ofNullable(mirror);
        }
    }

    /**
     * The times of a storage.
     *
     * @param expire age after which a flag is forgotten, counted from its last change or strong match; zero or less
     *            keeps everything
     * @param sync time between two transactions of the database, which follows the log
     * @param clock tells the time of updates and of expiry
     */
    public record Times(Duration expire, Duration sync, InstantSource clock) {}

    /**
     * How updates get to the disk.
     *
     * @param acknowledge when updates are acknowledged
     * @param log how large the update log may become
     */
    public record Writing(Acknowledge acknowledge, LogLimits log) {}

    /**
     * The other storages.
     *
     * @param replication the nodes of Weir's own replication; null for a storage without any
     * @param shared the Redis through which the storage, a store, shares its hashes with other nodes; null for none
     * @param push the replication of Rspamd 1.3 to 1.9; null for none
     */
    public record Nodes(@Nullable ReplicationSettings replication, @Nullable SharedSettings shared,
            @Nullable PushSettings push) {
        /** A storage of its own. */
        static final Nodes NONE = new Nodes(null, null, null);
    }

    /** Time between two transactions of the database unless told otherwise. */
    public static final Duration DEFAULT_SYNC = Duration.ofSeconds(5);

    /** The most threads that receive: each has buffers and a cache of keys. */
    public static final int MAX_WORKERS = 64;

    /** The port that Rspamd's fuzzy storages listen on. */
    public static final int DEFAULT_PORT = 11335;

    /** How long hashes are kept unless told otherwise; Rspamd's shipped configuration says the same. */
    public static final Duration DEFAULT_EXPIRE = Duration.ofDays(90);

    /**
     * Checks the number of workers.
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
        return new StorageConfig(new Data(dataDir, DataFolder.DATABASE, BackendKind.SQLITE, null),
                Listen.on(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), DEFAULT_PORT)), defaultWorkers(),
                Access.DEFAULT, new Times(DEFAULT_EXPIRE, DEFAULT_SYNC, InstantSource.system()),
                new Writing(Acknowledge.DURABLE, LogLimits.DEFAULT), null, Nodes.NONE, null);
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

    /** Returns the folder of the data. */
    public Path dataDir() {
        return data.folder();
    }

    /** Returns whether the database of the folder follows the store, for other programs. */
    public boolean followsDatabase() {
        return data.backend() == BackendKind.SQLITE;
    }

    /** Returns the clock that tells the time of updates and of expiry. */
    public InstantSource clock() {
        return times.clock();
    }

    private StorageConfig withData(Data place) {
        return new StorageConfig(place, listen, workers, access, times, writing, hooks, nodes, waves);
    }

    private StorageConfig withTimes(Times changed) {
        return new StorageConfig(data, listen, workers, access, changed, writing, hooks, nodes, waves);
    }

    private StorageConfig withWriting(Writing changed) {
        return new StorageConfig(data, listen, workers, access, times, changed, hooks, nodes, waves);
    }

    private StorageConfig withNodes(Nodes others) {
        return new StorageConfig(data, listen, workers, access, times, writing, hooks, others, waves);
    }

    /** Returns a copy with those settings of another configuration that can be replaced while the storage runs. */
    public StorageConfig replacedBy(StorageConfig next) {
        return new StorageConfig(data, listen, workers, next.access, new Times(next.times.expire, next.times.sync,
                times.clock), writing, next.hooks, nodes, waves == null || next.waves == null ? waves : next.waves);
    }

    /** Returns a copy for other readers of the hashes. */
    public StorageConfig withBackend(BackendKind kind) {
        return withData(new Data(data.folder, data.database, kind, data.mirror));
    }

    /** Returns a copy whose database has another name. */
    public StorageConfig withDatabase(String name) {
        return withData(new Data(data.folder, name, data.backend, data.mirror));
    }

    /** Returns a copy with a database that follows the store. */
    public StorageConfig withMirror(Path follower) {
        return withData(new Data(data.folder, data.database, data.backend, follower));
    }

    /** Returns a copy with one address to listen on, and only that. */
    public StorageConfig withBind(InetSocketAddress address) {
        return withListen(listen.withBinds(List.of(new Bind.Inet(address))));
    }

    /** Returns a copy with other places to listen on. */
    public StorageConfig withListen(Listen places) {
        return new StorageConfig(data, places, workers, access, times, writing, hooks, nodes, waves);
    }

    /** Returns a copy with another number of threads that receive and answer. */
    public StorageConfig withWorkers(int count) {
        return new StorageConfig(data, listen, count, access, times, writing, hooks, nodes, waves);
    }

    /** Returns a copy with other rules. */
    public StorageConfig withAccess(Access rules) {
        return new StorageConfig(data, listen, workers, rules, times, writing, hooks, nodes, waves);
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
        return withTimes(new Times(age, times.sync, times.clock));
    }

    /** Returns a copy with another time between two transactions of the database. */
    public StorageConfig withSync(Duration time) {
        return withTimes(new Times(times.expire, time, times.clock));
    }

    /** Returns a copy with another clock. */
    public StorageConfig withClock(InstantSource source) {
        return withTimes(new Times(times.expire, times.sync, source));
    }

    /** Returns a copy with another moment of acknowledgement. */
    public StorageConfig withAcknowledge(Acknowledge when) {
        return withWriting(new Writing(when, writing.log));
    }

    /** Returns a copy with other bounds of the update log. */
    public StorageConfig withLog(LogLimits limits) {
        return withWriting(new Writing(writing.acknowledge, limits));
    }

    /** Returns a copy with a script of handlers, or with none. */
    public StorageConfig withHooks(@Nullable HookScript script) {
        return new StorageConfig(data, listen, workers, access, times, writing, script, nodes, waves);
    }

    /** Returns a copy for a node among several, or for one without others. */
    public StorageConfig withReplication(@Nullable ReplicationSettings settings) {
        return withNodes(new Nodes(settings, nodes.shared, nodes.push));
    }

    /** Returns a copy with a store that shares its hashes with other nodes. */
    public StorageConfig withShared(SharedSettings redis) {
        return withBackend(BackendKind.STORE).withNodes(new Nodes(nodes.replication, redis, nodes.push));
    }

    /** Returns a copy with the replication of Rspamd 1.3 to 1.9, or without. */
    public StorageConfig withPush(@Nullable PushSettings settings) {
        return withNodes(new Nodes(nodes.replication, nodes.shared, settings));
    }

    /** Returns a copy that counts checks without a hit, or counts none. */
    public StorageConfig withWaves(@Nullable WaveSettings settings) {
        return new StorageConfig(data, listen, workers, access, times, writing, hooks, nodes, settings);
    }
}
