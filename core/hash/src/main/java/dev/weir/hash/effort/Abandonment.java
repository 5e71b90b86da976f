package dev.weir.hash.effort;

import java.util.function.BooleanSupplier;

/**
 * The question whether anyone still waits for the hashes of a mail. Who hashes for others, and may be told that its
 * client has gone, hashes within {@link #run}. An interrupt would not do: it closes the sockets of its thread.
 */
public final class Abandonment {
    private static final ScopedValue<BooleanSupplier> ABANDONED = ScopedValue.newInstance();

    private Abandonment() {}

    /**
     * Runs work that hashes mails. Once {@code abandoned} returns true, hashing ends with a
     * {@link NotHashedException} at its next look at the clock.
     */
    public static void run(BooleanSupplier abandoned, Runnable work) {
        ScopedValue.where(ABANDONED, abandoned).run(work);
    }

    static boolean isReached() {
        return ABANDONED.isBound() && ABANDONED.get().getAsBoolean();
    }
}
