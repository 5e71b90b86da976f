package dev.weir.bench.hostile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Hostile traffic of one kind: a thread that performs steps at a fixed rate until all are done or it is stopped.
 */
public abstract sealed class Attack permits DatagramFlood, FrameFlood, HalfOpen {
    /** Number of steps between two readings of the clock. */
    private static final int BURST = 32;

    /** The address of the storage. */
    final InetSocketAddress storage;

    private final long steps;
    private final int perSecond;
    private final Thread thread = Thread.ofPlatform().name("attack").daemon().unstarted(this::run);
    private volatile boolean stopping;
    private volatile long done;
    private @Nullable IOException failure;

    Attack(InetSocketAddress storage, long steps, int perSecond) {
        this.storage = storage;
        this.steps = steps;
        this.perSecond = perSecond;
    }

    /** Starts the thread. */
    public final void start() {
        thread.start();
    }

    /** Returns the number of completed steps. */
    public final long done() {
        return done;
    }

    /** Waits until all steps are done. */
    public final void await() throws InterruptedException, IOException {
        thread.join();
        if (failure != null) {
            throw failure;
        }
    }

    /** Stops before all steps are done. */
    public final void stop() throws InterruptedException, IOException {
        stopping = true;
        await();
    }

    private void run() {
        try {
            long start = System.nanoTime();
            long count = 0;
            while (!stopping && count < steps) {
                for (int i = 0; i < BURST && count < steps; i++) {
                    step((int) count);
                    count++;
                    done = count;
                }
                long due = start + count * TimeUnit.SECONDS.toNanos(1) / perSecond;
                LockSupport.parkNanos(due - System.nanoTime());
            }
        } catch (IOException e) {
            failure = e;
        } finally {
            end();
        }
    }

    /** Performs the step with this number. */
    abstract void step(int number) throws IOException;

    /** Releases all sockets. */
    abstract void end();
}
