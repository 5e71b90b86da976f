package dev.weir.storage.replication;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

import dev.weir.model.failure.Reason;
import dev.weir.net.OtherMachine;
import dev.weir.os.UninterruptibleJoin;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.folder.FolderView;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.StoppedLog;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.notes.NodeNotes;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.Quorum;
import dev.weir.storage.queue.Role;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.transfer.storage.StorageSource;
import dev.weir.storage.undo.Undo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running storage as a node among several: it answers its followers, follows its leader, and changes its part
 * (docs/operate/nodes.md). Thread-safe.
 */
public final class ReplicationNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicationNode.class);

    private static final int WAIT_MILLIS = 2_000;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** The interval at which a promoted node tells its old leader of its epoch. */
    private static final Duration TELL = Duration.ofSeconds(5);

    /** The time for a leader to confirm that a node needs the copy that it has made. */
    private static final Duration CONFIRMATION = Duration.ofSeconds(30);

    /** The interval at which a node that waits for an operator looks whether a copy would remove fewer hashes now. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    /** The time for the backend to catch up before a checkpoint is read from it. */
    private static final Duration SYNC = Duration.ofSeconds(30);

    private final ReplicationSettings settings;
    private final Path data;
    private final StorageEngine engine;
    private final InstantSource clock;
    private final long number;
    private final Leader leader;
    private final Follower follower;
    private final @Nullable Transport transport;
    private final @Nullable ForwardQueue forwards;
    private final Confirmations confirmations;
    private final FreshCopy copy;
    private final boolean copied;
    private final CompletableFuture<Void> copyReady = new CompletableFuture<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final LongAdder applied = new LongAdder();
    private final LongAdder copies = new LongAdder();

    /** Protects {@link #copying} and the change of the part, so that a node never leads while it copies. */
    private final ReentrantLock parting = new ReentrantLock();
    private volatile boolean copying;
    /** Whether the leader has another history, from then on until this node continues its history. */
    private volatile boolean diverged;
    private volatile int knownEpoch;
    /** Whether there is a file that says who leads. The places of followers prove that there was one. */
    private volatile boolean noted;
    /** Whether the file that says who leads was lost, until a promotion or an update of the leader. */
    private volatile boolean unknown;
    /** Why this node refuses to follow; empty if it does not. */
    private volatile Optional<Follower.Step.Held> held = Optional.empty();
    /** For the thread that follows. */
    private Optional<TooMany> tooMany = Optional.empty();
    private final StateFiles files;
    private final List<Trouble> troubles;
    private final FollowerPositions positions;
    private @Nullable Thread following;
    private @Nullable Thread forwarding;
    private @Nullable Thread exchanging;

    /** What is known before the engine is open. */
    public static final class Beginning {
        private final ReplicationSettings settings;
        private final Path data;
        private final Confirmations confirmations;
        private final Role.Part part;
        private final boolean copied;
        private final int knownEpoch;
        private final boolean unknown;
        private final boolean noted;
        private final StateFiles files;
        private final List<Trouble> troubles;

        /** The file of a folder whose store, and its number, are made after this; empty for any other folder. */
        private final Optional<NodeFile> unnumbered;

        private Beginning(ReplicationSettings settings, Path data, long storage, Optional<NodeFile> file,
                StateFiles files, List<Trouble> troubles) {
            this.unnumbered = storage == 0 ? file : Optional.empty();
            this.settings = settings;
            this.data = data;
            this.confirmations = new Confirmations(Math.max(1, settings.needed()), settings.patience());
            this.part = NodeFile.part(file, settings);
            this.copied = file.filter(known -> known.state() != NodeFile.State.UNKNOWN
                    && known.leader().equals(NodeFile.nameOf(settings))).isPresent();
            this.noted = file.isPresent();
            this.knownEpoch = file.map(NodeFile::epoch).orElse(0);
            this.unknown = file.filter(known -> known.state() == NodeFile.State.UNKNOWN).isPresent();
            this.files = files;
            this.troubles = troubles;
        }

        /** Returns the settings of the engine. */
        public EngineConfig.Replication engine() {
            return new EngineConfig.Replication(part, settings.needed() > 0 ? confirmations : Quorum.NONE);
        }
    }

    /**
     * Prepares the data folder of a node, which no storage uses: puts a copy of the leader in place that the last run
     * has made.
     */
    public static Beginning begin(ReplicationSettings settings, Path data, StateFiles files, InstantSource clock)
            throws StorageException {
        List<Trouble> troubles = new ArrayList<>();
        CopyPlacement.Outcome outcome = CopyPlacement.run(data, clock,
                note -> new NodeFile(NodeFile.State.FOLLOWED, NodeFile.nameOf(settings),
                        note.copyEnd().epoch().number())
                        .write(files, note.copied()));
        if (outcome instanceof CopyPlacement.Outcome.SetAside aside) {
            troubles.add(aside.trouble());
        }
        long storage = DataFolder.hasStore(data) ? FolderView.storageId(data) : 0;
        LeaderEpoch epoch = storage == 0
                ? LeaderEpoch.NONE
                : StoppedLog.epoch(FolderDisk.readOnly(data.resolve(DataFolder.UPDATES)), storage);
        return new Beginning(settings, data, storage, NodeFile.read(files, settings, storage, epoch), files, troubles);
    }

    /**
     * Creates a node around an open engine. Start it after the engine.
     *
     * @param beginning what {@link #begin} returned
     * @param transports the maker of the way to the leader
     */
    public ReplicationNode(Beginning beginning, StorageEngine engine, Transport.Factory transports,
            InstantSource clock) {
        this.settings = beginning.settings;
        this.data = beginning.data;
        this.engine = engine;
        this.clock = clock;
        this.copied = beginning.copied;
        this.knownEpoch = beginning.knownEpoch;
        this.unknown = beginning.unknown;
        this.files = beginning.files;
        this.troubles = List.copyOf(beginning.troubles);
        this.confirmations = beginning.confirmations;
        this.number = new SecureRandom().nextLong();
        confirmations.onProgress(engine::replicated);
        this.follower = new Follower(engine.log(), number, System::nanoTime, () -> engine.hashes().size() > 0);
        this.positions = new FollowerPositions();
        noted = beginning.noted;
        renumber(beginning.unnumbered);
        loadPositions();
        ReplicationSettings.Upstream upstream = settings.upstream();
        if (upstream == null && !noted) {
            noteFirst();
        }
        this.transport = upstream == null ? null : transports.to(upstream, settings.pair());
        this.forwards = transport == null || !settings.forwards()
                ? null
                : new ForwardQueue(transport, follower, engine.writer(), number);
        engine.role().forwardTo(forwards);
        this.copy = new FreshCopy(data, clock);
        this.leader = new Leader(engine.log(), engine.role(), number, settings.followers(), confirmations,
                this::checkpoint, new Surroundings(),
                new Inbox(engine.hashes()::offer, this::removeUsedUp,
                        () -> engine.hashes().recordedSeconds(clock.millis())),
                positions);
        leader.consumers().forEach(engine::add);
    }

    /**
     * Starts to follow, if there is a leader.
     *
     * @param died is told of a thread that ended by an error
     */
    public synchronized void start(Thread.UncaughtExceptionHandler died) {
        if (transport != null) {
            following = Thread.ofPlatform().name("weir-follower").daemon().uncaughtExceptionHandler(died)
                    .start(this::run);
        }
        if (forwards != null) {
            forwarding = Thread.ofPlatform().name("weir-forward").daemon().uncaughtExceptionHandler(died)
                    .start(forwards);
        }
    }

    /**
     * Returns whether this node must not answer clients, because it is to follow a leader of which it has nothing yet.
     * It answers after the copy, which ends this run.
     */
    public boolean isEmpty() {
        return engine.role().part() == Role.Part.FOLLOWER && !copied && engine.log().tip().revision() == 0
                && engine.hashes().size() == 0;
    }

    /** Completes when a copy of the leader is ready, which the next start of the storage puts in place. */
    public CompletableFuture<Void> copyReady() {
        return copyReady;
    }

    /** Answers a question of a follower. Blocks for the time that the question allows, some seconds at most. */
    public Message answer(FollowerKey from, Message question) throws InterruptedException {
        return leader.answer(from, question);
    }

    /** Begins to exchange notes with the leader and the followers. Call it once, after {@link #start}. */
    public synchronized void exchange(NodeNotes notes) {
        leader.exchange(notes);
        Transport way = transport;
        if (way != null) {
            exchanging = Thread.ofVirtual().name("weir-notes").start(new NoteAsker(way, notes, number,
                    () -> engine.role().part() == Role.Part.FOLLOWER, closing));
        }
    }

    /** Does what is due from time to time, such as closing checkpoints that no follower reads. Call it each minute. */
    public void tidy() {
        leader.tidy();
        savePositions();
    }

    /** Notes that this node leads, so that the loss of the note is noticed. */
    private void noteFirst() {
        try {
            remember(NodeFile.State.LED, 0);
        } catch (StorageException e) {
            LOG.warn("{}", e.getMessage());
        }
    }

    /** Gives the file of a folder the number of the store that was made since: the next start compares them. */
    private void renumber(Optional<NodeFile> file) {
        try {
            if (file.isPresent()) {
                file.get().write(files, engine.log().storageId());
            }
        } catch (StorageException e) {
            LOG.warn("{}", e.getMessage());
        }
    }

    private void loadPositions() {
        try {
            positions.load(files, engine.log().storageId(), engine.log().tip());
        } catch (StorageException e) {
            LOG.warn("{}; followers that were away for long wait for an operator", e.getMessage());
        }
    }

    private void savePositions() {
        if (settings.followers().isEmpty() || !noted) {
            return;
        }
        try {
            leader.noteEpoch();
            positions.save(files, engine.log().storageId(), engine.log().tip().epoch());
        } catch (IOException | StorageException e) {
            LOG.warn("the places of the followers cannot be noted: {}", Reason.of(e));
        }
    }

    /** Returns the present state. */
    public NodeStatus status() {
        UpdateLog.Tip tip = engine.log().tip();
        Role.Part part = engine.role().part();
        ReplicationSettings.Upstream upstream = settings.upstream();
        Optional<Follower.Step.Held> waiting = part == Role.Part.FOLLOWER ? held : Optional.empty();
        NodeStatus.Above above = upstream == null || part != Role.Part.FOLLOWER
                ? null
                : new NodeStatus.Above(upstream.toString(), follower.behind(), follower.lagSeconds(),
                        follower.state().failure(), copying ? copy.done() : -1, copying ? copy.hashes() : -1,
                        waiting.map(Follower.Step.Held::reason).orElse(""));
        return new NodeStatus(part, tip.epoch(), tip.revision(), above, leader.followers(), settings.needed(),
                settings.needed() > 0 ? confirmations.reached() : -1,
                new NodeStatus.Counts(applied.sum(), copies.sum(), forwards == null ? 0 : forwards.forwarded(),
                        forwards == null ? 0 : forwards.failed(), engine.writer().unreplicated()),
                settings.maxLag().toSeconds(), unknown, troubles);
    }

    /**
     * Leads from now on, under a new epoch.
     *
     * @return the epoch
     * @param lossy whether to give up updates of earlier leaders that this node lacks
     * @throws StorageException if this node leads already, has no copy of its leader, lacks updates of earlier leaders,
     *         or cannot write; it does not lead then
     */
    public LeaderEpoch promote(boolean lossy) throws StorageException {
        parting.lock();
        try {
            return promoteAlone(lossy);
        } finally {
            parting.unlock();
        }
    }

    private LeaderEpoch promoteAlone(boolean lossy) throws StorageException {
        if (engine.role().leads()) {
            throw new StorageException("this node leads already, under epoch " + engine.log().tip().epoch());
        }
        if (isEmpty()) {
            throw new StorageException("this node has nothing yet: a copy of its leader is not complete");
        }
        if (copying) {
            throw new StorageException(
                    "this node is copying its leader, from which it has diverged: wait until it follows");
        }
        if (diverged && !lossy) {
            throw new StorageException("this node has diverged from its leader, and has no copy of it yet: wait until"
                    + " it follows, or promote it without the updates that it lacks (--lossy)");
        }
        // On a full disk this fails, before the log has an epoch that its leader does not know. If the process ends
        // before the second note, the next start finds the branch in the log, or does not.
        int branch = ThreadLocalRandom.current().nextInt();
        new NodeFile(NodeFile.State.PROMOTING, NodeFile.nameOf(settings), knownEpoch, branch)
                .write(files, engine.log().storageId());
        LeaderEpoch epoch;
        try {
            epoch = awaitWhileOpen(engine.writer().promote(knownEpoch, lossy, branch,
                    next -> remember(NodeFile.State.PROMOTED, next.number())));
        } catch (StorageException e) {
            if (engine.log().tip().epoch().branch() != branch) {
                remember(engine.role().part() == Role.Part.FENCED
                        ? unknown ? NodeFile.State.UNKNOWN : NodeFile.State.FENCED
                        : NodeFile.State.FOLLOWED, knownEpoch);
            }
            throw e;
        }
        unknown = false;
        held = Optional.empty();
        LOG.info("this node leads from now on, under epoch {}", epoch);
        return epoch;
    }

    private void remember(NodeFile.State state, int epoch) throws StorageException {
        knownEpoch = Math.max(knownEpoch, epoch);
        new NodeFile(state, NodeFile.nameOf(settings), knownEpoch).write(files, engine.log().storageId());
        noted = true;
    }

    /**
     * Gives up what this node has in favor of its leader, which lacks it or may lack it. The leader is copied, and what
     * this node had is kept aside.
     *
     * @return why this node did not follow
     * @throws StorageException if this node is not waiting for that
     */
    public String followAndDiscard() throws StorageException {
        parting.lock();
        try {
            Optional<Follower.Step.Held> waiting = held;
            if (waiting.isEmpty() || engine.role().part() != Role.Part.FOLLOWER) {
                throw new StorageException(engine.role().part() == Role.Part.FOLLOWER
                        ? "nothing is to be discarded: this node follows, or has not heard of its leader yet"
                        : "this node does not follow: give it leader and leader_key, and start it");
            }
            follower.discardFor(waiting.get().leader());
            LOG.warn("an operator discards what the leader lacks: {}", waiting.get().reason());
            return waiting.get().reason();
        } finally {
            parting.unlock();
        }
    }

    /** Removes flags for the undo of a follower. The writer decides: what was learned since its plan must stay. */
    private void removeUsedUp(List<QueuedUpdate> removals) {
        var _ = engine.writer().decide(index -> {
            Lookup lookup = new Lookup();
            List<QueuedUpdate> needed = new ArrayList<>();
            for (QueuedUpdate removal : removals) {
                if (Undo.isUsedUp(removal.update(), index.known(removal.update().digest(), lookup))) {
                    needed.add(removal);
                } else {
                    removal.outcome().stored();
                }
            }
            return needed;
        });
    }

    /** Waits for the writer, which may have died, at most until this node closes. */
    private <T> T awaitWhileOpen(CompletableFuture<T> work) throws StorageException {
        CompletableFuture<?> first = CompletableFuture.anyOf(work, closed);
        await(first.handle((_, _) -> true));
        if (!work.isDone()) {
            throw new StorageException("the storage stops");
        }
        return await(work);
    }

    private static <T> T await(CompletableFuture<T> work) throws StorageException {
        try {
            return work.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof StorageException known
                    ? known
                    : new StorageException(Reason.of(e), e);
        } catch (CancellationException e) {
            throw new StorageException("the storage stops", e);
        }
    }

    /** What this node knows of the nodes around it. */
    private final class Surroundings implements Leader.Surroundings {
        @Override
        public List<Long> above() {
            return engine.role().part() == Role.Part.FOLLOWER ? follower.state().path() : List.of();
        }

        @Override
        public void higherEpoch(LeaderEpoch epoch) {
            surrender(epoch);
        }

        @Override
        public long millis() {
            return clock.millis();
        }
    }

    /** Ends leading, because another node has a higher epoch. A node with a configured leader follows it again. */
    private void surrender(LeaderEpoch epoch) {
        parting.lock();
        try {
            surrenderAlone(epoch);
        } finally {
            parting.unlock();
        }
    }

    private void surrenderAlone(LeaderEpoch epoch) {
        if (!engine.role().leads()) {
            return;
        }
        LOG.error("another node leads under epoch {}, and this one has epoch {}: it takes no more updates of clients",
                epoch, engine.log().tip().epoch());
        if (settings.upstream() == null) {
            var _ = engine.writer().fence();
        } else {
            var _ = engine.writer().follow();
        }
        try {
            remember(settings.upstream() == null ? NodeFile.State.FENCED : NodeFile.State.FOLLOWED, epoch.number());
        } catch (StorageException e) {
            LOG.error("{}; until it meets the other node again, the next start takes updates", e.getMessage(), e);
        }
    }

    private Checkpoint checkpoint() throws StorageException {
        try {
            // The store writes another checkpoint.
            engine.checkpoint().get(SYNC.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("the copy begins without the last updates", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException("interrupted before a checkpoint", e);
        }
        StorageSource source = StorageSource.open(data);
        return new Checkpoint(source, source.revision());
    }

    // ---- following ----

    private void run() {
        boolean more = true;
        while (more && closing.getCount() > 0) {
            try {
                more = switch (engine.role().part()) {
                    case FOLLOWER -> follow();
                    case LEADER -> tellEpoch();
                    case FENCED -> pause(PAUSE);
                };
            } catch (InterruptedException e) {
                more = false;
            } catch (IOException | MessageException e) {
                follower.failed("the leader cannot be reached: " + Reason.of(e));
                more = pauseQuietly();
            } catch (StorageException | RuntimeException e) {
                LOG.error("following failed: {}", e.getMessage(), e);
                follower.failed(String.valueOf(e.getMessage()));
                more = pauseQuietly();
            }
        }
    }

    private boolean pause(Duration time) throws InterruptedException {
        return !closing.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    private boolean pauseQuietly() {
        try {
            return pause(PAUSE);
        } catch (InterruptedException e) {
            return false;
        }
    }

    private Transport way() {
        Transport way = transport;
        if (way == null) {
            throw new IllegalStateException("this node has no leader");
        }
        return way;
    }

    /** Tells the old leader of a promoted node of its epoch, and hears of a higher one. */
    private boolean tellEpoch() throws IOException, MessageException, InterruptedException {
        Message answer = Message.read(way().ask(Message.write(follower.question(0))));
        LeaderEpoch epoch = switch (answer) {
            case Message.Batch batch -> batch.epoch();
            case Message.Unfit unfit -> unfit.epoch();
            case Message.Refused refused -> refused.epoch();
            default -> LeaderEpoch.NONE;
        };
        if (epoch.outranks(engine.log().tip().epoch())) {
            surrender(epoch);
        }
        return pause(TELL);
    }

    private boolean follow() throws IOException, MessageException, StorageException, InterruptedException {
        Message.Pull question = follower.question(WAIT_MILLIS);
        Message answer = Message.read(way().ask(Message.write(question)));
        if (answer instanceof Message.Batch batch) {
            // Only a doubt makes a difference. A name is looked up for it.
            boolean elsewhere = !engine.clock().agrees() && isLeaderElsewhere();
            engine.clock().heard("the leader", batch.now(), elsewhere);
        }
        return switch (follower.receive(answer)) {
            case Follower.Step.Apply apply -> apply(apply);
            case Follower.Step.StartAgain again -> copy(again);
            case Follower.Step.Held refusal -> hold(refusal);
            case Follower.Step.Wait wait -> {
                LOG.debug("not following now: {}", wait.reason());
                yield pause(PAUSE);
            }
        };
    }

    /** Returns whether the clock of the leader is another one than that of this node. */
    private boolean isLeaderElsewhere() {
        ReplicationSettings.Upstream upstream = settings.upstream();
        return upstream != null && OtherMachine.is(upstream.host());
    }

    /** Does not follow, and says so once for each reason. */
    private boolean hold(Follower.Step.Held refusal) throws InterruptedException {
        if (held.filter(known -> known.reason().equals(refusal.reason())).isEmpty()) {
            LOG.error("this node does not follow, so that no update is lost: {}. Restore the leader, promote this node "
                    + "with \"weir control promote\", or give up what the leader lacks with \"weir control follow "
                    + "--discard\"", refusal.reason());
        }
        parting.lockInterruptibly();
        try {
            if (engine.role().part() == Role.Part.FOLLOWER) {
                held = Optional.of(refusal);
                diverged |= refusal.promoted();
                knownEpoch = Math.max(knownEpoch, refusal.leader().epoch().number());
            }
        } finally {
            parting.unlock();
        }
        return pause(PAUSE);
    }

    /** Applies updates of the leader through the writer, like updates of clients, and waits until they are on disk. */
    private boolean apply(Follower.Step.Apply step) throws StorageException, InterruptedException {
        if (!engine.log().tip().epoch().isSame(step.epoch())) {
            LeaderEpoch entered = awaitWhileOpen(engine.writer().enter(step.epoch()));
            if (!entered.isSame(step.epoch())) {
                // It was promoted meanwhile.
                return true;
            }
            LOG.info("following under epoch {}", step.epoch());
        }
        knownEpoch = Math.max(knownEpoch, step.epoch().number());
        diverged = false;
        follows();
        Counted outcomes = new Counted(step.updates().size());
        for (LoggedUpdate update : step.updates()) {
            while (!engine.hashes().offerOfLeader(QueuedUpdate.ofLeader(update, outcomes))) {
                if (closing.await(1, TimeUnit.MILLISECONDS)) {
                    return false;
                }
            }
        }
        while (!outcomes.open.await(100, TimeUnit.MILLISECONDS)) {
            if (closing.getCount() == 0) {
                return false;
            }
        }
        applied.add(outcomes.stored.sum());
        if (outcomes.stored.sum() < step.updates().size() && engine.role().part() == Role.Part.FOLLOWER) {
            follower.failed("updates of the leader cannot be stored here");
            return pause(PAUSE);
        }
        return true;
    }

    /** Notes that this node continues the history of its leader. */
    private void follows() throws StorageException {
        held = Optional.empty();
        if (unknown) {
            remember(NodeFile.State.FOLLOWED, knownEpoch);
            unknown = false;
        }
    }

    /** The outcomes of several updates. */
    private static final class Counted implements QueuedUpdate.Outcome {
        private final CountDownLatch open;
        private final LongAdder stored = new LongAdder();

        Counted(int count) {
            this.open = new CountDownLatch(count);
        }

        @Override
        public void stored() {
            stored.increment();
            open.countDown();
        }

        @Override
        public void failed() {
            open.countDown();
        }
    }

    private boolean copy(Follower.Step.StartAgain again) throws StorageException, InterruptedException {
        LOG.warn("this node starts from a checkpoint of its leader: {}", again.reason());
        if (again.ground() == Follower.Ground.PROMOTION) {
            LOG.warn("{} updates of this node are not at the leader, which was promoted; store and log are kept in the"
                    + " folder {}", again.extra(), DataFolder.ASIDE);
        }
        Optional<TooMany> known = tooMany.filter(there -> there.isFor(again) && !there.isOld());
        if (known.isPresent()) {
            // Each attempt costs the leader a checkpoint.
            return hold(known.get().held());
        }
        boolean before = diverged;
        if (!beginCopy(again.ground())) {
            return true;
        }
        boolean complete = false;
        try {
            copy.make(way(), number, new FreshCopy.Target(engine.log().storageId(), engine.log().tip(),
                    engine.hashes().size(), again.ground(), again.extra(), again.leader()),
                    () -> confirm(again));
            complete = true;
        } catch (FreshCopy.MassRemovalException e) {
            String reason = String.valueOf(e.getMessage());
            follower.failed(reason);
            // It has what it had. If its leader lacks nothing of that, it may be promoted.
            diverged = before;
            tooMany = Optional.of(new TooMany(new Follower.Step.Held(reason, again.leader(),
                    again.ground() == Follower.Ground.PROMOTION), System.nanoTime()));
        } catch (StorageException e) {
            LOG.warn("{}", e.getMessage());
            follower.failed(String.valueOf(e.getMessage()));
            if (e instanceof UnconfirmedException && again.ground() == Follower.Ground.PROVEN) {
                // The leader had all that it has, so it may be promoted if the leader is gone.
                diverged = before;
            }
        } finally {
            // The next start replaces everything by a complete copy, so this run must not lead any more.
            copying = complete;
        }
        if (complete) {
            copies.increment();
            copyReady.complete(null);
            return false;
        }
        Optional<TooMany> found = tooMany.filter(there -> there.isFor(again));
        return found.isPresent() ? hold(found.get().held()) : pause(PAUSE);
    }

    /** The ground for a copy does not hold any more, or is not confirmed. */
    private static final class UnconfirmedException extends StorageException {
        private static final long serialVersionUID = 1L;

        UnconfirmedException(String reason) {
            super("the copy of the leader is not used, because " + reason);
        }
    }

    /** Asks the leader again, because a copy takes time, and what the leader said before may no longer be true. */
    private void confirm(Follower.Step.StartAgain again) throws StorageException, InterruptedException {
        if (again.ground() == Follower.Ground.EMPTY) {
            return;
        }
        long begun = System.nanoTime();
        while (true) {
            String reason;
            try {
                Message answer = Message.read(way().ask(Message.write(follower.question(0))));
                Follower.Step step = follower.receive(answer);
                if (Follower.confirms(step, again)) {
                    return;
                }
                if (!(step instanceof Follower.Step.Wait wait)) {
                    throw new UnconfirmedException("the leader no longer says that this node needs it");
                }
                reason = wait.reason();
            } catch (IOException | MessageException e) {
                reason = Reason.of(e);
            }
            if (System.nanoTime() - begun > CONFIRMATION.toNanos() || !pause(PAUSE)) {
                throw new UnconfirmedException("the leader does not confirm that this node needs it: " + reason);
            }
        }
    }

    /** A copy that would remove too many hashes. */
    private record TooMany(Follower.Step.Held held, long nanos) {
        boolean isFor(Follower.Step.StartAgain again) {
            return again.ground() != Follower.Ground.DISCARD && held.leader().isSame(again.leader());
        }

        boolean isOld() {
            return System.nanoTime() - nanos > LOOK_AGAIN.toNanos();
        }
    }

    /** Keeps this node from being promoted. Returns false if it already is. */
    private boolean beginCopy(Follower.Ground ground) throws InterruptedException {
        parting.lockInterruptibly();
        try {
            boolean follows = engine.role().part() == Role.Part.FOLLOWER;
            diverged |= follows;
            copying = follows;
            if (ground == Follower.Ground.DISCARD) {
                // The operator has decided, so nothing waits for them.
                held = Optional.empty();
            }
            return follows;
        } finally {
            parting.unlock();
        }
    }

    @Override
    public void close() {
        closing.countDown();
        closed.complete(null);
        Thread reading;
        Thread sending;
        Thread telling;
        synchronized (this) {
            reading = following;
            sending = forwarding;
            telling = exchanging;
        }
        if (forwards != null) {
            forwards.close();
        }
        for (Thread thread : new Thread[]{reading, sending, telling}) {
            if (thread != null) {
                thread.interrupt();
                UninterruptibleJoin.of(thread);
            }
        }
        leader.close();
        savePositions();
    }
}
