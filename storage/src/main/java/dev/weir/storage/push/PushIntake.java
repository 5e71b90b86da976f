package dev.weir.storage.push;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.LiveHashes;
import dev.weir.storage.log.LogHold;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The side of a slave: it applies the batches of masters, each once. A batch is in a file before its first update is in
 * the log, and its updates say in the log which they are. After a crash, the rest is applied at the next start.
 */
public final class PushIntake implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PushIntake.class);
    private static final int WINDOW = 512;
    private static final int READ = 1_024;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int MAX_NAME = 255;

    private final PushSettings settings;
    private final PushState state;
    private final Path file;
    private final LiveHashes hashes;
    private final UpdateLog log;
    private final LongAdder batches = new LongAdder();
    private final LongAdder updates = new LongAdder();
    private final LongAdder older = new LongAdder();
    private final LongAdder malformed = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder gaps = new LongAdder();
    private volatile boolean closed;
    /** The batch that is not complete, with its claim to the log. */
    private @Nullable Unfinished unfinished;

    private record Unfinished(PushedBatch batch, LogHold hold) {}

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
     */
    public record Answer(Result result, long revision, String reason) {}

    /**
     * What was counted since the start.
     *
     * @param sources the last batch of each source
     */
    public record Figures(long batches, long updates, long older, long malformed, long failed, long gaps,
            Map<String, Long> sources) {}

    PushIntake(PushSettings settings, PushState state, Path file, LiveHashes hashes, UpdateLog log)
            throws StorageException {
        this.settings = settings;
        this.state = state;
        this.file = file;
        this.hashes = hashes;
        this.log = log;
        // Before the storage starts to release parts of the log.
        PushedBatch.read(file).ifPresent(batch -> unfinished = new Unfinished(batch, hold(batch)));
    }

    private LogHold hold(PushedBatch batch) {
        return log.hold(batch.start(), log.maxBytes());
    }

    /** Completes the batch that the last end of the process interrupted. Call it when the storage takes updates. */
    public synchronized void recover() {
        Unfinished now = unfinished;
        if (now != null) {
            LOG.info("batch {} of source {} was interrupted: {}", now.batch().revision(), now.batch().source(),
                    goOn() ? "it is complete now" : "it goes on with the next batch");
        }
    }

    /**
     * Applies a batch.
     *
     * @param source the name under which its revision counts
     * @param key the public key of the master
     */
    public synchronized Answer take(String source, InetAddress master, PublicKey key, byte[] body) {
        Answer answer = checkAndApply(source, master, key, body);
        (switch (answer.result()) {
            case APPLIED -> batches;
            case OLDER -> older;
            case MALFORMED -> malformed;
            case FAILED -> failed;
        }).increment();
        return answer;
    }

    private Answer checkAndApply(String source, InetAddress master, PublicKey key, byte[] body) {
        String from = master.getHostAddress();
        if (source.length() > MAX_NAME) {
            return new Answer(Result.MALFORMED, 0, "the name of the source is too long");
        }
        PushedUpdates pushed;
        try {
            pushed = PushedUpdates.read(body);
        } catch (PushException e) {
            LOG.error("an update of the master {} is malformed, nothing of it is applied: {}", from, e.getMessage());
            return new Answer(Result.MALFORMED, 0, String.valueOf(e.getMessage()));
        }
        if (closed || !goOn()) {
            return new Answer(Result.FAILED, 0, "the last batch is not complete");
        }
        try {
            OptionalLong known = state.source(source);
            if (known.isEmpty() && state.sources().size() >= PushState.MAX_SOURCES) {
                return new Answer(Result.FAILED, 0, "there are too many sources");
            }
            long ours = known.orElse(0);
            long theirs = pushed.revision();
            if (theirs <= ours) {
                LOG.error("remote revision: {} is older than ours: {}, refusing update", theirs, ours);
                return new Answer(Result.OLDER, ours, "it is older than batch " + ours);
            }
            if (theirs - ours > 1 && (known.isPresent() || theirs - 1 != state.copied().orElse(-1))) {
                gaps.increment();
                LOG.warn("remote revision: {} is newer more than one revision than ours: {}, cold sync is recommended",
                        theirs, ours);
            }
            PushedBatch batch = new PushedBatch(source, theirs, log.tip().revision(), master, key.bytes(), body);
            batch.write(file);
            unfinished = new Unfinished(batch, hold(batch));
            if (!apply(batch, pushed.elements(), Map.of())) {
                return new Answer(Result.FAILED, ours, "not all of it could be stored");
            }
            complete(batch, pushed.elements().size());
            return new Answer(Result.APPLIED, theirs, "");
        } catch (StorageException e) {
            LOG.error("a batch of the master {} could not be stored: {}", from, e.getMessage());
            return new Answer(Result.FAILED, 0, "it could not be stored");
        }
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
            if (state.source(batch.source()).orElse(0) >= batch.revision()) {
                end(batch);
                return true;
            }
            if (!log.has(batch.start() + 1)) {
                LOG.error("batch {} of source {} was interrupted, and the update log no longer tells how far it had "
                        + "come: it counts as complete, cold sync is recommended", batch.revision(), batch.source());
                gaps.increment();
            } else if (!apply(batch, elements, found(batch))) {
                return false;
            }
            complete(batch, elements.size());
            return true;
        } catch (PushException | StorageException e) {
            LOG.error("batch {} of source {} cannot go on: {}", batch.revision(), batch.source(), e.getMessage());
            return false;
        }
    }

    /** Returns how many updates the log has of each element of a batch. */
    private Map<Integer, Integer> found(PushedBatch batch) throws StorageException {
        Map<Integer, Integer> found = new HashMap<>();
        try (LogReader reader = log.reader(batch.start() + 1)) {
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
                if (!offer(new QueuedUpdate(update, batch.origin(i, again), new Outcome(outcome)))) {
                    return false;
                }
                window.add(outcome);
            }
            if (window.size() >= WINDOW && !settle(window)) {
                return false;
            }
        }
        return settle(window);
    }

    /** Tells the thread that waits. */
    private record Outcome(CompletableFuture<Void> done) implements QueuedUpdate.Outcome {
        @Override
        public void stored() {
            done.complete(null);
        }

        @Override
        public void failed() {
            done.completeExceptionally(new StorageException("the update could not be stored"));
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
        long ours = state.source(batch.source()).orElse(0);
        state.source(batch.source(), batch.revision());
        updates.add(count);
        end(batch);
        LOG.info("processed updates from the master {}, {} operations processed, revision: {} (local revision: {})",
                batch.master().getHostAddress(), count, batch.revision(), ours);
    }

    private void end(PushedBatch batch) {
        Unfinished now = unfinished;
        unfinished = null;
        if (now != null) {
            log.release(now.hold());
        }
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // The counter says that it is complete.
            LOG.warn("cannot delete {}, which is no longer needed: {}", file, e.getMessage());
        }
        LOG.debug("batch {} of {} ended", batch.revision(), batch.source());
    }

    /** Returns the address check of a connection, before anything of it is read. */
    public boolean mayPush(InetAddress address) {
        return settings.masters() != null && settings.masters().contains(address);
    }

    /** Returns what was counted. */
    public Figures figures() {
        return new Figures(batches.sum(), updates.sum(), older.sum(), malformed.sum(), failed.sum(), gaps.sum(),
                state.sources());
    }

    /** Ends a batch early, after updates that were handed to the storage. The next start completes it. */
    @Override
    public void close() {
        closed = true;
    }
}
