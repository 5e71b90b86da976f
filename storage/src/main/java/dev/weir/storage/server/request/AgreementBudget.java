package dev.weir.storage.server.request;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import dev.weir.model.AddressBits;
import dev.weir.model.KeyedHash;
import dev.weir.storage.access.gate.Source;

/**
 * How many key agreements a thread may do. One takes some twenty times what a check does, and anybody may ask for one
 * with every packet: so they get a share of the time, a tenth or so, and clients that are known already do not notice.
 * A client that goes without asks again, as clients do. For one thread; allocates nothing.
 *
 * <p>Those that ask share it by network, the first 24 bits of an IPv4 and 48 of an IPv6 address: who asks for much has
 * at most half of what may be done at once, the rest is for networks that have asked for little just now. So one
 * network can use all of the rate while no other needs it, and shuts no other out when it floods. Networks are told
 * apart by a keyed hash, a few of many may share a place. That holds over connections, whose addresses are proven, and
 * over UDP as far as addresses are not made up; connections are served by another thread, which has a budget of its
 * own, so a flood of made-up datagrams takes nothing from them. The machine itself has a budget of its own too: its
 * addresses do not come from outside.
 */
public final class AgreementBudget {
    /** Agreements a second. */
    static final int RATE = 2_000;

    /** Agreements at once after a quiet time: the packets behind them wait for a few milliseconds at most. */
    static final int BURST = 32;

    /** What is left of a burst for networks that have asked for little, once others have taken the first half. */
    static final int KEPT = BURST / 2;

    /** Agreements a second that are little for a network. */
    static final int SMALL_RATE = 20;

    /** The same at once. */
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
     * When the budget of this machine, that of all others, and the small one of each network is whole again, or was.
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

    /** Takes one agreement out of the budget; false if nothing is left for this source. */
    boolean take(Source source) {
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
            // It goes on counting as one that asks for much while it does, and no longer.
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
