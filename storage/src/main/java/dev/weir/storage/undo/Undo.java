package dev.weir.storage.undo;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.Submission;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.QueuedUpdate;

/**
 * Takes back what was learned or forgotten. Each undo goes through the update log like the updates of clients, so
 * mirrors follow it, and it is in the audit trail under a Message-ID of its own, so it can be undone as well.
 *
 * <p>Each of its writes names the revision that it takes back, as the credential {@code undo of N}. A second undo of
 * the same change therefore finds nothing to do, also if two operators undo at once. Thread-safe.
 */
public final class Undo {
    private static final String CREDENTIAL = "undo of ";
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    /** The most updates that wait for the disk at a time: a part of the queue, so that clients find room. */
    private static final int WAITING = 1_024;
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

    /** Returns the revision that a change took back, 0 for a whole hash; empty for a change of another kind. */
    static OptionalLong undone(Submission submission) {
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
    public UndoResult apply(UndoRequest request, Submission by) throws StorageException, InterruptedException {
        begin();
        try {
            return carryOut(request, by);
        } finally {
            running.unlock();
        }
    }

    private UndoResult carryOut(UndoRequest request, Submission by) throws StorageException, InterruptedException {
        UndoPlan plan = plan(request, true);
        if (plan.steps().isEmpty()) {
            return new UndoResult("", plan, 0, 0);
        }
        String id = "undo-" + STAMP.format(Instant.ofEpochMilli(engine.hashes().now())) + "-"
                + HexFormat.of().toHexDigits((short) ThreadLocalRandom.current().nextInt());
        Run run = new Run(id, by);
        for (UndoStep step : plan.steps()) {
            run.step(step);
        }
        run.await();
        return new UndoResult(id, plan, run.stored.get(), run.failed.get());
    }

    /** The updates of one undo. */
    private final class Run implements QueuedUpdate.Outcome {
        private final String id;
        private final Submission by;
        private final InetAddress address;
        private final Semaphore room = new Semaphore(WAITING);
        private final AtomicLong stored = new AtomicLong();
        private final AtomicLong failed = new AtomicLong();
        private int tag = ThreadLocalRandom.current().nextInt();

        Run(String id, Submission by) {
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

        private void step(UndoStep step) throws InterruptedException {
            for (UndoStep.Contribution change : step.changes()) {
                write(step, -change.weight(), change.revision());
            }
            if (step.removes()) {
                long rest = step.before() - step.brought();
                if (rest != 0) {
                    // So that the undo of this undo restores the value, not what was brought.
                    write(step, -rest, 0);
                }
                send(new Update.Delete(step.digest(), step.flag()), 0);
            }
        }

        private void write(UndoStep step, long weight, long revision) throws InterruptedException {
            long time = engine.hashes().recordedSeconds(engine.hashes().now());
            send(new Update.Write(step.digest(), step.flag(), weight, time, step.signature()), revision);
        }

        private void send(Update update, long revision) throws InterruptedException {
            room.acquire();
            UpdateOrigin origin = new UpdateOrigin(address, 0, tag++, null,
                    new Submission(by.client(), CREDENTIAL + revision, by.user(), id));
            if (!engine.hashes().offer(new QueuedUpdate(update, origin, this))) {
                failed();
            }
        }

        private void await() throws InterruptedException {
            room.acquire(WAITING);
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
