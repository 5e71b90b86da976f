package dev.weir.storage.undo;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.QueuedUpdate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes back what was learned or forgotten. Each undo goes through the update log like the updates of clients, so
 * mirrors follow it, and it is in the audit trail under a Message-ID of its own, so it can be undone as well.
 *
 * <p>Each of its writes names the revision that it takes back, as the credential {@code undo of N}. A second undo of
 * the same change therefore finds nothing to do, also if two operators undo at once. Thread-safe.
 */
public final class Undo {
    private static final Logger LOG = LoggerFactory.getLogger(Undo.class);
    private static final String CREDENTIAL = UpdateSubmitter.UNDO;
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    /** The most updates that wait for the disk at a time: a part of the queue, so that clients find room. */
    private static final int WAITING = 1_024;
    /** The most flags whose values are taken back before those are removed of which nothing remains. */
    private static final int TOGETHER = 512;
    /** How long one waits for another. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final StorageEngine engine;
    private final UndoPlanner planner;
    /** One rehearsal or undo runs at a time, so that their memory is bounded. */
    private final ReentrantLock running = new ReentrantLock();

    /**
     * Creates the undo of a running storage.
     *
     * @param folder its data folder
     */
    public Undo(Path folder, StorageEngine engine) {
        this.engine = engine;
        this.planner = new UndoPlanner(folder, engine);
    }

    /** Returns whether an update removes a flag for an undo, so only if nothing remains of the flag. */
    public static boolean isRemoval(QueuedUpdate update) {
        UpdateSubmitter submission = update.origin().submission();
        return update.update() instanceof Update.Delete && submission != null && undone(submission).isPresent();
    }

    /** Returns whether nothing remains of the flag that an update removes. */
    public static boolean isUsedUp(Update update, HashIndex.@Nullable KnownHash known) {
        return update instanceof Update.Delete delete && known != null && known.flags().stream()
                .anyMatch(flag -> flag.flag() == delete.flag() && flag.value() <= 0);
    }

    /** Returns the revision that a change took back, 0 for a whole hash; empty for a change of another kind. */
    static OptionalLong undone(UpdateSubmitter submission) {
        String credential = submission.credential();
        if (!credential.startsWith(CREDENTIAL)) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(credential.substring(CREDENTIAL.length())));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /**
     * Computes the consequences without changing anything.
     *
     * @throws StorageException if the audit trail cannot be read, the request selects too much, or another rehearsal or
     *         undo runs for too long
     * @throws InterruptedException if the thread is interrupted while another one runs
     */
    public UndoPlan rehearse(UndoRequest request) throws StorageException, InterruptedException {
        begin();
        try {
            return plan(request, false);
        } finally {
            running.unlock();
        }
    }

