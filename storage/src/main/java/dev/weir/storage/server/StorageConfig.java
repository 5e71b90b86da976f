package dev.weir.storage.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

import dev.weir.storage.StorageException;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.wire.KeyPair;

/**
 * Everything that a storage must be told.
 *
 * @param dataDir folder of {@value #DATABASE}, of the update log in {@value #LOG} and of a lock; made when it is not
 *            there
 * @param listen addresses, ports and sockets, and the limits of connections
 * @param allowUpdate sources that may write and delete; nobody when empty
 * @param keyPairs for encrypted requests; the last one is also used for requests that name none of them
 * @param encryptedOnly whether plain requests are refused
 * @param expire age after which a flag is forgotten, counted from its last change or strong match; zero or less keeps
 *            everything
 * @param sync time between two transactions of the database, which follows the log
 * @param workers threads that receive and answer datagrams, for each address; 1 is used where the system cannot share an address among more
 * @param acknowledge when updates are acknowledged
 * @param log how large the update log may become
 * @param clock tells the time of updates and of expiry
 */
public record StorageConfig(Path dataDir, Listen listen, List<Network> allowUpdate, List<KeyPair> keyPairs,
        boolean encryptedOnly, Duration expire, Duration sync, int workers, Acknowledge acknowledge,
        LogLimits log, InstantSource clock) {

    /** File name of the database in the data folder. */
    public static final String DATABASE = "fuzzy.db";

    /** Name of the folder of the update log in the data folder. */
    public static final String LOG = "updates";

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
        allowUpdate = List.copyOf(allowUpdate);
        keyPairs = List.copyOf(keyPairs);
    }

    /** A storage on 127.0.0.1:11335 that nobody may write to, without keys. */
    public static StorageConfig of(Path dataDir) {
        return new StorageConfig(dataDir,
                Listen.on(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), DEFAULT_PORT)),
                List.of(), List.of(), false, DEFAULT_EXPIRE, DEFAULT_SYNC, defaultWorkers(), Acknowledge.DURABLE,
                LogLimits.DEFAULT,
                InstantSource.system());
    }

    /**
     * The database of a storage that exists.
     *
     * @throws StorageException if there is none in the folder
     */
    public static Path databaseIn(Path folder) throws StorageException {
        Path database = folder.resolve(DATABASE);
        if (!Files.exists(database)) {
            throw new StorageException("there is no storage in " + folder + ": it has no " + DATABASE);
        }
        return database;
    }

    /** The addresses of the machine itself. */
    public static List<Network> loopback() {
        return List.of(Network.parse("127.0.0.0/8"), Network.parse("::1"));
    }

    /** The first of the addresses to listen on. */
    public InetSocketAddress bind() {
        return listen.first();
    }

    /** The same with one address to listen on, and only that. */
    public StorageConfig withBind(InetSocketAddress address) {
        return withListen(listen.withBinds(List.of(new Bind.Inet(address))));
    }

    /** The same with other places to listen on. */
    public StorageConfig withListen(Listen places) {
        return new StorageConfig(dataDir, places, allowUpdate, keyPairs, encryptedOnly, expire, sync, workers,
                acknowledge, log,
                clock);
    }

    /** The same with other sources that may write. */
    public StorageConfig withAllowUpdate(List<Network> networks) {
        return new StorageConfig(dataDir, listen, networks, keyPairs, encryptedOnly, expire, sync, workers, acknowledge,
                log,
                clock);
    }

    /** The same with other key pairs. */
    public StorageConfig withKeyPairs(List<KeyPair> pairs) {
        return new StorageConfig(dataDir, listen, allowUpdate, pairs, encryptedOnly, expire, sync, workers, acknowledge,
                log,
                clock);
    }

    /** The same, with plain requests refused or not. */
    public StorageConfig withEncryptedOnly(boolean only) {
        return new StorageConfig(dataDir, listen, allowUpdate, keyPairs, only, expire, sync, workers, acknowledge, log,
                clock);
    }

    /** The same with another age of expiry. */
    public StorageConfig withExpire(Duration age) {
        return new StorageConfig(dataDir, listen, allowUpdate, keyPairs, encryptedOnly, age, sync, workers, acknowledge,
                log,
                clock);
    }

    /** The same with another clock. */
    public StorageConfig withClock(InstantSource source) {
        return new StorageConfig(dataDir, listen, allowUpdate, keyPairs, encryptedOnly, expire, sync, workers,
                acknowledge, log,
                source);
    }

    /** The same with another time between two transactions of the database. */
    public StorageConfig withSync(Duration time) {
        return new StorageConfig(dataDir, listen, allowUpdate, keyPairs, encryptedOnly, expire, time, workers,
                acknowledge, log,
                clock);
    }

    /** All processors but one, which is for learns: one thread answers as fast as a processor can be given datagrams. */
    public static int defaultWorkers() {
        return Math.clamp(Runtime.getRuntime().availableProcessors() - 1, 1, MAX_WORKERS);
    }

    /** The same with another number of threads that receive and answer. */
    public StorageConfig withWorkers(int count) {
        return new StorageConfig(dataDir, listen, allowUpdate, keyPairs, encryptedOnly, expire, sync, count,
                acknowledge,
                log, clock);
    }

    /** The same with another moment of acknowledgement. */
    public StorageConfig withAcknowledge(Acknowledge when) {
        return new StorageConfig(dataDir, listen, allowUpdate, keyPairs, encryptedOnly, expire, sync, workers, when,
                log,
                clock);
    }

    /** The same with other bounds of the update log. */
    public StorageConfig withLog(LogLimits limits) {
        return new StorageConfig(dataDir, listen, allowUpdate, keyPairs, encryptedOnly, expire, sync, workers,
                acknowledge, limits,
                clock);
    }
}
