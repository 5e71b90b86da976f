package dev.weir.lua;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

import org.jspecify.annotations.Nullable;

/**
 * A thread with its own state.
 *
 * <p>The thread exists for its stack. When Lua calls C and C calls Lua (a comparison in {@code table.sort}, a
 * {@code __tostring}), the calls use the C stack. Lua bounds their depth only by the size of its own stack, and an
 * overflow of the C stack ends the process. Lua's largest stack, filled in the most wasteful way, in every coroutine
 * that may be nested, needs less than {@value #STACK_BYTES} bytes. Stack memory is only committed when used.
 *
 * <p>After a run over a limit, the state is discarded and the script loaded again, because the state was interrupted
 * midway.
 */
final class LuaWorker {
    static final long STACK_BYTES = 128 << 20;
    /** Grace period after the time limit, longer than any library function runs on a busy machine. */
    static final Duration GRACE = Duration.ofMillis(500);

    private record Job(String function, HostFunction host, List<? extends @Nullable Object> arguments,
            CompletableFuture<List<LuaValue>> result) {}

    private final LuaSource source;
    private final LuaLimits limits;
    private final LuaInterface kind;
    private final ScriptLog log;
    private final Owner owner;
    private final BlockingQueue<Job> jobs = new LinkedBlockingQueue<>();
    private final CompletableFuture<List<LuaValue>> loaded = new CompletableFuture<>();
    private volatile boolean ended;
    private volatile boolean gone;
    private volatile boolean ready;

    /** A listener for the states of workers. */
    interface Owner {
        /** Called when the worker can take a job. */
        void idle(LuaWorker worker);

        /** Called when the thread of the worker ends, for any reason; it has completed all its jobs. */
        void gone(LuaWorker worker);
    }

    private LuaWorker(LuaSource source, LuaLimits limits, LuaInterface kind, ScriptLog log, Owner owner) {
        this.source = source;
        this.limits = limits;
        this.kind = kind;
        this.log = log;
        this.owner = owner;
    }

    /** Starts the thread, which loads the script and then becomes idle. */
    static LuaWorker start(LuaSource source, LuaLimits limits, LuaInterface kind, ScriptLog log, Owner owner) {
        return start(new LuaWorker(source, limits, kind, log, owner), true);
    }

    /** Starts the thread for a script that was loaded before; this worker loads it for its first job. */
    static LuaWorker startIdle(LuaSource source, LuaLimits limits, LuaInterface kind, ScriptLog log, Owner owner) {
        return start(new LuaWorker(source, limits, kind, log, owner), false);
    }

    private static LuaWorker start(LuaWorker worker, boolean load) {
        Thread.ofPlatform().name("lua-" + worker.source.name()).daemon().stackSize(STACK_BYTES)
                .start(() -> worker.work(load));
        return worker;
    }

    /** Returns a future that completes when the script is loaded or loading failed. */
    CompletableFuture<List<LuaValue>> loaded() {
        return loaded;
    }

    /** Submits a job to the worker, which must be idle. */
    CompletableFuture<List<LuaValue>> submit(String function, HostFunction host,
            List<? extends @Nullable Object> arguments) {
        Job job = new Job(function, host, arguments, new CompletableFuture<>());
        jobs.add(job);
        if (gone) {
            // No thread reads the queue anymore.
            job.result().completeExceptionally(closed());
        }
        return job.result();
    }

    /** Lets the thread end after its current job. */
    void end() {
        ended = true;
        jobs.add(new Job("", (name, arguments) -> null, List.of(), new CompletableFuture<>()));
    }

    private void work(boolean load) {
        LuaState state = null;
        try {
            if (load) {
                state = LuaState.load(source, limits, kind, log);
                loaded.complete(List.of());
            }
            ready = load;
            owner.idle(this);
            while (!ended) {
                Job job = jobs.take();
                if (ended) {
                    job.result().completeExceptionally(closed());
                    break;
                }
                if (state == null) {
                    state = reload(job);
                }
                if (state != null) {
                    state = run(state, job);
                }
                ready = state != null;
                if (!ended) {
                    owner.idle(this);
                }
            }
        } catch (LuaException e) {
            loaded.completeExceptionally(e);
        } catch (InterruptedException e) {
            ended = true;
        } catch (RuntimeException | Error e) {
            loaded.completeExceptionally(new LuaException(LuaException.Kind.UNAVAILABLE,
                    source.name() + ": " + LuaException.words(e), e));
            throw e;
        } finally {
            ended = true;
            if (state != null) {
                state.close();
            }
            gone = true;
            for (Job job = jobs.poll(); job != null; job = jobs.poll()) {
                job.result().completeExceptionally(closed());
            }
            owner.gone(this);
        }
    }

    static LuaException closed() {
        return new LuaException(LuaException.Kind.BUSY, "the script is closed");
    }

    private @Nullable LuaState reload(Job job) {
        try {
            return LuaState.load(source, limits, kind, log);
        } catch (LuaException e) {
            job.result().completeExceptionally(e);
            return null;
        }
    }

    /** The state for the next job, or null if a new one is needed. */
    private @Nullable LuaState run(LuaState state, Job job) {
        try {
            job.result().complete(state.call(job.function(), limits.time(), job.host(), job.arguments()));
            return state;
        } catch (LuaException e) {
            boolean spoilt = e.kind() != LuaException.Kind.RUNTIME;
            if (spoilt) {
                state.close();
            }
            job.result().completeExceptionally(e);
            return spoilt ? null : state;
        } catch (RuntimeException e) {
            state.close();
            job.result().completeExceptionally(
                    new LuaException(LuaException.Kind.RUNTIME, source.name() + ": " + e.getMessage(), e));
            return null;
        }
    }

    /**
     * Returns the longest time to wait for a job. After that, only a C or host function that does not return can be the
     * cause.
     */
    Duration longestWait() {
        Duration run = limits.time().multipliedBy(LuaState.PATIENCE).plus(GRACE);
        return ready ? run : run.plus(LuaState.LOAD_TIME.multipliedBy(2));
    }
}
