package dev.weir.lua;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * A loaded and validated script that any thread can call.
 *
 * <p>It runs in {@link LuaLimits#states} states, each on its own thread; a call waits for a free one. A script cannot
 * exceed its limits, end the process, or access files, processes or the network. Thread-safe.
 */
public final class LuaScript implements AutoCloseable {
    /**
     * Maximum number of calls that run past their limit. At that number, further such calls get no replacement thread.
     */
    static final int MOST_STUCK = 4;

    private final LuaSource source;
    private final LuaLimits limits;
    private final LuaInterface kind;
    private final ScriptLog log;
    private final BlockingQueue<LuaWorker> idle = new LinkedBlockingQueue<>();
    private final LuaWorker.Owner owner = new LuaWorker.Owner() {
        @Override
        public void idle(LuaWorker worker) {
            idle.add(worker);
        }

        @Override
        public void gone(LuaWorker worker) {
            left(worker);
        }
    };
    /** Guards the two sets and {@code closed}. */
    private final Object lock = new Object();
    private final Set<LuaWorker> workers = new HashSet<>();
    private final Set<LuaWorker> stuck = new HashSet<>();
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    private final AtomicLong timeouts = new AtomicLong();
    private final AtomicLong overruns = new AtomicLong();
    private volatile boolean open;
    private volatile boolean closed;

    /**
     * The counts of all calls so far.
     *
     * @param calls all calls
     * @param errors calls that ended with any {@link LuaException}
     * @param timeouts calls of {@code errors} that exceeded the time limit
     * @param overruns calls of {@code timeouts} that did not stop even then, so that another thread replaced theirs
     */
    public record Counters(long calls, long errors, long timeouts, long overruns) {}

    private LuaScript(LuaSource source, LuaLimits limits, LuaInterface kind, ScriptLog log) {
        this.source = source;
        this.limits = limits;
        this.kind = kind;
        this.log = log;
    }

    /**
     * Compiles the script and runs its top level in every state.
     *
     * @throws LuaException SYNTAX with file and line, RUNTIME or a limit if the top level fails, UNAVAILABLE without
     * LuaJIT
     */
    public static LuaScript load(LuaSource source, LuaLimits limits, LuaInterface kind, ScriptLog log)
            throws LuaException {
        LuaScript script = new LuaScript(source, limits, kind, log);
        boolean good = false;
        try {
            for (int i = 0; i < limits.states(); i++) {
                LuaWorker worker = LuaWorker.start(source, limits, kind, log, script.owner);
                synchronized (script.lock) {
                    script.workers.add(worker);
                }
                script.await(worker, worker.loaded());
            }
            good = true;
            script.open = true;
            return script;
        } finally {
            if (!good) {
                script.close();
            }
        }
    }

    /** Replaces workers that are stuck or gone, up to a limit. */
    private void fill() {
        while (open && !closed && workers.size() < limits.states()
                && workers.size() + stuck.size() < limits.states() + MOST_STUCK) {
            workers.add(LuaWorker.startIdle(source, limits, kind, log, owner));
        }
    }

    /** Abandons a worker that does not finish its job. It ends when the job does. */
    private void overran(LuaWorker worker) {
        overruns.incrementAndGet();
        boolean replaced;
        synchronized (lock) {
            if (workers.remove(worker)) {
                stuck.add(worker);
                fill();
            }
            replaced = workers.size() == limits.states();
        }
        worker.end();
        log.log(ScriptLog.Level.ERROR, source.name() + ": a call did not end in time and still runs; "
                + (replaced
                        ? "a new thread replaces its thread"
                        : "its thread is not replaced, because too many such calls run"));
    }

    private void left(LuaWorker worker) {
        synchronized (lock) {
            workers.remove(worker);
            stuck.remove(worker);
            idle.remove(worker);
            fill();
        }
    }

    /**
     * Calls a function of the script's interface and waits for the result. The wait for a free state takes at most four
     * times the time limit; the wait for the end takes at most as long plus half a second.
     *
     * @param host answers the script's requests meanwhile
     * @param arguments at most 24, of the kinds that {@link HostFunction#call} returns
     * @throws LuaException of any kind but SYNTAX if there is no result; the caller must then refuse the request
     */
    public List<LuaValue> call(String function, HostFunction host, List<? extends @Nullable Object> arguments)
            throws LuaException {
        calls.incrementAndGet();
        try {
            LuaWorker worker = closed
                    ? null
                    : idle.poll(limits.time().toMillis() * LuaState.PATIENCE, TimeUnit.MILLISECONDS);
            if (worker == null) {
                throw closed
                        ? LuaWorker.closed()
                        : new LuaException(LuaException.Kind.BUSY, source.name() + ": all states are busy" + running());
            }
            return await(worker, worker.submit(function, host, arguments));
        } catch (LuaException e) {
            count(e);
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            LuaException interrupted = new LuaException(LuaException.Kind.BUSY, source.name() + ": interrupted", e);
            count(interrupted);
            throw interrupted;
        }
    }

    private String running() {
        synchronized (lock) {
            return stuck.isEmpty() ? "" : ", and " + stuck.size() + " calls run that did not end in time";
        }
    }

    private void count(LuaException e) {
        errors.incrementAndGet();
        if (e.kind() == LuaException.Kind.TIME_LIMIT) {
            timeouts.incrementAndGet();
        }
    }

    private List<LuaValue> await(LuaWorker worker, CompletableFuture<List<LuaValue>> result) throws LuaException {
        try {
            return result.get(worker.longestWait().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw cause instanceof LuaException known
                    ? known
                    : new LuaException(LuaException.Kind.UNAVAILABLE,
                            source.name() + ": " + LuaException.words(cause), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LuaException(LuaException.Kind.BUSY, source.name() + ": interrupted", e);
        } catch (TimeoutException e) {
            overran(worker);
            throw new LuaException(LuaException.Kind.TIME_LIMIT, source.name() + ": does not end", e);
        }
    }

    /** Returns the counts of the calls so far. */
    public Counters counters() {
        return new Counters(calls.get(), errors.get(), timeouts.get(), overruns.get());
    }

    /** Returns the number of calls that run past their limit. */
    int stuck() {
        synchronized (lock) {
            return stuck.size();
        }
    }

    /** Stops each thread after its current call. Later calls fail with BUSY. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            workers.forEach(LuaWorker::end);
        }
    }
}
