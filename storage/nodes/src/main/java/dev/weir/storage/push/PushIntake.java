package dev.weir.storage.push;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.engine.LiveHashes;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.LogMark;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.state.StateFiles;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The side of a slave: it applies each batch of a master once. It writes the batch to a file before the first update of
 * the batch reaches the log, and the log records the place of each update within its batch. After a crash, the next
 * start applies the rest of the batch.
 */
public final class PushIntake implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PushIntake.class);
    private static final int WINDOW = 512;
    private static final int READ = 1_024;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int MAX_NAME = 255;
    private static final String ASKED = "asked";

    private final PushSettings settings;
    private final PushState state;
    private final StateFiles files;
    private final LiveHashes hashes;
    private final UpdateLog log;
    private final LongAdder batches = new LongAdder();
    private final LongAdder updates = new LongAdder();
    private final LongAdder older = new LongAdder();
    private final LongAdder malformed = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder gaps = new LongAdder();
    private final LongAdder leftOut = new LongAdder();
    /** By the name of the source: batches that another place refused. */
    private final Map<String, String> refused = new ConcurrentHashMap<>();
    private volatile boolean closed;
    /** The batch that is not complete, with its claim to the log. */
    private @Nullable Unfinished unfinished;

    private record Unfinished(PushedBatch batch, LogClaim claim) {}

    /** The result of a batch. */
    public enum Result {
        /** All of it is stored. */
        APPLIED,
        /** It is not newer than the last one. */
        OLDER,
        /** It cannot be understood. */
        MALFORMED,
        /** It cannot be stored now. */
        FAILED
    }

    /**
     * The answer to a batch.
     *
     * @param revision the last batch of the source
     * @param reason why the batch was not applied
     * @param place what this storage has of the master's log
     */
    public record Answer(Result result, long revision, String reason, SlavePlace place) {
        static Answer of(Result result, long revision, String reason) {
            return new Answer(result, revision, reason, new SlavePlace.Untold());
        }
    }

    /**
     * What was counted since the start.
     *
     * @param leftOut updates that no try could store
     * @param sources the last batch of each source
     */
    public record Figures(long batches, long updates, long older, long malformed, long failed, long gaps, long leftOut,
            Map<String, Long> sources) {}

    PushIntake(PushSettings settings, PushState state, StateFiles files, LiveHashes hashes, UpdateLog log)
            throws StorageException {
        this.settings = settings;
        this.state = state;
        this.files = files;
        this.hashes = hashes;
        this.log = log;
        // Before the storage starts to release parts of the log.
        Optional<PushedBatch> batch = SourceCheck.run(state, files, log);
        if (batch.isPresent()) {
            unfinished = new Unfinished(batch.get(), claim(batch.get()));
        }
    }

    private LogClaim claim(PushedBatch batch) {
        return log.claim("an incomplete batch", LogClaim.Retention.upTo(log.maxBytes()), batch.start().revision());
    }

    /** Completes the batch that the last end of the process interrupted. Call it when the storage takes updates. */
    public synchronized void recover() {
        Unfinished now = unfinished;
        if (now != null) {
            LOG.info("batch {} of source {} was interrupted: {}", now.batch().revision(), now.batch().source().name(),
                    goOn() ? "it is complete now" : "it goes on with the next batch");
        }
    }

    /**
     * Applies a batch.
     *
     * @param source the name under which its revision counts
     * @param key the public key of the master
     * @param span the updates of the master's log that it stands for; empty from Rspamd, which does not say it
     */
    public synchronized Answer take(String source, InetAddress master, PublicKey key, byte[] body,
            Optional<BatchSpan> span) {
        Answer answer = checkAndApply(source, master, key, body, span);
        if (span.isEmpty() || !answer.reason().equals(ASKED)) {
            (switch (answer.result()) {
                case APPLIED -> batches;
                case OLDER -> older;
                case MALFORMED -> malformed;
                case FAILED -> failed;
            }).increment();
        }
        return answer;
    }

    private Answer checkAndApply(String source, InetAddress master, PublicKey key, byte[] body,
            Optional<BatchSpan> span) {
        String from = master.getHostAddress();
        if (source.length() > MAX_NAME) {
            return Answer.of(Result.MALFORMED, 0, "the name of the source is too long");
        }
        PushedUpdates pushed;
        try {
            pushed = PushedUpdates.read(body);
        } catch (PushException e) {
            LOG.error("an update of the master {} is malformed, nothing of it is applied: {}", from, e.getMessage());
            return Answer.of(Result.MALFORMED, 0, String.valueOf(e.getMessage()));
        }
        if (closed || !goOn()) {
            return Answer.of(Result.FAILED, 0, "the last batch is not complete");
        }
        try {
            SourceKey name = new SourceKey(source, span.map(stretch -> stretch.from().storage()).orElse(0L));
            if (state.source(name).isEmpty() && state.sources().size() >= PushState.MAX_SOURCES) {
                return Answer.of(Result.FAILED, 0, "there are too many sources");
            }
            Optional<Answer> refusal = span.isPresent()
                    ? refusal(name, from, pushed, span.get())
                    : refusal(source, pushed);
            if (refusal.isPresent()) {
                return refusal.get();
            }
            long ours = state.last(source).orElse(0);
            long number = span.isEmpty()
                    ? pushed.revision()
                    : Math.max(pushed.revision(), Math.min(ours + 1, PushedUpdates.LARGEST));
            PushedBatch batch = new PushedBatch(name, number, LogMark.of(log.tip()), span.map(BatchSpan::to), master,
                    key.bytes(), body);
            batch.write(files, log.storageId());
            unfinished = new Unfinished(batch, claim(batch));
            if (!apply(batch, pushed.elements(), Map.of())) {
                return Answer.of(Result.FAILED, ours, "not all of it could be stored");
            }
            complete(batch, pushed.elements().size());
            return new Answer(Result.APPLIED, number, "",
                    batch.to().<SlavePlace>map(SlavePlace.At::new).orElseGet(SlavePlace.Untold::new));
        } catch (StorageException e) {
            LOG.error("a batch of the master {} could not be stored: {}", from, e.getMessage());
            return Answer.of(Result.FAILED, 0, "it could not be stored");
        }
    }

    /** Returns why a batch of Rspamd is not applied: its number decides. */
    private Optional<Answer> refusal(String source, PushedUpdates pushed) {
        OptionalLong known = state.last(source);
        long ours = known.orElse(0);
        long theirs = pushed.revision();
        if (theirs <= ours) {
            LOG.error("remote revision: {} is older than ours: {}, refusing update", theirs, ours);
            return Optional.of(Answer.of(Result.OLDER, ours, "it is older than batch " + ours));
        }
        if (theirs - ours > 1 && (known.isPresent() || theirs - 1 != state.copied().orElse(-1))) {
            gaps.increment();
            LOG.warn("remote revision: {} is newer more than one revision than ours: {}, cold sync is recommended",
                    theirs, ours);
        }
        return Optional.empty();
    }

    /** Returns why a batch of Weir is not applied: its place in the log of the master decides. */
    private Optional<Answer> refusal(SourceKey name, String from, PushedUpdates pushed, BatchSpan span)
            throws StorageException {
        Optional<PushedSource> known = state.source(name);
        SlavePlace place = known.isPresent()
                ? known.get().told()
                : SourceCheck.hasForgotten(state, log, name) ? new SlavePlace.Doubtful() : new SlavePlace.Nothing();
        long ours = state.last(name.name()).orElse(0);
        if (pushed.revision() == 0 && pushed.elements().isEmpty()) {
            return Optional.of(new Answer(Result.OLDER, ours, ASKED, place));
        }
        boolean next = switch (place) {
            case SlavePlace.At at -> at.place().equals(span.from());
            case SlavePlace.Nothing _ -> span.first() || goesOn(name, pushed);
            case SlavePlace.Doubtful _,SlavePlace.Untold _ -> false;
        };
        if (next) {
            if (span.first() && ours > 0) {
                gaps.increment();
                LOG.warn("the master {} begins with batches under the name {}, under which another storage has pushed "
                        + "batches up to {}: cold sync is recommended", from, name.name(), ours);
            }
            return Optional.empty();
        }
        String why = switch (place) {
            case SlavePlace.At at -> "this storage has the updates up to " + at.place().position();
            case SlavePlace.Nothing _ -> "this storage has nothing of this master under this name";
            case SlavePlace.Doubtful _,SlavePlace.Untold _ -> "this storage does not know what it has of this master";
        };
        LOG.error("refusing the updates {} to {} of the master {}, source {}: {}", span.from().position() + 1,
                span.to().position(), from, name.name(), why);
        if (!(place instanceof SlavePlace.At)) {
            refused.put(name.name(), "source " + name.name() + ", master " + from + ": " + why);
        }
        return Optional.of(new Answer(Result.OLDER, ours, why, place));
    }

    /** Returns whether a batch is the next one after those that an earlier version counted. */
    private boolean goesOn(SourceKey name, PushedUpdates pushed) {
        Optional<PushedSource> counted = state.source(SourceKey.ofRspamd(name.name()));
        return counted.isPresent() && !counted.get().doubtful() && pushed.revision() == counted.get().number() + 1;
    }

    /** Completes the batch that is not complete, if there is one. Returns whether there is none any more. */
    private boolean goOn() {
        Unfinished now = unfinished;
        if (now == null) {
            return true;
        }
        PushedBatch batch = now.batch();
        try {
            List<PushedUpdates.Element> elements = PushedUpdates.read(batch.body()).elements();
            if (state.source(batch.source()).map(PushedSource::number).orElse(0L) >= batch.revision()) {
                end(batch);
                return true;
            }
            if (!log.has(batch.start().revision() + 1)) {
                LOG.error("batch {} of source {} was interrupted, and the update log no longer tells how far it had "
                        + "come: nothing more of it is applied, cold sync is recommended", batch.revision(),
                        batch.source().name());
                gaps.increment();
                SourceCheck.doubt(state, batch);
                end(batch);
                return true;
            }
            if (!apply(batch, elements, found(batch))) {
                return false;
            }
            complete(batch, elements.size());
            return true;
        } catch (PushException | StorageException e) {
            LOG.error("batch {} of source {} cannot go on: {}", batch.revision(), batch.source().name(),
                    e.getMessage());
            return false;
        }
    }

    /** Returns how many updates the log has of each element of a batch. */
    private Map<Integer, Integer> found(PushedBatch batch) throws StorageException {
        Map<Integer, Integer> found = new HashMap<>();
        try (LogReader reader = log.reader(batch.start().revision() + 1)) {
            for (List<LoggedUpdate> read = reader.read(READ); !read.isEmpty(); read = reader.read(READ)) {
                for (LoggedUpdate update : read) {
                    int element = batch.elementOf(update.origin());
                    if (element >= 0) {
                        found.merge(element, 1, Integer::sum);
                    }
                }
            }
        } catch (IOException e) {
            LOG.debug("closing a file of the log failed", e);
        }
        return found;
    }

    private boolean apply(PushedBatch batch, List<PushedUpdates.Element> elements, Map<Integer, Integer> found) {
        List<CompletableFuture<Void>> window = new ArrayList<>();
        Set<Digest> removed = new HashSet<>();
        LongAdder impossible = new LongAdder();
        long seconds = hashes.recordedSeconds(hashes.now());
        for (int i = 0; i < elements.size(); i++) {
            PushedUpdates.Element element = elements.get(i);
            List<Update> wanted = updates(element, seconds);
            boolean there = found.getOrDefault(i, 0) >= wanted.size();
            // What an earlier attempt stored, although a removal before it failed, is gone with that removal.
            boolean again = there && removed.contains(element.digest());
            if (there && !again) {
                continue;
            }
            if (element.command() == PushedUpdates.DELETE && !found.isEmpty()) {
                removed.add(element.digest());
            }
            for (Update update : wanted) {
                CompletableFuture<Void> outcome = new CompletableFuture<>();
                if (!offer(new QueuedUpdate(update, batch.origin(i, again), new Outcome(outcome, impossible)))) {
                    return false;
                }
                window.add(outcome);
            }
            if (window.size() >= WINDOW && !settle(window)) {
                return false;
            }
        }
        if (!settle(window)) {
            return false;
        }
        if (impossible.sum() > 0) {
            leftOut.add(impossible.sum());
            LOG.error("{} updates of batch {} of source {} are left out: their hashes have as many flags beyond 255 as "
                    + "a hash can have; delete some, or change master_flags", impossible.sum(), batch.revision(),
                    batch.source().name());
        }
        return true;
    }

    /** Tells the thread that waits. */
    private record Outcome(CompletableFuture<Void> done, LongAdder excess) implements QueuedUpdate.Outcome {
        @Override
        public void stored() {
            done.complete(null);
        }

        @Override
        public void failed() {
            done.completeExceptionally(new StorageException("the update could not be stored"));
        }

        @Override
        public void impossible() {
            // Another try would not help, and the batch would never end.
            excess.increment();
            done.complete(null);
        }
    }

    private boolean offer(QueuedUpdate update) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!closed && System.nanoTime() - until < 0) {
            if (hashes.offer(update)) {
                return true;
            }
            LockSupport.parkNanos(this, PAUSE);
        }
        return false;
    }

    /** Waits for the outcomes. An update without an outcome could still be stored, so there is no time limit. */
    private boolean settle(List<CompletableFuture<Void>> window) {
        CompletableFuture<Void> all = CompletableFuture.allOf(window.toArray(CompletableFuture[]::new));
        while (!closed || all.isDone()) {
            try {
                all.get(LOOK.toMillis(), TimeUnit.MILLISECONDS);
                window.clear();
                return true;
            } catch (TimeoutException e) {
                LOG.trace("updates of a master wait for the disk", e);
            } catch (ExecutionException e) {
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return false;
    }

    /**
     * Returns what a command changes here. A master with SQLite has one flag for each hash, so its removal takes all
     * flags. With {@code master_flags}, flags that are no translations stay: they belong to this storage.
     */
    private List<Update> updates(PushedUpdates.Element element, long seconds) {
        int flag = settings.flag(element.flag());
        return switch (element.command()) {
            case PushedUpdates.ADD -> List.of(new Update.Write(element.digest(), flag, element.value(), seconds,
                    element.signature()));
            case PushedUpdates.DELETE -> {
                if (settings.flags().isEmpty()) {
                    yield List.of(new Update.DeleteAll(element.digest()));
                }
                Set<Integer> flags = new HashSet<>(settings.flags().values());
                flags.add(flag);
                yield flags.stream().sorted().<Update>map(each -> new Update.Delete(element.digest(), each)).toList();
            }
            case PushedUpdates.REFRESH -> List.of(new Update.Refresh(element.digest(), seconds));
            default -> List.of();
        };
    }

    private void complete(PushedBatch batch, int count) throws StorageException {
        long ours = state.source(batch.source()).map(PushedSource::number).orElse(0L);
        awaitDisk();
        state.source(batch.source(),
                new PushedSource(batch.revision(), batch.to(), Optional.of(LogMark.of(log.tip())), false));
        updates.add(count);
        end(batch);
        LOG.info("processed updates from the master {}, {} operations processed, revision: {} (local revision: {})",
                batch.master().getHostAddress(), count, batch.revision(), ours);
    }

    /** Waits for the disk, which with {@code acknowledge = "queued"} follows later than the outcome of an update. */
    private void awaitDisk() throws StorageException {
        long last = log.handed();
        long until = System.nanoTime() + PATIENCE.toNanos();
        try {
            while (log.durable() < last || log.tip().revision() < last) {
                if (closed || System.nanoTime() - until > 0) {
                    throw new StorageException("the update log does not reach the disk");
                }
                log.awaitAfter(last - 1, LOOK);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException("interrupted", e);
        }
    }

    private void end(PushedBatch batch) {
        Unfinished now = unfinished;
        unfinished = null;
        if (now != null) {
            log.release(now.claim());
        }
        try {
            files.delete(PushedBatch.FORMAT);
        } catch (IOException e) {
            // The counter says that it is complete.
            LOG.warn("cannot delete {}, which is no longer needed: {}", files.place(PushedBatch.FORMAT),
                    Reason.of(e));
        }
        LOG.debug("batch {} of {} ended", batch.revision(), batch.source().name());
    }

    /** Returns the masters whose batches are refused until an operator decides. */
    List<Trouble> troubles() {
        return refused.values().stream().sorted()
                .map(detail -> new Trouble("batches of a master are refused until an operator decides", detail
                        + "; docs/operate/nodes.md#when-a-mirror-stops-and-asks says what to do"))
                .toList();
    }

    /** Returns the address check of a connection, before anything of it is read. */
    public boolean mayPush(InetAddress address) {
        return settings.masters() != null && settings.masters().contains(address);
    }

    /** Returns what was counted. */
    public Figures figures() {
        return new Figures(batches.sum(), updates.sum(), older.sum(), malformed.sum(), failed.sum(), gaps.sum(),
                leftOut.sum(), state.numbers());
    }

    /** Ends a batch early, after updates that were handed to the storage. The next start completes it. */
    @Override
    public void close() {
        closed = true;
    }
}
