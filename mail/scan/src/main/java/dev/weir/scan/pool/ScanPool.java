package dev.weir.scan.pool;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import dev.weir.hash.effort.Abandonment;
import dev.weir.os.ThreadScheduling;
import dev.weir.scan.pool.ScanLane.Task;
import org.jspecify.annotations.Nullable;

/**
 * The threads that hash mails, and the rules for who is next.
 *
 * <p>Hashing is work for a processor: a mail of 20 MB takes seconds, and nothing interrupts it. On a virtual thread it
 * would occupy one of the few threads that run all virtual threads, and {@code /ping} would wait. So
 * mails pass through this pool of ordinary threads, which the system interrupts in favor of others. The width is the
 * number of processors, at least two. The rules:
 *
 * <ul>
 * <li>A source of mails, a {@link ScanLane}, has at most {@code width} mails running, and one more, which is small, if
 * large ones run. So a large mail never keeps a small one waiting.
 * <li>A source starts a mail only if a thread stays free for every source that has none running. So a flood at one
 * source never keeps another one waiting.
 * <li>At most two mails above {@link #HUGE} of a source run at a time, because reading one takes many times its size
 * in memory.
 * <li>Otherwise the sources take turns, and each starts its mails in the order of their arrival.
 * </ul>
 *
 * <p>Thread-safe. Close this once, after what submits mails.
 */
public final class ScanPool implements AutoCloseable {
    /** Mails above this size are large: hashing one may take longer than a client likes to wait for a small one. */
    public static final int LARGE = 256 << 10;
    /** Above this size, memory counts. */
    public static final int HUGE = 2 << 20;
    /** Mails above {@link #HUGE} that one source hashes at a time. */
    static final int HUGE_AT_ONCE = 2;
    /** Mails that may wait at one source. Each of them also has its memory from a budget of bytes. */
    static final int QUEUE = 4096;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Map<Source, ScanLane> lanesBySource = new EnumMap<>(Source.class);
    private final List<ScanLane> lanes;
    private final ScanLane afterwards;
    private final Set<Thread> workers = new HashSet<>();
    private final int width;
    private int idle;
    private int next;
    private long submitted;
    private boolean closed;

    /** The sources of mails. */
    public enum Source {
        /** Scans and learn requests over HTTP. */
        HTTP,
        /** Mails of a mail server. */
        MILTER,
        /** Spam traps, reports of users and wanted mail. */
        TRAP,
        /** What the answers of storages make necessary: a guard for wanted mail, samples of words. */
        AFTERWARDS
    }

    private ScanPool(int width, int queue) {
        this.width = width;
        for (Source source : Source.values()) {
            lanesBySource.put(source, new ScanLane(this, source, queue));
        }
        this.lanes = List.copyOf(lanesBySource.values());
        this.afterwards = lane(Source.AFTERWARDS);
        // The width of one source, its small mail beside large ones, and one thread for each of the others.
        int threads = width + 1 + (lanes.size() - 1);
        for (int i = 0; i < threads; i++) {
            workers.add(Thread.ofPlatform().name("weir-hash-" + i).daemon().unstarted(this::run));
        }
        workers.forEach(Thread::start);
    }

    /** Starts a pool for the processors of this machine. */
    public static ScanPool start() {
        return start(Math.max(2, Runtime.getRuntime().availableProcessors()), QUEUE);
    }

    /**
     * Starts a pool.
     *
     * @param width the greatest number of mails that one source hashes at a time
     * @param queue the greatest number of mails that wait at one source
     */
    public static ScanPool start(int width, int queue) {
        if (width < 1 || queue < 1) {
            throw new IllegalArgumentException(width + " at a time, " + queue + " waiting");
        }
        return new ScanPool(width, queue);
    }

    /** Returns the entrance for a source. */
    public ScanLane lane(Source source) {
        return Objects.requireNonNull(lanesBySource.get(source));
    }

    /** Returns the entrances of all sources. */
    public List<ScanLane> lanes() {
        return lanes;
    }

    /** Returns the number of threads. */
    public int threads() {
        return workers.size();
    }

    /**
     * Returns an executor for hashing that begins when the answers of a storage have come. It runs work at once on a
     * thread of this pool, and otherwise passes it to one: the thread that receives answers has more to do. It throws
     * {@link dev.weir.scan.OverloadedException} if too much waits, so that the scan fails instead of waiting forever.
     */
    public Executor afterwards() {
        return command -> {
            if (workers.contains(Thread.currentThread())) {
                command.run();
            } else {
                afterwards.execute(command);
            }
        };
    }

    /** Puts a task into its queue. Returns false if that is full. */
    boolean enter(Task<?> task) {
        lock.lock();
        try {
            if (closed || !task.lane().offer(task, submitted++)) {
                return false;
            }
            wakeIfReady();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Takes a task out of its queue. Returns false if it is not there, because it runs or has ended. */
    boolean leave(Task<?> task) {
        lock.lock();
        try {
            return task.lane().remove(task);
        } finally {
            lock.unlock();
        }
    }

    /** The numbers of one source at one moment. */
    record Load(int waiting, int running) {}

    Load load(ScanLane lane) {
        lock.lock();
        try {
            return new Load(lane.queued(), lane.active());
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        // A worker that wakes must not interrupt a receiver of the storage. Its share of the processor stays the same.
        ThreadScheduling.useBatchPolicy();
        Optional<Task<?>> task = take(null);
        while (task.isPresent()) {
            Task<?> current = task.get();
            Abandonment.run(current::isDone, current::work);
            task = take(current);
        }
    }

    /** Ends a task and waits for the next one. Empty if the pool is closed. */
    private Optional<Task<?>> take(@Nullable Task<?> before) {
        lock.lock();
        try {
            if (before != null) {
                before.lane().ended(before);
            }
            idle++;
            while (!closed) {
                Optional<Task<?>> task = choose();
                if (task.isPresent()) {
                    idle--;
                    // One end may let two begin: a small mail, and another source.
                    wakeIfReady();
                    return task;
                }
                work.awaitUninterruptibly();
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes a thread for a mail that may start. A thread that wakes in vain costs two context switches. */
    private void wakeIfReady() {
        int resting = resting();
        for (ScanLane lane : lanes) {
            if (mayStart(lane, resting) && lane.isReady(width)) {
                work.signal();
                return;
            }
        }
    }

    private Optional<Task<?>> choose() {
        int resting = resting();
        for (int i = 0; i < lanes.size(); i++) {
            ScanLane lane = lanes.get((next + i) % lanes.size());
            if (mayStart(lane, resting)) {
                Optional<Task<?>> task = lane.poll(width);
                if (task.isPresent()) {
                    next = (next + i + 1) % lanes.size();
                    return task;
                }
            }
        }
        return Optional.empty();
    }

    /** Returns the number of sources without a running mail. */
    private int resting() {
        int resting = 0;
        for (ScanLane lane : lanes) {
            resting += lane.active() == 0 ? 1 : 0;
        }
        return resting;
    }

    /** Returns whether an idle thread may take a mail of a source: one stays free for each other source that rests. */
    private boolean mayStart(ScanLane lane, int resting) {
        int others = resting - (lane.active() == 0 ? 1 : 0);
        return lane.queued() > 0 && idle - 1 >= others;
    }

    /** Refuses the mails that wait. Those that run come to their end. */
    @Override
    public void close() {
        List<Task<?>> waiting = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            lanes.forEach(lane -> waiting.addAll(lane.drain()));
            work.signalAll();
        } finally {
            lock.unlock();
        }
        waiting.forEach(Task::refuse);
    }
}
