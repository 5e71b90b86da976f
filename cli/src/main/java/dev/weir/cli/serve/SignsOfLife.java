package dev.weir.cli.serve;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Tells the service manager again and again that the process lives, so that it restarts a process that hangs. A sign
 * goes out twice in the time that the manager waits, and only if the process says before it that it works. A process
 * whose threads stand still, or that spends all its time collecting garbage, sends none.
 */
final class SignsOfLife implements AutoCloseable {
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    private SignsOfLife(Duration patience, BooleanSupplier alive, Runnable sign) {
        this.thread = Thread.ofPlatform().daemon().name("weir-watchdog").unstarted(() -> {
            long pause = Math.max(1, patience.toNanos() / 2);
            try {
                while (!closed.await(pause, TimeUnit.NANOSECONDS)) {
                    if (alive.getAsBoolean()) {
                        sign.run();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /**
     * Starts to send signs.
     *
     * @param patience the time after which the manager restarts the process; positive
     * @param alive whether the process does its work
     * @param sign sends one sign
     */
    static SignsOfLife start(Duration patience, BooleanSupplier alive, Runnable sign) {
        SignsOfLife signs = new SignsOfLife(patience, alive, sign);
        signs.thread.start();
        return signs;
    }

    /** Ends the signs; does not wait for one that is under way. */
    @Override
    public void close() {
        closed.countDown();
    }
}
