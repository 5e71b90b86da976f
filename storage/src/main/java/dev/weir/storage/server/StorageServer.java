package dev.weir.storage.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.backend.sqlite.SqliteBackend;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.KeyedHash;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogRepair;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.BackendFeeder;
import dev.weir.storage.queue.UpdateQueue;
import dev.weir.storage.queue.UpdateWriter;
import dev.weir.wire.Box;
import dev.weir.wire.ServerKeys;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running storage: the data folder, the index, and the threads that receive, write the log and feed the database.
 *
 * <p>{@link #start} once, {@link #close} once; both may be called from any thread.
 */
public final class StorageServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StorageServer.class);

    /** How often the counters go to the log, where packets never do. */
    private static final int REPORT_HOURS = 1;

    /** How long a stop may go on bringing updates to the database; the rest stays in the log. */
    private static final Duration DRAIN = Duration.ofSeconds(20);

    private final StorageConfig config;
    private final Counters counters = new Counters();
    private final UpdateQueue queue = new UpdateQueue(UpdateQueue.DEFAULT_CAPACITY);
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private final ExecutorService spares = Executors
            .newSingleThreadExecutor(Thread.ofPlatform().name("weir-log").daemon().factory());
    private final ScheduledExecutorService reports = Executors
            .newSingleThreadScheduledExecutor(Thread.ofPlatform().name("weir-report").daemon().factory());
    private String lastReport = "";
    private @Nullable Running running;
    private boolean closed;

    /** What exists between start and close. */
    private record Running(DataFolder folder, Backend backend, UpdateLog log, HashIndex index, UpdateWriter writer,
            BackendFeeder feeder, Receiver receiver, Thread writing, Thread feeding, Thread receiving) {}

    /** A storage that has not been started. */
    public StorageServer(StorageConfig config) {
        this.config = config;
    }

    /**
     * Locks the folder, opens the database, loads all of it and what the log has besides, and begins to answer.
     *
     * @return the address that it listens on
     * @throws StorageException with a sentence for the operator; nothing is left open then
     * @throws IllegalStateException if it was started before
     */
    public synchronized InetSocketAddress start() throws StorageException {
        if (running != null || closed) {
            throw new IllegalStateException("a storage can be started once");
        }
        ServerKeys keys;
        try {
            keys = ServerKeys.of(config.keyPairs());
        } catch (IllegalArgumentException e) {
            throw new StorageException("the key pairs cannot be used together: " + e.getMessage(), e);
        }
        DataFolder folder = DataFolder.open(config.dataDir());
        Backend backend = null;
        UpdateLog log = null;
        Receiver receiver = null;
        try {
            backend = SqliteBackend.open(folder.file(StorageConfig.DATABASE));
            HashIndex index = load(backend);
            List<LoggedUpdate> recent = new ArrayList<>();
            log = openLog(folder, backend, index, recent);
            receiver = bind();
            begin(folder, backend, log, index, receiver, keys, recent);
            // Nobody waits for it: it ends with the executor.
            var _ = reports.scheduleAtFixedRate(this::report, REPORT_HOURS, REPORT_HOURS, TimeUnit.HOURS);
            return receiver.address();
        } finally {
            if (running == null) {
                release(receiver, log, backend, folder);
            }
        }
    }

    private UpdateLog openLog(DataFolder folder, Backend backend, HashIndex index, List<LoggedUpdate> recent)
            throws StorageException {
        LogRepair.finish(folder.file(StorageConfig.LOG));
        long applied = backend.revision();
        long oldest = config.clock().millis() - UpdateWriter.MAX_REPEAT_MILLIS;
        UpdateLog log = UpdateLog.open(FolderDisk.of(folder.folder(StorageConfig.LOG)), config.log(),
                backend.storageId(), applied, config.clock(), spares, update -> {
                    if (update.revision() > applied) {
                        index.apply(update.update());
                    }
                    if (update.millis() >= oldest) {
                        recent.add(update);
                    }
                });
        if (log.durable() > applied) {
            LOG.info("{} updates of the log are not in the database yet", log.durable() - applied);
        }
        return log;
    }

    private HashIndex load(Backend backend) throws StorageException {
        long start = System.nanoTime();
        long expected = backend.count();
        HashIndex index = new HashIndex(KeyedHash.random(), expected);
        backend.load(index::load, done -> {
            if (done < expected) {
                LOG.info("loading: {} of {} hashes", done, expected);
            }
        });
        LOG.info("loaded {} hashes from {} in {} ms", index.size(), config.dataDir().resolve(StorageConfig.DATABASE),
                (System.nanoTime() - start) / 1_000_000);
        return index;
    }

    private Receiver bind() throws StorageException {
        if (config.bind().isUnresolved()) {
            throw new StorageException("there is no address for the host name " + config.bind().getHostString());
        }
        try {
            return NioReceiver.open(config.bind(), counters);
        } catch (IOException e) {
            throw new StorageException("cannot listen on " + config.bind().getAddress().getHostAddress() + " port "
                    + config.bind().getPort() + " (" + e.getMessage() + "); is another storage running there?", e);
        }
    }

    private void begin(DataFolder folder, Backend backend, UpdateLog log, HashIndex index, Receiver receiver,
            ServerKeys keys, List<LoggedUpdate> recent) {
        SecureRandom random = new SecureRandom();
        long expire = Math.max(0, config.expire().toSeconds());
        UpdateWriter writer = new UpdateWriter(queue, log, index, config.acknowledge(), expire, config.clock());
        recent.forEach(writer::remember);
        BackendFeeder feeder = new BackendFeeder(log, backend, config.sync(), config.clock());
        CommandHandler handler = new CommandHandler(
                new CommandHandler.Shared(index, queue, new Gate(config.encryptedOnly(), config.allowUpdate()), keys,
                        new LateReplies(random), expire, config.clock(), counters),
                new Box(random));
        Thread writing = Thread.ofPlatform().name("weir-writer").uncaughtExceptionHandler(this::died).start(writer);
        Thread feeding = Thread.ofPlatform().name("weir-feeder").uncaughtExceptionHandler(this::died).start(feeder);
        Thread receiving = Thread.ofPlatform().name("weir-receiver").uncaughtExceptionHandler(this::died)
                .start(() -> receiver.run(handler));
        running = new Running(folder, backend, log, index, writer, feeder, receiver, writing, feeding, receiving);
        LOG.info("listening on {} (UDP); updates are accepted from {}; {} key pairs{}", receiver.address(),
                config.allowUpdate().isEmpty() ? "nobody" : config.allowUpdate(), keys.size(),
                config.encryptedOnly() ? ", encrypted requests only" : "");
    }

    private void died(Thread thread, Throwable cause) {
        LOG.error("the thread {} ended; this storage no longer works", thread.getName(), cause);
        stopped.completeExceptionally(cause);
    }

    /** Is completed by {@link #close}, or exceptionally when a thread ends by itself and the process had better. */
    public CompletableFuture<Void> stopped() {
        return stopped.copy();
    }

    /**
     * What was counted up to now.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public StorageStats stats() {
        Running now = running();
        UpdateWriter writer = now.writer();
        UpdateLog log = now.log();
        long durable = log.durable();
        return new StorageStats(now.index().size(), durable, queue.size(), Math.max(0, durable - log.applied()),
                log.bytes(), now.feeder().failure(), writer.isFailing(),
                new StorageStats.Updates(writer.forces(), writer.stored(), writer.failed(), writer.repeated(),
                        writer.expired(), writer.refreshed()),
                now.index().crowded(), counters.snapshot());
    }

    /** One line with every counter that is not zero, unless it would be the same as the line before. */
    private synchronized void report() {
        if (running == null) {
            return;
        }
        StorageStats stats = stats();
        StringJoiner line = new StringJoiner(", ");
        new TreeMap<>(stats.counters()).forEach((counter, value) -> {
            if (value != 0) {
                line.add(counter.description() + " " + value);
            }
        });
        StorageStats.Updates updates = stats.updates();
        line.add("updates stored " + updates.stored()).add("not stored " + updates.failed())
                .add("repeated requests " + updates.repeated()).add("flags expired " + updates.expired())
                .add("hashes renewed " + updates.refreshed()).add("posting lists crowded " + stats.crowded());
        String text = line.toString();
        if (!text.equals(lastReport)) {
            LOG.info("since the start: {}", text);
            lastReport = text;
        }
    }

    /**
     * Removes everything expired now rather than within the next minute; gives how many flags that were.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public CompletableFuture<Long> sweep() {
        return running().writer().sweep();
    }

    /**
     * Brings what is in the log to the database now rather than with the next sync.
     *
     * @return completes with the revision that the database then has, or with why it cannot be written
     * @throws IllegalStateException if the storage is not running
     */
    public CompletableFuture<Long> sync() {
        return running().feeder().sync();
    }

    private synchronized Running running() {
        Running now = running;
        if (now == null) {
            throw new IllegalStateException("the storage is not running");
        }
        return now;
    }

    /**
     * Stops receiving, stores and answers everything that was accepted, brings the database up to date (as far as a few
     * seconds go, the log has the rest) and lets go of the folder.
     * Does nothing the second time.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        reports.shutdownNow();
        Running now = running;
        if (now != null) {
            now.receiver().stop();
            join(now.receiving());
            now.writer().finish();
            join(now.writing());
            now.feeder().finish(DRAIN);
            join(now.feeding());
            report();
            running = null;
            release(now.receiver(), now.log(), now.backend(), now.folder());
            LOG.info("stopped; {} hashes are stored", now.index().size());
        }
        spares.shutdown();
        stopped.complete(null);
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                // Leaving now would lose updates that are being stored.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void release(@Nullable Receiver receiver, @Nullable UpdateLog log, @Nullable Backend backend,
            DataFolder folder) {
        if (receiver != null) {
            receiver.close();
        }
        if (log != null) {
            log.close();
        }
        try {
            if (backend != null) {
                backend.close();
            }
        } catch (StorageException e) {
            LOG.warn("{}", e.getMessage(), e);
        }
        try {
            folder.close();
        } catch (IOException e) {
            LOG.warn("unlocking the data folder failed", e);
        }
    }
}
