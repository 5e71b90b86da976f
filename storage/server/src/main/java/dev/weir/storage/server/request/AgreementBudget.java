package dev.weir.storage.server.request;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import dev.weir.model.AddressBits;
import dev.weir.model.KeyedHash;
import dev.weir.storage.access.gate.Source;

/**
 * A rate limit for the key agreements of one thread. A key agreement costs far more than a check, and any client can
 * trigger one with every packet. The budget bounds them to a small share of the thread's time, so that known clients
 * are unaffected. Clients retry when the budget is spent. For one thread; does not allocate.
 *
 * <p>Networks share the budget, by the first 24 bits of an IPv4 address or 48 bits of an IPv6 address. A busy network
 * gets at most half of a burst; the rest is reserved for networks with few recent agreements. A single network can thus
 * use the full rate while no other needs it, but cannot lock others out by flooding. A keyed hash maps networks to
 * slots, so a few networks may share one.
 *
 * <p>Over UDP, forged addresses defeat the split by network. The thread that serves connections has a separate budget,
 * so forged datagrams do not affect clients with connections. Local clients also have a separate budget, because their
 * addresses cannot come from outside.
 */
public final class AgreementBudget {
    /** Agreements per second. */
    static final int RATE = 2_000;

    /** The burst after a quiet time, small enough to delay the next packets only briefly. */
    static final int BURST = 32;

    /** The part of a burst that is reserved for quiet networks. */
    static final int KEPT = BURST / 2;

    /** The most agreements per second of a quiet network. */
    static final int SMALL_RATE = 20;

    /** The burst of a quiet network. */
    static final int SMALL_BURST = 4;

    private static final int PLACES = 4_096;
    private static final int V4_PREFIX = AddressBits.MAPPED_PREFIX + 24;
    private static final int V6_PREFIX = 48;
    private static final int LOOPBACK = 127;

    private static final long EACH = TimeUnit.SECONDS.toNanos(1) / RATE;
    private static final long SMALL_EACH = TimeUnit.SECONDS.toNanos(1) / SMALL_RATE;

    private final LongSupplier nanos;
    private final KeyedHash keyed;

    /**
     * The times at which the budget of local clients, the budget of all others, and the small budget of each network
     * are full again.
     */
    private long local;
    private long full;
    private final long[] small = new long[PLACES];

    public AgreementBudget(LongSupplier nanos, KeyedHash keyed) {
        this.nanos = nanos;
        this.keyed = keyed;
        this.local = nanos.getAsLong();
        this.full = local;
        Arrays.fill(small, local);
    }

    /** Takes an agreement from the budget. Returns false if none is left for this source. */
    public boolean take(Source source) {
        long now = nanos.getAsLong();
        if (isLocal(source)) {
            long from = later(local, now);
            if (from - now > (BURST - 1) * EACH) {
                return false;
            }
            local = from + EACH;
            return true;
        }
        int place = place(source.high(), source.low());
        long smallFrom = later(small[place], now);
        boolean askedLittle = smallFrom - now <= (SMALL_BURST - 1) * SMALL_EACH;
        long from = later(full, now);
        if (from - now > (BURST - 1 - (askedLittle ? 0 : KEPT)) * EACH) {
            return false;
        }
        full = from + EACH;
        if (askedLittle) {
            small[place] = smallFrom + SMALL_EACH;
        } else {
            // The network stays busy only as long as its requests continue.
            small[place] = now + SMALL_BURST * SMALL_EACH;
        }
        return true;
    }

    private static long later(long moment, long now) {
        return moment - now > 0 ? moment : now;
    }

    private static boolean isLocal(Source source) {
        long high = source.high();
        long low = source.low();
        return source.isUnixSocket() || (AddressBits.isV4(high, low)
                ? (low >>> 24 & 0xff) == LOOPBACK
                : high == 0 && low == 1);
    }

    private int place(long high, long low) {
        long hash = AddressBits.isV4(high, low)
                ? keyed.hash(high, low >>> (2 * Long.SIZE - V4_PREFIX))
                : keyed.hash(high >>> (Long.SIZE - V6_PREFIX), -1);
        return (int) hash & (PLACES - 1);
    }
}
