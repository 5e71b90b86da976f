package dev.weir.storage.server;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How many key agreements a thread may do. One takes some twenty times what a check does, and anybody may ask for one
 * with every packet: so they get a share of the time, a tenth or so, and clients that are known already do not notice.
 * A client that goes without asks again, as clients do. For one thread; allocates nothing.
 */
final class AgreementBudget {
    /** Agreements a second. */
    static final int RATE = 2_000;

    /** Agreements at once after a quiet time: the packets behind them wait for a few milliseconds at most. */
    static final int BURST = 32;

    private static final long EACH = TimeUnit.SECONDS.toNanos(1) / RATE;

    private final LongSupplier nanos;

    /** When the budget will be, or was, that of {@link #BURST} agreements again. */
    private long full;

    AgreementBudget(LongSupplier nanos) {
        this.nanos = nanos;
        this.full = nanos.getAsLong();
    }

    /** Takes one agreement out of the budget; false if there is none. */
    boolean take() {
        long now = nanos.getAsLong();
        long from = full - now > 0 ? full : now;
        if (from - now > (BURST - 1) * EACH) {
            return false;
        }
        full = from + EACH;
        return true;
    }
}
