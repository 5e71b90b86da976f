package dev.weir.storage.checkpoint;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import dev.weir.os.ThreadScheduling;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.log.ConsumerHealth;
import dev.weir.storage.log.ConsumerStatus;
import dev.weir.storage.log.LogConsumer;
import dev.weir.storage.log.UpdateLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background work on a store. It forces slots, and writes a checkpoint when the log since the last one is long or
 * old. Updates never wait for an image. They wait for slots only if all buffers are full.
 * Call {@link #close} after the end of {@link #run}.
 */
public final class Checkpointer implements LogConsumer, Runnable, Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);

    /** Maximum size of the log in images, so that checkpoints add a fourth to the bytes that are written. */
    private static final int IMAGES_OF_LOG = 4;

    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration RETRY = Duration.ofSeconds(1);

    /** How long a finished image waits for the log. Without more updates, the next one need not wait. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final UpdateLog log;
    private final Checkpoints store;
    private final CheckpointLock lock;
    private final ConsumerHealth health;
    private final LongSupplier nanos;
    private final Semaphore wake = new Semaphore(0);
    private final Queue<Request> requests = new ConcurrentLinkedQueue<>();
    private final Queue<Request> asked = new ArrayDeque<>();
    private volatile boolean finishing;
    private volatile long deadline;
    private volatile boolean toTheEnd;
    private volatile boolean ended;
    private volatile long completed;
    private long begun;

    /** Whether the log is long, so that so many updates may follow as since the last checkpoint. */
    private boolean many;

    /** Whether the log keeps segments that it needs only if many updates follow. */
    private boolean keepsMore;

    private record Request(long revision, CompletableFuture<Long> result) {}

    /**
     * Creates a checkpointer. The caller must start a thread with {@link #run}.
     *
     * @param lock lock to hold during a checkpoint, unless the checkpoint cannot wait for it
     * @param nanos a monotonic clock
     */
    public Checkpointer(UpdateLog log, Checkpoints store, CheckpointLock lock, LongSupplier nanos) {
        this.log = log;
        this.store = store;
        this.lock = lock;
        this.nanos = nanos;
        this.health = new ConsumerHealth(log, log.store(), log.applied(),
                new ConsumerHealth.Words("the store", "cannot be written", "can be written"), nanos);
        this.completed = nanos.getAsLong();
    }

    @Override
    public ConsumerStatus status() {
        return health.status(ended);
    }

    @Override
    public List<Trouble> troubles() {
        List<Trouble> troubles = new ArrayList<>();
        if (!failure().isEmpty()) {
            troubles.add(new Trouble("the store cannot be written", failure() + "; "
                    + Math.max(0, log.durable() - log.applied()) + " updates wait in the log"));
        }
        if (!damage().isEmpty()) {
            troubles.add(new Trouble("the store is damaged", damage()));
        }
        return troubles;
    }

    /** Returns why the store cannot be written at present; empty if it can. Any thread may ask. */
    public String failure() {
        return health.failure();
    }

    /** Returns how damage of stored data was found; empty if there is none. Any thread may ask. */
    public String damage() {
        return store.damage();
    }

    /** Returns the time since the last checkpoint or the start. Any thread may call it. */
    public Duration age() {
        return Duration.ofNanos(nanos.getAsLong() - completed);
    }

    @Override
    public CompletableFuture<Long> sync() {
        Request request = new Request(log.durable(), new CompletableFuture<>());
        requests.add(request);
        wake.release();
        return request.result();
    }

    @Override
    public void finish(Duration atMost) {
        deadline = nanos.getAsLong() + atMost.toNanos();
        toTheEnd = atMost.equals(FOREVER);
        finishing = true;
        wake.release();
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
                boolean gaveUp = store.index().isIncomplete()
                        || (!toTheEnd && (!done || nanos.getAsLong() - deadline >= 0));
                if (last && (isComplete() || gaveUp)) {
                    break;
                }
                pause(done ? LOOK : RETRY);
            }
        } catch (InterruptedException e) {
            LOG.warn("interrupted while waiting for the store; the log keeps the updates that it lacks");
        }
        ended = true;
        takeRequests();
        asked.forEach(request -> request.result().cancel(false));
    }

    private void pause(Duration time) throws InterruptedException {
        if (wake.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS)) {
            wake.drainPermits();
        }
    }

    private void takeRequests() {
        for (Request request = requests.poll(); request != null; request = requests.poll()) {
            asked.add(request);
        }
    }

    /** Returns whether a checkpoint has every update. */
    private boolean isComplete() {
        return store.revision() >= log.durable();
    }

    /** Does the due work once. Returns false if that failed. */
    public boolean turn() {
        takeRequests();
        health.reached(log.applied());
        try {
            if (store.index().isIncomplete()) {
                // A pending image stays: its manifest may be on disk already.
                throw new IOException("its index lacks updates since a failure; the next start reads them in the log");
            }
            store.forceSlotsIfMany();
            completeIfPending();
            if (store.isPending() && nanos.getAsLong() - begun >= PATIENCE.toNanos()) {
                store.abandon();
            }
            if (!store.isPending() && isDue() && (lock.tryLock() || cannotWait())) {
                begun = nanos.getAsLong();
                many = !isDueAnyway();
                store.begin();
                completeIfPending();
            }
            health.works();
            if (keepsMore && (isDueAnyway() || !asked.isEmpty())) {
                release(false);
            }
            answer();
            return true;
        } catch (IOException | RuntimeException e) {
            failed(e);
            return false;
        } finally {
            if (!store.isPending()) {
                lock.unlock();
            }
        }
    }

    /** Returns whether a checkpoint must begin although another program reads the last one. */
    private boolean cannotWait() {
        return finishing || log.unappliedBytes() > log.maxBytes() / 2;
    }

    private void completeIfPending() throws IOException {
        if (store.isPending() && store.complete(log.confirmed())) {
            completed = nanos.getAsLong();
            log.noteEnd();
            release(many);
        }
    }

    private void release(boolean more) {
        log.store().moveTo(store.revision());
        log.trim(store.bytes(), more);
        health.reached(log.applied());
        keepsMore = more;
    }

    private boolean isDue() {
        if (isComplete()) {
            return false;
        }
        long most = Math.min(Math.max(IMAGES_OF_LOG * store.imageBytes(), store.settings().logBytes()),
                log.maxBytes() / 2);
        return isDueAnyway() || log.unappliedBytes() > most;
    }

    /** Returns whether a checkpoint that lacks updates would be due with a short log, too. */
    private boolean isDueAnyway() {
        return finishing || age().compareTo(store.settings().interval()) >= 0
                || asked.stream().anyMatch(request -> request.revision() > store.revision());
    }

    private void answer() {
        asked.removeIf(request -> {
            boolean done = request.revision() <= store.revision();
            if (done) {
                request.result().complete(store.revision());
            }
            return done;
        });
    }

    private void failed(Exception e) {
        String reason = String.valueOf(e.getMessage());
        health.failed(reason, e);
        asked.forEach(request -> request.result().completeExceptionally(new StorageException(reason)));
        asked.clear();
    }

    @Override
    public void close() {
        lock.unlock();
        store.close();
    }
}
