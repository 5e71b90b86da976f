package dev.weir.bench.hostile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * One kind of hostile traffic: a thread that does a step so many times a second until it has done all, or is stopped.
 */
public abstract sealed class Attack permits DatagramFlood, FrameFlood, HalfOpen {
    /** Steps that are done without a look at the clock. */
    private static final int BURST = 32;

    /** Where the storage answers. */
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

    /** Begins. */
    public final void start() {
        thread.start();
    }

    /** Steps that are done. */
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

    /** Ends it before that. */
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

    /** Does the step of a number. */
    abstract void step(int number) throws IOException;

    /** Releases everything. */
    abstract void end();
}
