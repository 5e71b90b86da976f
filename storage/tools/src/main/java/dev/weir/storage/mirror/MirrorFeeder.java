package dev.weir.storage.mirror;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.weir.model.failure.Reason;
import dev.weir.os.ThreadScheduling;
import dev.weir.os.UninterruptibleJoin;
import dev.weir.storage.DatabaseDamagedException;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.database.IntegrityCheck;
import dev.weir.storage.engine.AttachedConsumer;
import dev.weir.storage.engine.EngineParts;
import dev.weir.storage.log.ConsumerHealth;
import dev.weir.storage.log.ConsumerStatus;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.Timing;
import dev.weir.storage.view.StorageView;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that copies updates to a mirror: a backend that has what a store has, for other programs. A mirror never
 * delays the storage. The log keeps updates for it while there is space for them. This thread builds a mirror that
 * falls further behind or is lost again from the store. A mirror of another storage stays as it is, and so does one
 * with another history: it may have updates that the store has lost. With each revision, a mirror records the running
 * checksum of the log, which tells histories apart also when the numbers agree.
 */
public final class MirrorFeeder implements AttachedConsumer, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(MirrorFeeder.class);

    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofSeconds(10);
    private static final Duration LOOK_AT_END = Duration.ofMillis(200);

    /** The pause after a build that did not help. It doubles each time, because each build reads the whole store. */
    private static final Duration FIRST_PAUSE = Duration.ofMinutes(1);
    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

    private final UpdateLog log;
    private final LogClaim claim;
    private final ConsumerHealth health;
    private final MirrorPlace place;
    private final Supplier<CompletableFuture<Long>> checkpoint;
    private final long storageId;
    private final Timing timing;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Semaphore wake = new Semaphore(0);
    private volatile @Nullable Following following;
    private volatile String away = "";
    private volatile boolean building;
    private volatile long lastReached = -1;
    private volatile boolean finishing;
    private volatile boolean toTheEnd;
    private volatile boolean ended;
    private volatile long deadline;

    private final Queue<CompletableFuture<Long>> waiting = new ConcurrentLinkedQueue<>();

    /** How the connection before this one failed; empty if it did not. */
    private volatile String failedBefore = "";

    /** How damage was found when the mirror was not open; empty if there was none. */
    private volatile String damage = "";

    /** Why the mirror must be built; empty if it need not. */
    private volatile String loss = "";
    private Duration buildPause = Duration.ZERO;
    private long buildDue;

    /** An update that the log cannot read, or no longer has; 0 for none. */
    private long absent;

    /** The identity of what was in the place of the mirror at the start. */
    private final Optional<Object> first;
    private volatile boolean replaced;
    private final IntegrityCheck check;

    private @Nullable Thread checking;
    private @Nullable Thread copying;

    /** Whether the place of the mirror has ever been taken. */
    private boolean seen;

    /** Whether the mirror has another history than the store. */
    private volatile boolean diverged;

    /** Whether the mirror has hashes of another storage. */
    private volatile boolean foreign;

    /**
     * A mirror that can be followed.
     *
     * @param identity the identity of its place
     * @param owner the number of the storage that it was made for
     */
    private record Following(HashDatabase backend, MirrorTransactions feeder, Optional<Object> identity, long owner) {
        /** Returns whether the place is the same and has another content, as after the command restore of SQLite. */
        boolean isOverwritten(UpdateLog log) throws StorageException {
            long reached = feeder.reached();
            long revision = backend.revision();
            if (backend.storageId() != owner || revision < reached) {
                return true;
            }
            OptionalLong history = backend.history();
            OptionalLong stores = log.checksumAt(reached);
            return revision == reached && history.isPresent() && stores.isPresent() && !history.equals(stores);
        }
    }

    /** A mirror that cannot be followed, with the reason. */
    private static final class AwayException extends Exception {
        private static final long serialVersionUID = 1L;

        private final Cause cause;

        AwayException(String reason, Cause cause) {
            super(reason);
            this.cause = cause;
        }
    }

    /** What makes it impossible to follow a mirror. */
    private enum Cause {
        /** It lacks something. A mirror that is built again may take its place. */
        LOST,
        /** It has something that the store may lack. */
        DIVERGED,
        /** It is not of this storage. */
        FOREIGN
    }

    /**
     * Opens a mirror, or creates that of a new storage. Run {@link #run} in a thread, also if it cannot be opened.
     *
     * @param engine recovered and not started
     */
    public MirrorFeeder(EngineParts engine, MirrorPlace place) {
        this.log = engine.log();
        this.place = place;
        this.claim = log.claim("mirror", LogClaim.Retention.MAY_LOSE, LogClaim.NOTHING);
        this.health = new ConsumerHealth(log, claim, -1,
                new ConsumerHealth.Words(name(), "cannot be written", "can be written"), engine.nanos());
        this.storageId = log.storageId();
        this.checkpoint = engine.checkpoint();
        this.timing = engine.timing();
        this.clock = engine.clock();
        this.nanos = engine.nanos();
        this.buildDue = nanos.getAsLong();
        this.first = identity();
        attach();
        this.check = place.backend().exists() ? place.backend().integrityCheck() : IntegrityCheck.NONE;
    }

    private Optional<Object> identity() {
        try {
            return place.backend().identity();
        } catch (IOException e) {
            LOG.debug("{} cannot be found", name(), e);
            return Optional.empty();
        }
    }

    /** Returns the name of the mirror for messages. */
    public String name() {
        return "the mirror " + place.backend().name();
    }

    @Override
    public ConsumerStatus status() {
        return health.status(ended || foreign || diverged);
    }

    @Override
    public List<Trouble> troubles() {
        List<Trouble> troubles = new ArrayList<>();
        if (!failure().isEmpty()) {
            troubles.add(new Trouble("the mirror is not up to date" + question(),
                    name() + ": " + failure()));
        }
        if (!damage().isEmpty()) {
            troubles.add(new Trouble("the mirror is damaged", damage()));
        }
        return troubles;
    }

    /** Returns the decision that an operator must make, in words for all clients; empty if none. */
    private String question() {
        if (adoption().isEmpty() || !(foreign || diverged)) {
            return "";
        }
        return (foreign ? ", it belongs to another storage" : ", it has other updates")
                + " (weir adopt --apply goes on with it)";
    }

    /** Returns why the mirror cannot be written; empty if it can, or is being built. Any thread may ask. */
    public String failure() {
        Following now = following;
        if (now == null) {
            return building ? "" : away;
        }
        // Opening it again proves nothing yet.
        return health.failure().isEmpty() ? failedBefore : health.failure();
    }

    /**
     * Returns whether the mirror has another history than the store. An operator must then decide which one to keep.
     * Any thread may ask.
     */
    public boolean hasDiverged() {
        return diverged;
    }

    /** Returns whether the mirror has hashes of another storage. An operator must then decide. Any thread may ask. */
    public boolean isForeign() {
        return foreign;
    }

    /** Returns the command that makes a stopped storage go on with the mirror instead of the store, if there is one. */
    public Optional<String> adoption() {
        return place.adoption();
    }

    /** Returns what an operator can do about a mirror with hashes that the store may lack. */
    private String decision() {
        return "stop the storage and run " + place.adoption()
                .map(command -> command + " to go on with it instead of the store")
                .orElseGet(() -> "weir import " + place.backend().name() + " to add its hashes to the store");
    }

    @Override
    public String damage() {
        String found = replaced ? "" : check.damage();
        Following now = following;
        return !found.isEmpty()
                ? found
                : now == null || now.feeder().damage().isEmpty() ? damage : now.feeder().damage();
    }

    /** Returns the last update that the mirror has; -1 if it must be built. Any thread may ask. */
    public long reached() {
        Following now = following;
        return now == null ? lastReached : now.feeder().reached();
    }

    @Override
    public CompletableFuture<Long> sync() {
        CompletableFuture<Long> result = new CompletableFuture<>();
        waiting.add(result);
        if (ended) {
            refuse(takeWaiting(), name() + ": it is closed");
        }
        wake.release();
        return result;
    }

    /** Returns the requests for which a turn is due. */
    private List<CompletableFuture<Long>> takeWaiting() {
        List<CompletableFuture<Long>> taken = new ArrayList<>();
        for (CompletableFuture<Long> request = waiting.poll(); request != null; request = waiting.poll()) {
            taken.add(request);
        }
        return taken;
    }

    private void refuse(List<CompletableFuture<Long>> requests, String reason) {
        requests.forEach(
                asked -> asked.completeExceptionally(new StorageException(reason)));
    }

    @Override
    public void finish(Duration atMost) {
        deadline = nanos.getAsLong() + atMost.toNanos();
        toTheEnd = atMost.equals(FOREVER);
        finishing = true;
        Following now = following;
        if (now != null) {
            tellEnd(now.feeder());
        }
        wake.release();
    }

    private void tellEnd(MirrorTransactions feeder) {
        feeder.finish(toTheEnd ? FOREVER : left());
    }

    /** Returns the time that a stop still gives. */
    private Duration left() {
        return Duration.ofNanos(Math.max(0, deadline - nanos.getAsLong()));
    }

    private boolean isOver() {
        return finishing && !toTheEnd && left().isZero();
    }

    @Override
    public void start() {
        // The storage works without the check and without a mirror, so their defects are no reason to stop.
        checking = Thread.ofPlatform().name("weir-damage").daemon()
                .uncaughtExceptionHandler((_, e) -> LOG.error("the search for damage failed", e))
                .start(check);
        copying = Thread.ofPlatform().name("weir-mirror").daemon()
                .uncaughtExceptionHandler((_, e) -> LOG.error("{} no longer gets updates", name(), e))
                .start(this);
    }

    @Override
    public void stopListening() {
        check.end();
    }

    @Override
    public void awaitEnd(Duration interval, LongConsumer waits) {
        if (copying != null) {
            UninterruptibleJoin.of(copying, interval, () -> waits.accept(status().behind()));
        }
    }

    @Override
    public Optional<Copy> copy() {
        return Optional.of(new Copy(lacking(), failure()));
    }

    /** Returns the number of updates that the mirror lacks. */
    private long lacking() {
        return Math.max(0, log.durable() - Math.max(0, reached()));
    }

    @Override
    public void reportEnd(long stored) {
        long left = lacking();
        if (isForeign() || hasDiverged()) {
            LOG.warn("stopped; {} hashes are stored. {} does not have them: {}", stored, name(), failure());
        } else if (reached() < 0 && log.durable() > 0) {
            LOG.warn("stopped; {} hashes are stored. {} is not complete ({}): before Rspamd takes it over, start weir "
                    + "serve --drain and stop it again, or run weir mirror", stored, name(), failure());
        } else if (left > 0) {
            LOG.warn("stopped; {} hashes are stored. {} updates are in the log and not in {}{}: the next start of weir "
                    + "applies them, but Rspamd would not see them. Before Rspamd takes it over, start weir serve "
                    + "--drain and stop it again", stored, left, name(),
                    failure().isEmpty() ? "" : ", which cannot be written (" + failure() + ")");
        } else {
            LOG.info("stopped; {} hashes are stored, and {} has all of them", stored, name());
        }
    }

    @Override
    public void run() {
        if (!ThreadScheduling.runInBackground()) {
            LOG.debug("the priority of {} cannot be lowered", Thread.currentThread().getName());
        }
        try {
            while (true) {
                boolean last = finishing;
                boolean done = turn();
                if (last && (done || !isWorthWaiting())) {
                    break;
                }
                Duration time = done ? timing.sync() : following == null && failedBefore.isEmpty() ? LOOK : RETRY;
                if (wake.tryAcquire(last ? RETRY.toNanos() : time.toNanos(), TimeUnit.NANOSECONDS)) {
                    wake.drainPermits();
                }
            }
        } catch (InterruptedException e) {
            LOG.warn("interrupted while waiting for {}; the next start continues", name());
        } finally {
            endCheck();
            detach();
            ended = true;
            refuse(takeWaiting(), name() + ": it is closed");
        }
    }

    /**
     * Waits for the end of the search. Its connection only reads, and if it closed after the one that writes, the
     * write-ahead log of the database would stay, and the mirror would look unfinished.
     */
    private void endCheck() {
        check.end();
        if (checking != null) {
            UninterruptibleJoin.of(checking);
        }
    }

    /** Returns whether a stop waits for a mirror that is not up to date. */
    private boolean isWorthWaiting() {
        if (following == null) {
            return (!loss.isEmpty() && !isOver()) || (toTheEnd && !failedBefore.isEmpty());
        }
        return toTheEnd;
    }

    /** Brings the mirror up to date once. Returns false if that failed. */
    public boolean turn() {
        // Only the requests made so far. What is found in this turn may be too old for later ones.
        List<CompletableFuture<Long>> asked = takeWaiting();
        leaveReplaced();
        if (following == null) {
            attach();
        }
        if (following == null) {
            build(!asked.isEmpty());
        }
        Following now = following;
        if (now == null) {
            refuse(asked, name() + ": " + away);
            return false;
        }
        if (finishing) {
            tellEnd(now.feeder());
        }
        boolean done = now.feeder().feed(!asked.isEmpty());
        if (done) {
            failedBefore = "";
            asked.forEach(request -> request.complete(now.feeder().reached()));
            now.feeder().compactIfDue();
        } else {
            refuse(asked, health.failure());
        }
        if (now.feeder().isCutOff()) {
            absent = now.feeder().reached() + 1;
            detach();
            lose(MirrorTransactions.BEHIND);
            return false;
        }
        if (done) {
            buildPause = Duration.ZERO;
        } else if (now.feeder().isBroken()) {
            away = health.failure();
            failedBefore = away;
            damage = now.feeder().damage();
            detach();
        }
        return done;
    }

    /**
     * Leaves a mirror whose place another one has taken, such as that of the command that builds it again, or whose
     * content is another one.
     */
    private void leaveReplaced() {
        Following now = following;
        if (now == null) {
            return;
        }
        try {
            if (!place.backend().identity().equals(now.identity())) {
                LOG.info("{} was replaced", name());
                detach(false);
            } else if (now.isOverwritten(log)) {
                LOG.warn("the file of {} now contains another database", name());
                replaced = true;
                detach(false);
            }
        } catch (IOException e) {
            LOG.debug("{} cannot be found", name(), e);
        } catch (StorageException e) {
            LOG.debug("{} cannot be read", name(), e);
        }
    }

    private void attach() {
        try {
            following = open();
            health.reached(reached());
            away = "";
            damage = "";
            loss = "";
            diverged = false;
            foreign = false;
            if (failedBefore.isEmpty()) {
                health.begins();
                LOG.info("{} follows from update {} on", name(), reached() + 1);
            }
        } catch (AwayException e) {
            String reason = String.valueOf(e.getMessage());
            diverged = e.cause == Cause.DIVERGED;
            foreign = e.cause == Cause.FOREIGN;
            if (e.cause == Cause.LOST) {
                lose(reason);
            } else {
                loss = "";
                leave(reason, "");
            }
        } catch (StorageException | IOException e) {
            LOG.debug("{} cannot be opened", name(), e);
            damage = e instanceof DatabaseDamagedException ? Reason.of(e) : "";
            failedBefore = e instanceof DatabaseDamagedException ? "" : failedBefore;
            leave(Reason.of(e), "");
        }
    }

    private Following open() throws StorageException, AwayException, IOException {
        Optional<Object> identity = place.backend().identity();
        boolean empty = isEmpty();
        place.opening();
        HashDatabase backend = empty ? place.backend().open() : place.backend().reopen();
        boolean followed = false;
        try {
            if (empty) {
                backend.adopt(storageId);
            }
            long reached = backend.revision();
            if (reached > log.durable()) {
                throw new AwayException("it has updates that the store has lost: build it again with weir mirror, or "
                        + decision(), Cause.DIVERGED);
            }
            if (!log.has(reached + 1) || reached + 1 == absent) {
                throw new AwayException(MirrorTransactions.BEHIND, Cause.LOST);
            }
            OptionalLong history = history(backend, reached);
            Optional<Object> opened = place.backend().identity();
            if (identity.isPresent() && !identity.equals(opened)) {
                throw new StorageException("it is being replaced");
            }
            seen = true;
            replaced |= first.isPresent() && !first.equals(opened);
            claim.moveTo(reached);
            Following found = new Following(backend, new MirrorTransactions(log,
                    new MirrorTransactions.Fed(name(), backend, reached, history, claim::moveTo), health, clock, nanos),
                    opened, backend.storageId());
            followed = true;
            return found;
        } finally {
            if (!followed) {
                backend.close();
            }
        }
    }

    /**
     * Compares the history of a mirror with that of the log. A mirror without one, such as a database of an earlier
     * version, gets one now, so that it cannot diverge unnoticed from here on.
     *
     * @return the running checksum of the log up to the revision of the mirror; empty if the log does not know it
     */
    private OptionalLong history(HashDatabase backend, long reached) throws StorageException, AwayException {
        OptionalLong stores = log.checksumAt(reached);
        OptionalLong mirrors = backend.history();
        if (mirrors.isPresent() && !mirrors.equals(stores)) {
            if (reached > log.tip().revision()) {
                throw new StorageException("the update log does not have the last updates again yet");
            }
            throw new AwayException("its updates up to " + reached + " are not those of the store: build it again with "
                    + "weir mirror, or " + decision(), Cause.DIVERGED);
        }
        // A log that cannot begin a segment has not recorded its history yet, and may begin another one next time.
        if (mirrors.isEmpty() && stores.isPresent() && log.hindrance().isEmpty()) {
            backend.keepHistory(stores.getAsLong());
        }
        return stores;
    }

    /** Returns whether the mirror is to be begun. Changes nothing, because the place may belong to others. */
    private boolean isEmpty() throws StorageException, AwayException {
        if (!place.backend().exists()) {
            // One that was there may be about to be replaced.
            if (seen || !log.has(1)) {
                throw new AwayException("it does not exist", Cause.LOST);
            }
            return true;
        }
        seen = true;
        try (StorageView view = place.backend().view()) {
            if (view.hasState() && view.storageId() == storageId) {
                return false;
            }
            if (view.count() > 0) {
                throw new AwayException("it belongs to another storage: move it away to have it written again from "
                        + "the store, or " + decision(), Cause.FOREIGN);
            }
            // An interrupted beginning leaves an empty mirror with another number.
            if (!log.has(1)) {
                throw new AwayException("it is empty", Cause.LOST);
            }
            return true;
        }
    }

    private void leave(String reason, String consequence) {
        if (!reason.equals(away)) {
            LOG.error("{} cannot follow: {}{}", name(), reason, consequence);
        }
        away = reason;
        health.failsAsTold(reason);
    }

    private void lose(String reason) {
        loss = reason;
        leave(reason, ". It is built again from the store");
    }

    /**
     * Builds a mirror that was lost. After attempts that did not help, it first waits longer and longer.
     *
     * @param asked whether a request waits for the mirror, so that this does not wait
     */
    private void build(boolean asked) {
        boolean pausing = nanos.getAsLong() - buildDue < 0 && !asked && !finishing;
        if (loss.isEmpty() || isOver() || pausing) {
            return;
        }
        long start = nanos.getAsLong();
        building = true;
        try {
            awaitCheckpoint();
            // A command may have built it meanwhile.
            attach();
            if (following != null || loss.isEmpty()) {
                return;
            }
            // The store has these updates, so the mirror will need the later ones.
            claim.moveTo(log.applied());
            place.build(this::isOver);
            LOG.info("built {} in {} s", name(), Duration.ofNanos(nanos.getAsLong() - start).toSeconds());
            loss = "";
            attach();
        } catch (StorageException e) {
            away = loss + "; it cannot be built: " + e.getMessage();
            LOG.warn("{} cannot be built: {}", name(), e.getMessage());
        } finally {
            building = false;
            buildPause = buildPause.isZero() ? FIRST_PAUSE : buildPause.multipliedBy(2);
            buildPause = buildPause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : buildPause;
            buildDue = nanos.getAsLong() + buildPause.toNanos();
        }
    }

    /** Waits for a checkpoint, so that the build has few later updates to apply. A stop writes one anyway. */
    private void awaitCheckpoint() throws StorageException {
        CompletableFuture<Long> written = checkpoint.get();
        try {
            while (!finishing) {
                try {
                    written.get(LOOK_AT_END.toMillis(), TimeUnit.MILLISECONDS);
                    return;
                } catch (TimeoutException e) {
                    LOG.trace("the checkpoint is being written");
                }
            }
        } catch (ExecutionException | CancellationException e) {
            throw new StorageException("the store cannot be written: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException("interrupted", e);
        }
    }

    /** Closes the mirror. */
    void detach() {
        detach(true);
    }

    /**
     * Closes the mirror.
     *
     * @param own whether its place has what this thread wrote. Another content must not count as left by Weir: the next
     *            start then asks whose it is
     */
    private void detach(boolean own) {
        Following now = following;
        if (now == null) {
            return;
        }
        boolean cutOff = now.feeder().isCutOff();
        lastReached = cutOff ? -1 : now.feeder().reached();
        health.reached(now.feeder().reached());
        following = null;
        try {
            now.feeder().close();
        } catch (IOException e) {
            LOG.debug("closing the log failed", e);
        }
        try {
            now.backend().close();
        } catch (StorageException e) {
            LOG.warn("{} cannot be closed: {}", name(), e.getMessage());
            return;
        }
        if (own && !cutOff) {
            place.closed();
        }
    }
}
