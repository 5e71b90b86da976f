package dev.weir.storage.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Predicate;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Networks;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.Submission;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.AccessReport;
import dev.weir.storage.access.Gate;
import dev.weir.storage.access.Rules;
import dev.weir.storage.access.Source;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.backend.sqlite.DamageSearch;
import dev.weir.storage.backend.sqlite.SqliteBackend;
import dev.weir.storage.hooks.HookScript;
import dev.weir.storage.hooks.Hooks;
import dev.weir.storage.hooks.HooksInForce;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexFullException;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.index.Match;
import dev.weir.storage.log.Obstacle;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.BackendFeeder;
import dev.weir.storage.queue.RecentRequests;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;
import dev.weir.storage.queue.UpdateQueue;
import dev.weir.storage.queue.UpdateWriter;
import dev.weir.storage.stats.Statistics;
import dev.weir.wire.Box;
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

    /** So many hashes are loaded between two lines of the log. */
    private static final int LOGGED_HASHES = 100_000;

    /** How often the counters go to the log, where packets never do. */
    private static final int REPORT_HOURS = 1;

    /** How often the buckets of the rate limits are written to their file, and hourly samples taken if they are due. */
    private static final int KEEP_MINUTES = 1;

    /** Clients whose shared keys each receiving thread keeps, some 200 bytes each. */
    private static final int CACHED_KEYS = 4_096;

    /** How long a stop may go on bringing updates to the database unless it is to wait; the rest stays in the log. */
    private static final Duration DRAIN = Duration.ofSeconds(20);

    /** How often a stop says how far it has come. */
    private static final Duration TELL = Duration.ofSeconds(5);

    private static final StartProgress LOGGED = new StartProgress() {
        @Override
        public void loading(long hashes, long of) {
            if (hashes % LOGGED_HASHES == 0 && hashes < of) {
                LOG.info("loading: {} of {} hashes", hashes, of);
            }
        }

        @Override
        public void reading(long bytes, long of) {
            // Done before anybody would look.
        }
    };

    private final StorageConfig config;
    private final Timing timing;
    private final HooksInForce hooks = new HooksInForce();
    private final Counters counters = new Counters();
    private final Tally background = counters.newTally();
    private final SecureRandom random = new SecureRandom();
    private final Statistics statistics = new Statistics(KeyedHash.random(random));
    private final UpdateQueue queue = new UpdateQueue(UpdateQueue.DEFAULT_CAPACITY);
    private final Submissions submissions = new Submissions();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private final ExecutorService spares = Executors
            .newSingleThreadExecutor(Thread.ofPlatform().name("weir-log").daemon().factory());
    private final ScheduledExecutorService reports = Executors
            .newSingleThreadScheduledExecutor(Thread.ofPlatform().name("weir-report").daemon().factory());
    private final Object saving = new Object();

    /** Whether the file of the limits has its last content: the folder may belong to another storage then. */
    private boolean limitsClosed;
    private String lastReport = "";
    private @Nullable Running running;
    private boolean answering;
    private boolean closed;

    /** What exists between start and close. */
    private record Running(DataFolder folder, Gate gate, Backend backend, UpdateLog log, HashIndex index,
            StorageClock time,
            UpdateWriter writer,
            BackendFeeder feeder, DamageSearch search, Listeners listeners, Thread writing, Thread feeding,
            Thread searching) {}

    /** A storage that has not been started. */
    public StorageServer(StorageConfig config) {
        this.config = config;
        this.timing = new Timing(config.expire(), config.sync());
    }

    /**
     * {@link #open Opens} a storage, and has it {@link #answer}.
     *
     * @return the first of the addresses that it listens on, see {@link #addresses}
     * @throws StorageException with a sentence for the operator; nothing is left open then
     * @throws IllegalStateException if it was started before
     */
    public synchronized InetSocketAddress start() throws StorageException {
        open();
        answer();
        return addresses().getFirst();
    }

    /** The same as {@link #open(StartProgress)}, and the log is told how far it has come. */
    public void open() throws StorageException {
        open(LOGGED);
    }

    /**
     * Locks the folder, opens the database, loads all of it and what the log has besides, and takes the addresses. What
     * arrives there waits until {@link #answer}, so that other doors can be opened before anything is promised.
     *
     * @param progress is told how far it has come
     * @throws StorageException with a sentence for the operator; nothing is left open then
     * @throws IllegalStateException if it was started before
     */
    public synchronized void open(StartProgress progress) throws StorageException {
        if (running != null || closed) {
            throw new IllegalStateException("a storage can be started once");
        }
        Gate gate;
        try {
            gate = new Gate(config.access(), statistics, config.clock(), KeyedHash.random(random));
        } catch (IllegalArgumentException e) {
            throw keysClash(e);
        }
        Hooks handlers = loadHooks(config.hooks(), gate);
        hooks.replace(handlers);
        DataFolder folder = DataFolder.open(config.dataDir());
        Backend backend = null;
        UpdateLog log = null;
        Listeners listeners = null;
        try {
            KeptIndex kept = KeptIndex.in(folder);
            boolean fits = kept.fits();
            Path database = folder.file(DataFolder.DATABASE);
            backend = fits ? SqliteBackend.reopen(database) : SqliteBackend.open(database);
            HashIndex index = fits ? kept.read(backend, progress) : null;
            if (index == null) {
                kept.remove();
                index = KeptIndex.load(backend, database, progress);
            }
            RecentRequests recent = new RecentRequests(System::nanoTime);
            StorageClock time = new StorageClock(config.clock(), System::nanoTime, timing);
            LastTime.read(folder.file(DataFolder.CLOCK)).ifPresent(time::known);
            try {
                log = openLog(folder, backend, index, time, recent);
            } catch (IndexFullException e) {
                throw KeptIndex.full(database, index.size(), e);
            }
            gate.restore(folder.file(DataFolder.RATE_LIMITS));
            listeners = Listeners.open(config.listen(), config.workers(), admission(gate), counters);
            running = prepare(folder, gate, backend, log, index, time, listeners, recent);
        } finally {
            if (running == null) {
                release(listeners, log, backend, folder);
                hooks.close();
            }
        }
    }

    private LastingTask lasting(String name, Runnable task) {
        return new LastingTask(name, task, () -> count(Counter.TASK_FAILED));
    }

    /** Counts what no receiving thread sees. Any thread may. */
    public void count(Counter counter) {
        synchronized (background) {
            background.increment(counter);
        }
    }

    private static @Nullable Hooks loadHooks(@Nullable HookScript script, Gate gate) throws StorageException {
        return script == null ? null : Hooks.load(script, new ScriptHost(gate));
    }

    private static void closeHooks(@Nullable Hooks handlers) {
        if (handlers != null) {
            handlers.close();
        }
    }

    private UpdateLog openLog(DataFolder folder, Backend backend, HashIndex index, StorageClock time,
            RecentRequests recent) throws StorageException {
        long applied = backend.revision();
        long[] last = {Long.MIN_VALUE};
        UpdateLog log = UpdateLog.openBeside(backend, folder, DataFolder.UPDATES, config.log(), time, spares,
                update -> {
                    if (update.revision() > applied) {
                        index.apply(update.update());
                    }
                    recent.remember(update);
                    last[0] = update.millis();
                });
        time.known(last[0]);
        time.start();
        // Before the first update: the first minute of a storage must be known, too.
        LastTime.write(folder.file(DataFolder.CLOCK), time.millis());
        if (log.durable() > applied) {
            LOG.info("{} updates of the log are not in the database yet", log.durable() - applied);
        }
        return log;
    }

    private static StorageException keysClash(IllegalArgumentException e) {
        return new StorageException("the key pairs cannot be used together: " + e.getMessage(), e);
    }

    private Running prepare(DataFolder folder, Gate gate, Backend backend, UpdateLog log, HashIndex index,
            StorageClock time, Listeners listeners, RecentRequests recent) {
        UpdateWriter writer = new UpdateWriter(queue, log, index, config.acknowledge(), timing, time, recent,
                listeners::flushLate);
        BackendFeeder feeder = new BackendFeeder(log, backend, timing, time);
        Thread.Builder thread = Thread.ofPlatform().uncaughtExceptionHandler(this::died);
        DamageSearch search = new DamageSearch(folder.file(DataFolder.DATABASE));
        // The storage works without it: what it could not foresee is no reason to stop.
        Thread searching = Thread.ofPlatform().name("weir-damage").daemon()
                .uncaughtExceptionHandler((_, e) -> LOG.error("the search for damage failed", e)).unstarted(search);
        return new Running(folder, gate, backend, log, index, time, writer, feeder, search, listeners,
                thread.name("weir-writer").unstarted(writer), thread.name("weir-feeder").unstarted(feeder), searching);
    }

    /**
     * Begins to answer. Does nothing the second time, nor after {@link #close}.
     *
     * @throws IllegalStateException if it was not opened
     */
    public synchronized void answer() {
        if (answering || closed) {
            return;
        }
        Running now = running();
        answering = true;
        CommandHandler.Shared shared = new CommandHandler.Shared(now.index(), queue, now.gate(),
                new LateReplies(random, statistics.newRecorder()), timing, hooks, config.clock(), now.time(), counters,
                statistics, submissions);
        now.writing().start();
        now.feeding().start();
        now.listeners().start(() -> new CommandHandler(shared, new Box(random, CACHED_KEYS),
                new AgreementBudget(System::nanoTime, KeyedHash.random(random))), this::died);
        now.searching().start();
        // They end with the executor.
        var _ = reports.scheduleAtFixedRate(lasting("the report of the counters", this::report), REPORT_HOURS,
                REPORT_HOURS, TimeUnit.HOURS);
        var _ = reports.scheduleAtFixedRate(lasting("keeping the rate limits", this::keepAccess), KEEP_MINUTES,
                KEEP_MINUTES, TimeUnit.MINUTES);
        LOG.info("listening on {} (UDP with {} threads each, TCP with one); {}", describe(now.listeners()),
                config.workers(), summary(now.gate().rules()));
    }

    /** Whose connections are taken at all; asking counts against rate limits. */
    private Predicate<InetAddress> admission(Gate gate) {
        return address -> {
            Source source = new Source();
            source.set(address, true);
            return !gate.rules().refusesConnection(source, config.clock().millis());
        };
    }

    private static String summary(Rules rules) {
        Access access = rules.access();
        Networks sources = access.updates().sources();
        String updates = access.updates().readOnly()
                ? "nobody"
                : sources != null ? sources.toString() : "clients whose key allows it";
        return "updates are accepted from " + updates + "; " + rules.keys().size() + " key pairs"
                + (access.encryptedOnly() ? ", encrypted requests only" : "");
    }

    /**
     * Puts other rules, and other keys, in force without losing anything: requests in hand end under the old ones, buckets
     * of rate limits and counters stay.
     *
     * @throws StorageException if keys cannot be used together; the old rules stay in force then
     * @throws IllegalStateException if the storage is not running
     */
    public void reconfigure(Access access) throws StorageException {
        Gate gate = running().gate();
        try {
            gate.reconfigure(access);
        } catch (IllegalArgumentException e) {
            throw keysClash(e);
        }
        LOG.info("the rules were replaced: {}", summary(gate.rules()));
    }

    /**
     * Puts in force what another configuration says otherwise and what can change while running: the rules and keys,
     * {@code expire} and {@code sync}.
     *
     * @return the names of what differs and stays as it is until the next start
     * @throws StorageException if keys cannot be used together or the script cannot; everything stays as it was then
     * @throws IllegalStateException if the storage is not running
     */
    public List<String> reconfigure(StorageConfig next) throws StorageException {
        Hooks fresh = loadHooks(next.hooks(), running().gate());
        boolean done = false;
        try {
            reconfigure(next.access());
            done = true;
        } finally {
            if (!done) {
                closeHooks(fresh);
            }
        }
        hooks.replace(fresh);
        timing.change(next.expire(), next.sync());
        List<String> later = new ArrayList<>();
        if (!next.listen().equals(config.listen())) {
            later.add("bind_socket and limits of connections");
        }
        if (next.workers() != config.workers()) {
            later.add("count");
        }
        if (!next.dataDir().equals(config.dataDir())) {
            later.add("hashfile");
        }
        if (next.acknowledge() != config.acknowledge()) {
            later.add("acknowledge");
        }
        if (!next.log().equals(config.log())) {
            later.add("max_log");
        }
        return later;
    }

    /**
     * One hash as it is stored, with all flags that are not expired.
     *
     * @return nothing if it is not there
     * @throws IllegalStateException if the storage is not running
     */
    public Optional<StoredHash> find(Digest digest) {
        Running now = running();
        HashIndex index = now.index();
        long expire = timing.expireSeconds();
        Lookup lookup = new Lookup();
        digest.copyTo(lookup.digest(), 0);
        lookup.hasShingles(false);
        if (!index.find(lookup, expire == 0 ? Long.MIN_VALUE : now.time().millis() / 1000 - expire)) {
            return Optional.empty();
        }
        Match match = lookup.match();
        List<StoredHash.Slot> slots = new ArrayList<>();
        for (int i = 0; i < match.flagCount(); i++) {
            slots.add(new StoredHash.Slot(match.flag(i), match.value(i), match.time(i)));
        }
        return Optional.of(new StoredHash(slots));
    }

    /**
     * Says who submitted the mail behind an update that a scanner in this process is about to send, for the audit trail.
     *
     * @param digest that the update will have
     * @param tag that the update will have
     */
    public void announce(Digest digest, int tag, Submission submission) {
        submissions.announce(digest, tag, submission);
    }

    /**
     * The rules in force.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public Access access() {
        return running().gate().rules().access();
    }

    /**
     * Who asked what up to now.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public AccessReport clients() {
        return running().gate().report();
    }

    /** Takes samples, and writes to a file what must outlive the process. */
    private void keepAccess() {
        Running now;
        synchronized (this) {
            now = running;
        }
        if (now != null) {
            now.gate().sample();
            saveLimits(now, false);
            LastTime.write(now.folder().file(DataFolder.CLOCK), now.time().millis());
        }
    }

    /** Not with the lock of this object, for others need that and a disk may be slow. */
    private void saveLimits(Running now, boolean last) {
        Path file = now.folder().file(DataFolder.RATE_LIMITS);
        synchronized (saving) {
            if (limitsClosed) {
                return;
            }
            limitsClosed = last;
            try {
                now.gate().save(file);
            } catch (IOException e) {
                LOG.warn("the rate limits cannot be written to {} ({}); after a restart those of some time ago hold",
                        file, e.getMessage());
            }
        }
    }

    private String describe(Listeners listeners) {
        StringJoiner places = new StringJoiner(", ");
        listeners.addresses().forEach(address -> places.add(address.toString()));
        config.listen().binds().stream().filter(Bind.Unix.class::isInstance)
                .forEach(bind -> places.add(bind.toString()));
        return places.toString();
    }

    /**
     * The addresses that it listens on, with their true ports, in the order of the configuration.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public List<InetSocketAddress> addresses() {
        return running().listeners().addresses();
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
                log.bytes(), now.feeder().failure(), damage(now), isRefusing(now), writer.isFull(),
                now.time().doubt(), troubles(now),
                new StorageStats.Updates(writer.forces(), writer.stored(), writer.failed(), writer.repeated(),
                        writer.expired(), writer.refreshed()),
                now.index().crowded(), now.listeners().connections(), now.listeners().heldBytes(),
                counters.snapshot());
    }

    private static boolean isRefusing(Running now) {
        return now.writer().isFailing() || now.log().hindrance().isPresent();
    }

    private List<Trouble> troubles(Running now) {
        List<Trouble> troubles = new ArrayList<>();
        if (isRefusing(now)) {
            troubles.add(now.log().hindrance()
                    .map(hindrance -> new Trouble("updates are refused: " + hindrance.obstacle().description(),
                            hindrance.detail()))
                    .orElseGet(() -> new Trouble("updates are refused: " + Obstacle.FAILURE.description(), "")));
        }
        if (now.writer().isFull()) {
            troubles.add(new Trouble("learns are refused: the memory index has no room", ""));
        }
        if (queue.isFull()) {
            troubles.add(new Trouble("updates are refused: more arrive than the disk takes",
                    queue.size() + " wait"));
        }
        String failure = now.feeder().failure();
        if (!failure.isEmpty()) {
            troubles.add(new Trouble("the database cannot be written",
                    failure + "; " + unapplied(now.log()) + " updates wait in the log"));
        }
        if (troubles.isEmpty() && isFarBehind(now.log())) {
            troubles.add(new Trouble("the database is far behind the log: updates will be refused when that is full",
                    unapplied(now.log()) + " updates in " + (now.log().bytes() >> 20) + " of "
                            + (now.log().maxBytes() >> 20) + " MiB"));
        }
        String damage = damage(now);
        if (!damage.isEmpty()) {
            troubles.add(new Trouble("the database is damaged", damage));
        }
        return troubles;
    }

    private static String damage(Running now) {
        String found = now.search().damage();
        return found.isEmpty() ? now.feeder().damage() : found;
    }

    /** Whether less than a quarter of the log is free, and not for the sake of the audit trail. */
    private boolean isFarBehind(UpdateLog log) {
        return unapplied(log) > 0 && log.bytes() > log.maxBytes() / 4 * 3
                && log.bytes() > config.log().retainBytes() + 2L * config.log().segmentBytes();
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
     * Believes the clock of the machine from now on, however far it is from what the storage knows.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public void trustClock() {
        running().time().believe();
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

    /** {@link #stop Stops}, and brings to the database what goes in a few seconds. Does nothing the second time. */
    @Override
    public void close() {
        stop(false, _ -> {});
    }

    /**
     * Stops receiving, stores and answers everything that was accepted, brings the database up to date and releases the
     * folder. What the database does not get stays in the log for the next start. Does nothing the second time.
     *
     * @param drain whether to wait until the database has everything, however long that takes; otherwise for 20 seconds at
     *            most, and not for a database that cannot be written
     * @param waiting is told every few seconds how many updates the database has not got yet
     */
    public synchronized void stop(boolean drain, LongConsumer waiting) {
        if (closed) {
            return;
        }
        closed = true;
        reports.shutdownNow();
        Running now = running;
        if (now != null) {
            now.search().end();
            now.listeners().stop();
            now.writer().finish();
            Listeners.join(now.writing());
            now.listeners().close();
            if (drain) {
                now.feeder().finish();
            } else {
                now.feeder().finish(DRAIN);
            }
            Listeners.join(now.feeding(), TELL, () -> waiting.accept(unapplied(now.log())));
            // An open reader keeps the write-ahead log, and then no index would be kept.
            Listeners.join(now.searching());
            report();
            saveLimits(now, true);
            LastTime.write(now.folder().file(DataFolder.CLOCK), now.time().millis());
            running = null;
            hooks.close();
            leave(now);
            sayWhatStays(now);
        }
        spares.shutdown();
        stopped.complete(null);
    }

    private static long unapplied(UpdateLog log) {
        return Math.max(0, log.durable() - log.applied());
    }

    /** Another program that goes on with the database knows nothing of the log. */
    private static void sayWhatStays(Running now) {
        long hashes = now.index().size();
        long left = unapplied(now.log());
        if (left == 0) {
            LOG.info("stopped; {} hashes are stored, and the database has all of them", hashes);
            return;
        }
        String failure = now.feeder().failure();
        LOG.warn("stopped; {} hashes are stored. {} updates are in the log and not in the database{}: the next start of"
                + " weir applies them, but Rspamd would not see them. Before Rspamd takes the database over, start weir"
                + " serve --drain and stop it again", hashes, left,
                failure.isEmpty() ? "" : ", which cannot be written (" + failure + ")");
    }

    /** Lets go of the folder, and keeps the index beside the database if both are sure to hold the same. */
    private void leave(Running now) {
        try (DataFolder folder = now.folder()) {
            long storage;
            long revision;
            try (Backend backend = now.backend()) {
                now.log().close();
                storage = backend.storageId();
                revision = backend.revision();
            }
            if (now.writer().isComplete() && revision == now.log().durable()) {
                KeptIndex.in(folder).write(now.index(), storage, revision, config.log().reserveBytes());
            }
        } catch (StorageException e) {
            LOG.warn("{}", e.getMessage(), e);
        }
    }

    private static void release(@Nullable Listeners listeners, @Nullable UpdateLog log, @Nullable Backend backend,
            DataFolder folder) {
        if (listeners != null) {
            listeners.close();
        }
        if (log != null) {
            log.close();
        }
        try (folder) {
            if (backend != null) {
                backend.close();
            }
        } catch (StorageException e) {
            LOG.warn("{}", e.getMessage(), e);
        }
    }
}
