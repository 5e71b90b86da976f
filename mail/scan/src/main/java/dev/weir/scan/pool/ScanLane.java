package dev.weir.scan.pool;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import dev.weir.scan.OverloadedException;
import dev.weir.scan.pool.ScanPool.Source;
import org.jspecify.annotations.Nullable;

/**
 * The entrance to a {@link ScanPool} for one source of mails, with its queue and its figures. Cancel a future to take a
 * mail out of the queue, or to stop its hashing: that happens at the next look at the clock.
 */
public final class ScanLane {
    private final ScanPool pool;
    private final Source source;
    private final int capacity;

    // Guarded by the lock of the pool.
    private final Line small = new Line();
    private final Line large = new Line();
    private final Line huge = new Line();

    private final LongAdder admitted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder abandoned = new LongAdder();
    private final LongAdder waitedNanos = new LongAdder();

    ScanLane(ScanPool pool, Source source, int capacity) {
        this.pool = pool;
        this.source = source;
        this.capacity = capacity;
    }

    /** The mails of one class of sizes. */
    private static final class Line {
        private final SequencedSet<Task<?>> waiting = new LinkedHashSet<>();
        private int running;
    }

    /** One mail with its work, from its arrival to the result. */
    static final class Task<T> extends CompletableFuture<T> {
        private final ScanLane lane;
        private final Line line;
        private final long arrival = System.nanoTime();
        private long number;
        /** Dropped when it starts or is given up, because it holds the mail. */
        private volatile @Nullable Supplier<CompletableFuture<T>> work;

        private Task(ScanLane lane, Line line, Supplier<CompletableFuture<T>> work) {
            this.lane = lane;
            this.line = line;
            this.work = work;
        }

        ScanLane lane() {
            return lane;
        }

        /** Does the work and passes on its result. Never throws. */
        void work() {
            Supplier<CompletableFuture<T>> begun = work;
            work = null;
            if (begun == null || isDone()) {
                return;
            }
            lane.waitedNanos.add(System.nanoTime() - arrival);
            try {
                var _ = begun.get().whenComplete((result, error) -> {
                    if (error == null) {
                        complete(result);
                    } else {
                        completeExceptionally(error);
                    }
                });
            } catch (Throwable e) {
                // An Error, too: otherwise the source would wait in vain, and the thread would be lost.
                completeExceptionally(e);
            }
        }

        void refuse() {
            work = null;
            lane.refused.increment();
            completeExceptionally(new OverloadedException(lane.capacity));
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            if (!super.cancel(mayInterrupt)) {
                return false;
            }
            if (lane.pool.leave(this)) {
                work = null;
                lane.abandoned.increment();
            }
            return true;
        }
    }

    /**
     * Passes a mail to a thread of the pool.
     *
     * @param size the size of the mail in bytes
     * @param work what to do with it; it hashes the mail, and its future completes with the answers of storages
     * @return a future like that of {@code work}; it fails with {@link OverloadedException} if too many mails wait
     */
    public <T> CompletableFuture<T> submit(int size, Supplier<CompletableFuture<T>> work) {
        Task<T> task = new Task<>(this, line(size), work);
        if (pool.enter(task)) {
            admitted.increment();
        } else {
            task.refuse();
        }
        return task;
    }

    /** Passes a mail to a thread of the pool for work that needs no answer of a storage. */
    public <T> CompletableFuture<T> compute(int size, Supplier<T> work) {
        return submit(size, () -> CompletableFuture.completedFuture(work.get()));
    }

    /**
     * Passes work for no mail in particular to a thread of the pool.
     *
     * @throws OverloadedException if too much waits, or the pool is closed; the work is not done then
     */
    public void execute(Runnable work) {
        Task<Boolean> task = new Task<>(this, line(0), () -> {
            work.run();
            return CompletableFuture.completedFuture(true);
        });
        if (!pool.enter(task)) {
            task.refuse();
            // Without this, what waits for the work would wait forever.
            throw new OverloadedException(capacity);
        }
        admitted.increment();
    }

    private Line line(int size) {
        return size > ScanPool.HUGE ? huge : size > ScanPool.LARGE ? large : small;
    }

    boolean offer(Task<?> task, long number) {
        if (queued() >= capacity) {
            return false;
        }
        task.number = number;
        return task.line.waiting.add(task);
    }

    boolean remove(Task<?> task) {
        return task.line.waiting.remove(task);
    }

    /** Starts the mail that may start and waits longest. */
    Optional<Task<?>> poll(int width) {
        Task<?> chosen = startable(width);
        if (chosen != null) {
            remove(chosen);
            chosen.line.running++;
        }
        return Optional.ofNullable(chosen);
    }

    /** Returns whether a mail may start. */
    boolean isReady(int width) {
        return startable(width) != null;
    }

    private @Nullable Task<?> startable(int width) {
        int more = large.running + huge.running > 0 ? 1 : 0;
        Task<?> chosen = active() < width + more ? earlier(null, small) : null;
        if (active() < width) {
            chosen = earlier(chosen, large);
            chosen = huge.running < ScanPool.HUGE_AT_ONCE ? earlier(chosen, huge) : chosen;
        }
        return chosen;
    }

    private static @Nullable Task<?> earlier(@Nullable Task<?> one, Line line) {
        if (line.waiting.isEmpty()) {
            return one;
        }
        Task<?> first = line.waiting.getFirst();
        return one == null || first.number < one.number ? first : one;
    }

    void ended(Task<?> task) {
        task.line.running--;
    }

    /** Empties the queue. */
    List<Task<?>> drain() {
        List<Task<?>> all = new ArrayList<>();
        for (Line line : List.of(small, large, huge)) {
            all.addAll(line.waiting);
            line.waiting.clear();
        }
        return all;
    }

    int queued() {
        return small.waiting.size() + large.waiting.size() + huge.waiting.size();
    }

    int active() {
        return small.running + large.running + huge.running;
    }

    /** Returns the source. */
    public Source source() {
        return source;
    }

    /** Returns the number of mails that wait for a thread. */
    public int waiting() {
        return pool.load(this).waiting();
    }

    /** Returns the number of mails that are being hashed. */
    public int running() {
        return pool.load(this).running();
    }

    /** Returns the number of mails that were taken into the queue since the start. */
    public long admitted() {
        return admitted.sum();
    }

    /** Returns the number of mails refused since the start because too many waited. */
    public long refused() {
        return refused.sum();
    }

    /**
     * Returns the number of mails since the start that were given up while they waited, because their time was over.
     */
    public long abandoned() {
        return abandoned.sum();
    }

    /** Returns the time that all mails since the start have waited for a thread, in seconds. */
    public double waitedSeconds() {
        return waitedNanos.sum() / (double) TimeUnit.SECONDS.toNanos(1);
    }
}
