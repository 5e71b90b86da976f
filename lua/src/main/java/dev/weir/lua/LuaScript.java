package dev.weir.lua;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * A script that was loaded and found right, ready to be called from any thread.
 *
 * <p>It runs in {@link LuaLimits#states} states, each on a thread of its own; a call waits for a free one. Nothing that a
 * script does costs more than its limits, ends the process, or reaches files, processes or the network. Thread-safe.
 */
public final class LuaScript implements AutoCloseable {
    /** Threads that never came back from C before a script is given up. None is known to be able to. */
    private static final int MOST_STUCK = 4;

    private final LuaSource source;
    private final LuaLimits limits;
    private final LuaInterface kind;
    private final ScriptLog log;
    private final BlockingQueue<LuaWorker> idle = new LinkedBlockingQueue<>();
    private final List<LuaWorker> workers = new ArrayList<>();
    private final AtomicInteger stuck = new AtomicInteger();
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    private final AtomicLong timeouts = new AtomicLong();
    private volatile boolean closed;

    /**
     * What became of all calls so far.
     *
     * @param calls all
     * @param errors those that ended with any {@link LuaException}
     * @param timeouts those of {@code errors} that met the time limit
     */
    public record Counters(long calls, long errors, long timeouts) {}

    private LuaScript(LuaSource source, LuaLimits limits, LuaInterface kind, ScriptLog log) {
        this.source = source;
        this.limits = limits;
        this.kind = kind;
        this.log = log;
    }

    /**
     * Compiles the script and runs its top level in every state.
     *
     * @throws LuaException SYNTAX with file and line, RUNTIME or a limit if the top level fails, UNAVAILABLE without LuaJIT
     */
    public static LuaScript load(LuaSource source, LuaLimits limits, LuaInterface kind, ScriptLog log)
            throws LuaException {
        LuaScript script = new LuaScript(source, limits, kind, log);
        boolean good = false;
        try {
            for (int i = 0; i < limits.states(); i++) {
                LuaWorker worker = script.startWorker();
                script.await(worker, worker.loaded());
            }
            good = true;
            return script;
        } finally {
            if (!good) {
                script.close();
            }
        }
    }

    private LuaWorker startWorker() {
        LuaWorker worker = LuaWorker.start(source, limits, kind, log, idle::add);
        synchronized (workers) {
            workers.add(worker);
        }
        return worker;
    }

    /**
     * Calls a function of the script's interface and waits for it, at most about five times the time limit.
     *
     * @param host answers what the script asks meanwhile
     * @param arguments at most 24, of the kinds that {@link HostFunction#call} returns
     * @throws LuaException if there was no result, of any kind but SYNTAX; what was asked for must then be refused
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
                        : new LuaException(LuaException.Kind.BUSY, source.name() + ": all states are busy");
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

    private void count(LuaException e) {
        errors.incrementAndGet();
        if (e.kind() == LuaException.Kind.TIME_LIMIT) {
            timeouts.incrementAndGet();
        }
    }

    private List<LuaValue> await(LuaWorker worker, CompletableFuture<List<LuaValue>> result) throws LuaException {
        try {
            return result.get(LuaWorker.longestWait(limits).toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof LuaException known
                    ? known
                    : new LuaException(LuaException.Kind.UNAVAILABLE, source.name() + ": " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LuaException(LuaException.Kind.BUSY, source.name() + ": interrupted", e);
        } catch (TimeoutException e) {
            worker.end();
            if (!closed && stuck.incrementAndGet() <= MOST_STUCK) {
                startWorker();
            }
            throw new LuaException(LuaException.Kind.TIME_LIMIT, source.name() + ": does not end", e);
        }
    }

    /** What became of the calls so far. */
    public Counters counters() {
        return new Counters(calls.get(), errors.get(), timeouts.get());
    }

    public LuaSource source() {
        return source;
    }

    /** Ends the threads once their present calls are done. Later calls fail with BUSY. */
    @Override
    public void close() {
        closed = true;
        synchronized (workers) {
            workers.forEach(LuaWorker::end);
            workers.clear();
        }
    }
}
