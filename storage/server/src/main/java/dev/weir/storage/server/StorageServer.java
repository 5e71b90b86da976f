package dev.weir.storage.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Predicate;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Networks;
import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.gate.AccessReport;
import dev.weir.storage.access.gate.Gate;
import dev.weir.storage.access.gate.Rules;
import dev.weir.storage.access.gate.SkipList;
import dev.weir.storage.access.gate.Source;
import dev.weir.storage.brake.RemovalBrake;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.EngineStats;
import dev.weir.storage.engine.LiveHashes;
import dev.weir.storage.engine.StartProgress;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.history.MetricHistory;
import dev.weir.storage.history.Span;
import dev.weir.storage.hits.HitSampler;
import dev.weir.storage.hits.HitTable;
import dev.weir.storage.hits.WordSamples;
import dev.weir.storage.hooks.HookScript;
import dev.weir.storage.hooks.Hooks;
import dev.weir.storage.hooks.HooksInForce;
import dev.weir.storage.push.PushNode;
import dev.weir.storage.push.PushSettings;
import dev.weir.storage.push.PushTransport;
import dev.weir.storage.replication.ReplicationNode;
import dev.weir.storage.replication.ReplicationSettings;
import dev.weir.storage.replication.Transport;
import dev.weir.storage.server.reply.LateReplies;
import dev.weir.storage.server.request.AgreementBudget;
import dev.weir.storage.server.request.AnnouncedSubmitters;
import dev.weir.storage.server.request.CommandHandler;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.Counters;
import dev.weir.storage.server.stats.StorageStats;
import dev.weir.storage.server.stats.ThreadCounters;
import dev.weir.storage.server.stream.HttpHandoff;
import dev.weir.storage.shared.SharedAttachment;
import dev.weir.storage.shared.SharedNode;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.stats.AnswerTimes;
import dev.weir.storage.stats.Statistics;
import dev.weir.storage.transfer.carry.CarryOver;
import dev.weir.storage.undo.Undo;
import dev.weir.storage.waves.WaveSettings;
import dev.weir.storage.waves.Waves;
import dev.weir.wire.box.Box;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A storage as a network service: an engine, the sockets in front of it, the rules of access, and periodic reports.
 *
 * <p>{@link #start} once, {@link #close} once; both may be called from any thread.
 */
public final class StorageServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StorageServer.class);

    /** How often the counters go to the log, where packets never do. */
    private static final int REPORT_HOURS = 1;

    /** How often the rate limits and hits are written to their files, and hourly samples taken if they are due. */
    private static final int KEEP_MINUTES = 1;

    /** How often hits are collected and a sample of the figures is taken. */
    private static final int SAMPLE_SECONDS = 1;

    /** Clients whose shared keys each receiving thread keeps, some 200 bytes each. */
    private static final int CACHED_KEYS = 4_096;

    private final StorageConfig config;
    private final Transport.Factory transports;
    private final PushTransport slaves;
    private final HooksInForce hooks = new HooksInForce();
    private final Counters counters = new Counters();
    private final ThreadCounters background = counters.newTally();
    private final SecureRandom random = new SecureRandom();
    private final Statistics statistics = new Statistics(KeyedHash.random(random));
    private final AnnouncedSubmitters submissions = new AnnouncedSubmitters();
    private final HitSampler hits = new HitSampler();
    private final WordSamples samples;

    /** The small files of the folder. All parts of a storage share this object, so that damage is reported once. */
    private final StateFiles files;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private final ScheduledExecutorService reports = Executors
            .newSingleThreadScheduledExecutor(Thread.ofPlatform().name("weir-report").daemon().factory());
    private final Object saving = new Object();

    /** Whether the files have their last content: the folder may belong to another storage then. */
    private boolean countsClosed;
    private String lastReport = "";
    private @Nullable Running running;
    private boolean answering;
    private boolean closed;

    /** What exists between start and close. */
    private record Running(StorageEngine engine, Gate gate, Listeners listeners, Undo undo, MetricHistory history,
            Optional<ReplicationNode> node, Optional<PushNode> push, Optional<Waves> waves) {}

    /** A storage that has not been started, and that follows no other one. */
    public StorageServer(StorageConfig config) {
        this(config, (leader, _) -> {
            throw new IllegalStateException("no transport to the leader is configured: " + leader);
        });
    }

    /**
     * A storage that has not been started.
     *
     * @param transports the way to a leader, if the configuration names one
     */
    public StorageServer(StorageConfig config, Transport.Factory transports) {
        this(config, transports, (slave, _, _, _) -> {
            throw new IllegalStateException("no transport to the slave is configured: " + slave.name());
        });
    }

    /**
     * A storage that has not been started.
     *
     * @param transports the way to a leader, if the configuration names one
     * @param slaves the way to slaves, if the configuration names some
     */
    public StorageServer(StorageConfig config, Transport.Factory transports, PushTransport slaves) {
        this.config = config;
        this.transports = transports;
        this.samples = new WordSamples(config.clock());
        this.slaves = slaves;
        this.files = new StateFiles(config.dataDir(), config.clock());
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
        open(new LoggedStart(LOG::info));
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
        hooks.replace(loadHooks(config.hooks(), gate));
        try {
            running = open(gate, progress);
        } catch (Throwable e) {
            hooks.close();
            throw e;
        }
    }

    private Running open(Gate gate, StartProgress progress) throws StorageException {
        DataFolder.choose(config.dataDir(), config.data().database());
        StorageConfig.Nodes nodes = config.nodes();
        ReplicationSettings others = nodes.replication();
        Optional<ReplicationNode.Beginning> beginning = others == null
                ? Optional.empty()
                : Optional.of(ReplicationNode.begin(others, config.dataDir(), files, config.clock()));
        PushSettings push = nodes.push();
        Optional<Map<String, Long>> pushed = push == null
                ? Optional.empty()
                : PushNode.beforeCarryOver(config.dataDir());
        EngineFolder store = CarryOver.open(config.dataDir(), files, config.data().mirrorDatabase(), progress);
        if (nodes.shared() != null) {
            store = store.with(new SharedAttachment(nodes.shared(), files));
        }
        EngineConfig.Replication part = beginning.map(ReplicationNode.Beginning::engine)
                .orElse(EngineConfig.Replication.ALONE);
        StorageEngine engine = StorageEngine.open(engineConfig().withReplication(part), store, progress);
        try {
            long storage = engine.storageId();
            gate.restore(files.file(Gate.LIMITS, storage));
            hits.load(files.file(HitSampler.FORMAT, storage));
            samples.load(files.file(WordSamples.FORMAT, storage));
            gate.skips().load(files.file(SkipList.FORMAT, storage));
            Listeners listeners = Listeners.open(config.listen(), config.workers(), admission(gate), counters);
            return new Running(engine, gate, listeners, new Undo(config.dataDir(), engine),
                    MetricHistory.open(config.dataDir().resolve(DataFolder.HISTORY)),
                    beginning.map(known -> new ReplicationNode(known, engine, transports,
                            config.clock())),
                    push == null
                            ? Optional.empty()
                            : Optional.of(new PushNode(push, config.dataDir(), pushed, engine, slaves,
                                    config.times().sync())),
                    openWaves(engine, gate));
        } catch (Throwable e) {
            engine.close();
            throw e;
        }
    }

    private Optional<Waves> openWaves(StorageEngine engine, Gate gate) {
        Optional<Waves> waves = Optional.ofNullable(config.waves())
                .map(settings -> new Waves(settings, engine.hashes(), gate::rules, random));
        waves.ifPresent(counted -> counted.load(files.file(Waves.FORMAT, engine.storageId())));
        return waves;
    }

    private EngineConfig engineConfig() {
        StorageConfig.Times times = config.times();
        StorageConfig.Writing writing = config.writing();
        return EngineConfig.of(times.expire(), times.sync(), writing.acknowledge(), writing.log(), times.clock());
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

    private @Nullable Hooks loadHooks(@Nullable HookScript script, Gate gate) throws StorageException {
        return script == null
                ? null
                : Hooks.load(script, new ScriptHost(gate), () -> count(Counter.HOOK_DROPPED));
    }

    private static void closeHooks(@Nullable Hooks handlers) {
        if (handlers != null) {
            handlers.close();
        }
    }

    private static StorageException keysClash(IllegalArgumentException e) {
        return new StorageException("the key pairs cannot be used together: " + e.getMessage(), e);
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
        CommandHandler.Shared shared = new CommandHandler.Shared(now.engine().hashes(), now.gate(),
                new LateReplies(random, statistics.newRecorder()), hooks, counters, statistics, submissions, hits,
                now.waves().orElse(null));
        now.engine().start(now.listeners()::flushLate, this::died);
        now.node().ifPresent(node -> node.start(this::died));
        now.push().ifPresent(node -> node.start(this::died));
        now.waves().ifPresent(waves -> {
            if (now.node().isPresent() || now.engine().attached(SharedNode.class).isPresent()) {
                waves.exchangesWithOthers(now.engine().role()::leads);
            }
            waves.start();
            now.engine().attached(SharedNode.class).ifPresent(node -> node.exchange(waves));
            now.node().ifPresent(node -> node.exchange(waves));
        });
        if (now.node().filter(ReplicationNode::isEmpty).isPresent()) {
            LOG.info("clients get no answer until the copy of the leader is complete");
        } else {
            now.listeners().start(() -> new CommandHandler(shared, new Box(random, CACHED_KEYS),
                    new AgreementBudget(System::nanoTime, KeyedHash.random(random))), this::died);
        }
        // They end with the executor.
        var _ = reports.scheduleAtFixedRate(lasting("the report of the counters", this::report), REPORT_HOURS,
                REPORT_HOURS, TimeUnit.HOURS);
        var _ = reports.scheduleAtFixedRate(lasting("keeping the rate limits", this::keepAccess), KEEP_MINUTES,
                KEEP_MINUTES, TimeUnit.MINUTES);
        var _ = reports.scheduleAtFixedRate(lasting("the sample of the figures", this::sample), SAMPLE_SECONDS,
                SAMPLE_SECONDS, TimeUnit.SECONDS);
        LOG.info("listening on {} (UDP with {} each, TCP with one); {}", describe(now.listeners()),
                config.workers() == 1 ? "one thread" : config.workers() + " threads", summary(now.gate().rules()));
    }

    /** The sources whose connections are accepted. Each test counts against the rate limits. */
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
                ? "no client"
                : sources != null ? sources.toString() : "clients whose key allows it";
        return "updates are accepted from " + updates + "; " + rules.keys().size() + " key pairs"
                + (access.encryptedOnly() ? ", encrypted requests only" : "");
    }

    /**
     * Replaces the rules and the keys. Requests in progress end under the old ones; counters and the buckets of rate
     * limits stay.
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
     * Applies the settings of another configuration that can change while the storage runs: the rules and keys,
     * {@code expire} and {@code sync}.
     *
     * @return the names of the settings that differ and stay unchanged until the next start
     * @throws StorageException if the keys cannot be used together, or the script cannot be used; nothing changes then
     * @throws IllegalStateException if the storage is not running
     */
    public List<String> reconfigure(StorageConfig next) throws StorageException {
        Hooks fresh = loadHooks(next.hooks(), running().gate());
        try {
            reconfigure(next.access());
        } catch (Throwable e) {
            closeHooks(fresh);
            throw e;
        }
        hooks.replace(fresh);
        running().engine().reconfigure(next.times().expire(), next.times().sync());
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
        if (next.data().backend() != config.data().backend()
                || !Objects.equals(next.nodes().shared(), config.nodes().shared())) {
            later.add("backend");
        }
        if (!Objects.equals(next.data().mirror(), config.data().mirror())) {
            later.add("mirror_database");
        }
        if (next.writing().acknowledge() != config.writing().acknowledge()) {
            later.add("acknowledge");
        }
        if (!next.writing().log().equals(config.writing().log())) {
            later.add("max_log");
        }
        if (!Objects.equals(next.nodes().replication(), config.nodes().replication())) {
            later.add("replication");
        }
        if (!PushSettings.isSame(next.nodes().push(), config.nodes().push())) {
            later.add("masters and slave");
        }
        if (!replaceWaves(next.waves())) {
            later.add("waves");
        }
        return later;
    }

    /** Returns whether all of the other settings are in force. */
    private boolean replaceWaves(@Nullable WaveSettings next) {
        Optional<Waves> waves = running().waves();
        if (next == null || waves.isEmpty()) {
            return next == null && waves.isEmpty();
        }
        waves.get().reconfigure(next);
        return next.table().equals(Objects.requireNonNull(config.waves()).table());
    }

    /**
     * One hash as it is stored, with all flags that are not expired.
     *
     * @return its flags, the primary one first; empty if it is not stored
     * @throws IllegalStateException if the storage is not running
     */
    public List<FlagValue> find(Digest digest) {
        return running().engine().find(digest);
    }

    /**
     * Says who submitted the mail behind an update that a scanner in this process is about to send, for the audit
     * trail.
     *
     * @param digest that the update will have
     * @param tag that the update will have
     */
    public void announce(Digest digest, int tag, UpdateSubmitter submission) {
        submissions.announce(digest, tag, submission);
    }

    /**
     * Returns the rules in force.
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
            now.node().ifPresent(ReplicationNode::tidy);
            now.gate().sample();
            now.gate().skips().expire(config.clock().millis());
            saveCounts(now, false);
            now.engine().saveTime();
        }
    }

    /** Does not hold the lock of this object, because others need it and a disk may be slow. */
    private void saveCounts(Running now, boolean last) {
        long storage = now.engine().storageId();
        synchronized (saving) {
            if (countsClosed) {
                return;
            }
            countsClosed = last;
            try {
                now.gate().save(files.file(Gate.LIMITS, storage));
            } catch (IOException e) {
                LOG.warn("the rate limits cannot be written to {} ({}); after a restart, the storage uses the last "
                        + "saved ones", files.place(Gate.LIMITS), Reason.of(e));
            }
            try {
                hits.save(files.file(HitSampler.FORMAT, storage));
            } catch (IOException e) {
                LOG.warn("the hits of campaigns cannot be written ({}); after a restart, the storage uses the last "
                        + "saved ones",
                        Reason.of(e));
            }
            try {
                if (now.waves().isPresent()) {
                    now.waves().get().save(files.file(Waves.FORMAT, storage));
                }
            } catch (IOException e) {
                LOG.warn("the waves cannot be written ({}); after a restart, the storage uses the last saved ones",
                        Reason.of(e));
            }
            try {
                samples.save(files.file(WordSamples.FORMAT, storage),
                        digest -> !now.engine().find(digest).isEmpty()
                                || now.waves().filter(waves -> waves.has(digest)).isPresent());
            } catch (IOException e) {
                LOG.warn("the samples of words cannot be written: {}", Reason.of(e));
            }
        }
    }

    private void sample() {
        Running now;
        synchronized (this) {
            now = running;
        }
        if (now == null) {
            return;
        }
        long millis = config.clock().millis();
        hits.collect(millis);
        now.history().sample(millis, MetricSample.of(stats()), counters.times());
    }

    /** Returns the first words of mails. It keeps none until it is told for how long. */
    public WordSamples samples() {
        return samples;
    }

    /** Returns the hits of the most frequent hashes. */
    public HitTable hits() {
        return hits.table();
    }

    /**
     * Returns the groups of checks without a hit; empty if the configuration does not have {@code waves}.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public Optional<Waves> waves() {
        return running().waves();
    }

    /**
     * Returns the history of the figures.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public List<MetricHistory.Step> history(Span span) {
        return running().history().read(span, config.clock().millis());
    }

    /**
     * Returns the answer times of the last ten to twenty seconds: from the receipt of a batch of datagrams to its
     * replies.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public AnswerTimes answerTimes() {
        return running().history().recentTimes();
    }

    /**
     * Returns what takes back learned and forgotten hashes.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public Undo undo() {
        return running().undo();
    }

    /**
     * Returns the part of the storage that looks up hashes.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public LiveHashes hashes() {
        return running().engine().hashes();
    }

    /**
     * Returns the gate: the rules in force, the skip list and the refused networks.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public Gate gate() {
        return running().gate();
    }

    /** Adds damage of a file that another part of the process found, to what the storage reports. */
    public void report(Trouble trouble) {
        files.report(trouble);
    }

    /** Returns the data folder. */
    public Path folder() {
        return config.dataDir();
    }

    private String describe(Listeners listeners) {
        StringJoiner places = new StringJoiner(", ");
        listeners.addresses().forEach(address -> places.add(new Bind.Inet(address).toString()));
        config.listen().binds().stream().filter(Bind.Unix.class::isInstance)
                .forEach(bind -> places.add(bind.toString()));
        return places.toString();
    }

    /**
     * Returns the addresses that it listens on, with their true ports, in the order of the configuration.
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

    /** Is completed by {@link #close}, or exceptionally when a thread died and the process should end. */
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
        return new StorageStats(now.engine().stats(), now.listeners().connections(), now.listeners().heldBytes(),
                counters.snapshot(), now.node().map(ReplicationNode::status), now.push().map(PushNode::status),
                now.engine().attached(SharedNode.class)
                        .map(node -> node.figures(now.engine().writer().unreplicated())),
                now.waves().map(Waves::figures), List.of());
    }

    /**
     * Returns how long the slowest answering thread has been working on its current batch. In a working storage, these
     * are milliseconds, and up to a fifth of a second without requests.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public Duration longestWork() {
        return running().listeners().longestWork();
    }

    /**
     * Returns the storage as a node among several; empty for one without others.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public Optional<ReplicationNode> node() {
        return running().node();
    }

    /**
     * Returns the storage in the replication of Rspamd 1.3 to 1.9; empty for one outside of it.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public Optional<PushNode> push() {
        return running().push();
    }

    /**
     * Sets where connections go that begin with HTTP. Call it before {@link #answer}.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public void passHttpTo(HttpHandoff door) {
        running().listeners().passHttpTo(door);
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
        EngineStats engine = stats.engine();
        EngineStats.Updates updates = engine.updates();
        line.add("updates stored " + updates.stored()).add("not stored " + updates.failed())
                .add("repeated requests " + updates.repeated()).add("flags expired " + updates.expired())
                .add("hashes renewed " + updates.refreshed()).add("posting lists crowded " + engine.crowded());
        String text = line.toString();
        if (!text.equals(lastReport)) {
            LOG.info("since the start: {}", text);
            lastReport = text;
        }
    }

    /**
     * Removes all expired flags now rather than within the next minute, and returns their number.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public CompletableFuture<Long> sweep() {
        return running().engine().sweep();
    }

    /**
     * Trusts the clock of the machine from now on, however far it is from the last trusted time.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public void trustClock() {
        running().engine().trustClock();
    }

    /**
     * Returns the brake, with the removals that wait for an operator.
     *
     * @throws IllegalStateException if the storage is not running
     */
    public RemovalBrake brake() {
        return running().engine().brake();
    }

    /**
     * Writes the updates of the log to the database now rather than with the next sync.
     *
     * @return completes with the revision that the database then has, or with the reason why it cannot be written
     * @throws IllegalStateException if the storage is not running
     */
    public CompletableFuture<Long> sync() {
        return running().engine().sync();
    }

    private synchronized Running running() {
        Running now = running;
        if (now == null) {
            throw new IllegalStateException("the storage is not running");
        }
        return now;
    }

    /**
     * {@link #stop Stops}, and writes as many updates to the database as a few seconds allow. Does nothing the second
     * time.
     */
    @Override
    public void close() {
        stop(false, _ -> {});
    }

    /**
     * Stops receiving, stores and answers everything that was accepted, brings the database up to date and releases the
     * folder. What the database does not get stays in the log for the next start. Does nothing the second time.
     *
     * @param drain whether to wait until the database has everything, however long that takes; otherwise for 20 seconds
     *            at most, and not for a database that cannot be written
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
            now.listeners().stop();
            now.node().ifPresent(ReplicationNode::close);
            now.push().ifPresent(PushNode::close);
            now.engine().finishUpdates();
            now.listeners().close();
            now.waves().ifPresent(Waves::close);
            report();
            saveCounts(now, true);
            now.history().close();
            running = null;
            hooks.close();
            now.engine().close(drain, waiting);
        }
        stopped.complete(null);
    }
}
