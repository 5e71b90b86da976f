package dev.weir.lua;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

import org.jspecify.annotations.Nullable;

/**
 * A thread with a state of its own.
 *
 * <p>The thread exists for its stack: Lua calls C calls Lua (a comparison in {@code table.sort}, a {@code __tostring}) uses
 * the C stack, Lua bounds that only by the size of its own stack, and a C stack that overflows ends the process. Lua's
 * largest stack, filled in the most wasteful way, in every coroutine that may be nested, stays below
 * {@value #STACK_BYTES} bytes. The memory is only touched when it is used.
 *
 * <p>After a run over a limit the state is thrown away and the script loaded again, since it was left in the middle of
 * something.
 */
final class LuaWorker {
    static final long STACK_BYTES = 128 << 20;
    /** Longer than any library function runs once time is up, on a machine that is busy. */
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

    /** Who is told what becomes of workers. */
    interface Owner {
        /** The worker can take a job. */
        void idle(LuaWorker worker);

        /** The thread of the worker ends, whatever the reason; it has completed all jobs that it was given. */
        void gone(LuaWorker worker);
    }

    private LuaWorker(LuaSource source, LuaLimits limits, LuaInterface kind, ScriptLog log, Owner owner) {
        this.source = source;
        this.limits = limits;
        this.kind = kind;
        this.log = log;
        this.owner = owner;
    }

    /** Starts the thread, which loads the script and then is idle. */
    static LuaWorker start(LuaSource source, LuaLimits limits, LuaInterface kind, ScriptLog log, Owner owner) {
        return start(new LuaWorker(source, limits, kind, log, owner), true);
    }

    /** The same for a script that was loaded before: it is loaded for the first job. */
    static LuaWorker startIdle(LuaSource source, LuaLimits limits, LuaInterface kind, ScriptLog log, Owner owner) {
        return start(new LuaWorker(source, limits, kind, log, owner), false);
    }

    private static LuaWorker start(LuaWorker worker, boolean load) {
        Thread.ofPlatform().name("lua-" + worker.source.name()).daemon().stackSize(STACK_BYTES)
                .start(() -> worker.work(load));
        return worker;
    }

    /** Completes when the script is loaded, or could not be. */
    CompletableFuture<List<LuaValue>> loaded() {
        return loaded;
    }

    /** Gives the worker, which must be idle, something to do. */
    CompletableFuture<List<LuaValue>> submit(String function, HostFunction host,
            List<? extends @Nullable Object> arguments) {
        Job job = new Job(function, host, arguments, new CompletableFuture<>());
        jobs.add(job);
        if (gone) {
            // Nobody empties the queue any more.
            job.result().completeExceptionally(closed());
        }
        return job.result();
    }

    /** The thread ends when its present job does. */
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
            loaded.completeExceptionally(new LuaException(LuaException.Kind.UNAVAILABLE, source.name() + ": " + e, e));
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

    /** The state for the next job, or null if there must be a new one. */
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
     * How long a caller waits for a job at most: by then only a function of C or of the host that does not return can be the
     * reason.
     */
    Duration longestWait() {
        Duration run = limits.time().multipliedBy(LuaState.PATIENCE).plus(GRACE);
        return ready ? run : run.plus(LuaState.LOAD_TIME.multipliedBy(2));
    }
}
