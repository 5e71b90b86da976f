package dev.weir.os;

import java.time.Duration;

/** The wait for threads that must complete their work. Leaving earlier would lose what they are about to store. */
public final class UninterruptibleJoin {
    private UninterruptibleJoin() {}

    /** Returns when a thread has ended. Keeps an interrupt for later. */
    public static void of(Thread thread) {
        of(thread, Duration.ofDays(1), () -> {});
    }

    /** Returns when a thread has ended. {@code meanwhile} runs after each {@code interval} of waiting. */
    public static void of(Thread thread, Duration interval, Runnable meanwhile) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                if (!thread.join(interval)) {
                    meanwhile.run();
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