    private void begin() throws StorageException, InterruptedException {
        if (!running.tryLock(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new StorageException("another rehearsal or undo is running: try again when it is done");
        }
    }

    private UndoPlan plan(UndoRequest request, boolean signed) throws StorageException {
        try {
            return planner.plan(request, signed);
        } catch (UndoPlanner.TooMuchException e) {
            throw new StorageException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Carries out an undo and waits until it is on disk.
     *
     * @param by the operator: the client and the user count
     * @throws StorageException as {@link #rehearse}; nothing has changed then
     * @throws InterruptedException if the thread is interrupted; a part of the undo is done then
     */
    public UndoResult apply(UndoRequest request, UpdateSubmitter by) throws StorageException, InterruptedException {
        begin();
        try {
            return carryOut(request, by);
        } finally {
            running.unlock();
        }
    }

    private UndoResult carryOut(UndoRequest request, UpdateSubmitter by) throws StorageException, InterruptedException {
        UndoPlan plan = plan(request, true);
        if (plan.steps().isEmpty()) {
            return new UndoResult("", plan, 0, 0);
        }
        String id = "undo-" + STAMP.format(Instant.ofEpochMilli(engine.hashes().now())) + "-"
                + HexFormat.of().toHexDigits((short) ThreadLocalRandom.current().nextInt());
        Run run = new Run(id, by);
        for (int from = 0; from < plan.steps().size(); from += TOGETHER) {
            List<UndoStep> steps = plan.steps().subList(from, Math.min(from + TOGETHER, plan.steps().size()));
            for (UndoStep step : steps) {
                run.write(step);
            }
            run.await();
            if (!run.remove(steps.stream().filter(UndoStep::removes).toList())) {
                break;
            }
        }
        return new UndoResult(id, plan, run.stored.get(), run.failed.get());
    }

    /** The updates of one undo. */
    private final class Run implements QueuedUpdate.Outcome {
        private final String id;
        private final UpdateSubmitter by;
        private final InetAddress address;
        private final Semaphore room = new Semaphore(WAITING);
        private final AtomicLong stored = new AtomicLong();
        private final AtomicLong failed = new AtomicLong();
        private int tag = ThreadLocalRandom.current().nextInt();

        Run(String id, UpdateSubmitter by) {
            this.id = id;
            this.by = by;
            this.address = literal(by.client());
        }

        private static InetAddress literal(String client) {
            try {
                return InetAddress.ofLiteral(client);
            } catch (IllegalArgumentException e) {
                return InetAddress.getLoopbackAddress();
            }
        }

        private void write(UndoStep step) throws InterruptedException {
            for (UndoStep.Contribution change : step.changes()) {
                write(step, -change.weight(), change.revision());
            }
            if (step.removes()) {
                long rest = step.before() - step.brought();
                if (rest != 0) {
                    // So that the undo of this undo restores the value, not what was brought.
                    write(step, -rest, 0);
                }
            }
        }

        /**
         * Removes flags of which nothing remains after the writes. The writer decides that: what a client learned since
         * the plan, and was told is stored, must stay.
         *
         * @return whether the writer works, so that it makes sense to go on
         */
        private boolean remove(List<UndoStep> steps) throws InterruptedException {
            if (steps.isEmpty()) {
                return true;
            }
            if (!engine.role().leads()) {
                // The leader of this node decides, by its own index.
                for (UndoStep step : steps) {
                    send(new Update.Delete(step.digest(), step.flag()), 0);
                }
                await();
                return true;
            }
            try {
                engine.writer().decide(index -> {
                    Lookup lookup = new Lookup();
                    List<QueuedUpdate> removals = new ArrayList<>();
                    for (UndoStep step : steps) {
                        if (isUsedUp(step, index.known(step.digest(), lookup))) {
                            removals.add(update(new Update.Delete(step.digest(), step.flag()), 0));
                        }
                    }
                    // There is room: nothing waits, and it is more than the steps.
                    room.acquireUninterruptibly(removals.size());
                    return removals;
                }).get();
            } catch (ExecutionException | CancellationException e) {
                LOG.warn("the removals of the undo {} are not stored: {}", id, e.getMessage(), e);
                // Those that the writer had taken have their outcomes.
                failed.compareAndSet(0, steps.size());
                return false;
            }
            await();
            return true;
        }

        private static boolean isUsedUp(UndoStep step, HashIndex.@Nullable KnownHash known) {
            return known != null && known.flags().stream()
                    .anyMatch(flag -> flag.flag() == step.flag() && flag.value() <= 0);
        }

        private void write(UndoStep step, long weight, long revision) throws InterruptedException {
            long time = engine.hashes().recordedSeconds(engine.hashes().now());
            send(new Update.Write(step.digest(), step.flag(), weight, time, step.signature()), revision);
        }

        private void send(Update update, long revision) throws InterruptedException {
            room.acquire();
            if (!engine.hashes().offer(update(update, revision))) {
                failed();
            }
        }

        private QueuedUpdate update(Update update, long revision) {
            return new QueuedUpdate(update, new UpdateOrigin(address, 0, tag++, null,
                    new UpdateSubmitter(by.client(), CREDENTIAL + revision, by.user(), id)), this);
        }

        private void await() throws InterruptedException {
            room.acquire(WAITING);
            room.release(WAITING);
        }

        @Override
        public void stored() {
            stored.incrementAndGet();
            room.release();
        }

        @Override
        public void failed() {
            failed.incrementAndGet();
            room.release();
        }
    }
}
