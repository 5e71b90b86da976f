package dev.weir.storage.waves;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

import dev.weir.model.Digest;
import dev.weir.model.Signature;

/**
 * A ring of checks without a hit from one receiving thread to the thread of {@link Waves}. The receiving thread writes,
 * one other thread reads. Putting a check neither allocates nor locks, and never waits: if the reader falls behind,
 * checks are counted as dropped.
 *
 * <p>Above a rate, the ring samples: it takes one of 2<sup>k</sup> checks, chosen at random, with the weight
 * 2<sup>k</sup>, so that the sums stay unbiased. The reader adapts k. Each network has its first {@value #WHOLE} checks
 * between two readings taken whole, so a network that floods the ring hides few checks of others.
 */
final class MissRing {
    /** Places of the ring; a power of two. */
    static final int PLACES = 2_048;

    /** Checks of a network, by hash, that are always taken between two readings. */
    static final int WHOLE = 8;

    private static final int NETWORKS = 64;
    private static final int DIGEST = 0;
    private static final int SHINGLES = DIGEST + Digest.WORDS;
    private static final int ASKED = SHINGLES + Signature.SLOTS;
    private static final int SENT = ASKED + 1;
    private static final int WEIGHT = SENT + 1;
    private static final int ENTRY = WEIGHT + 1;

    private static final long SHINGLED = 1L << 32;
    private static final long EXEMPT = 1L << 33;
    private static final int THRESHOLD_SHIFT = 40;

    /** The memory of a ring. */
    static final int BYTES = PLACES * ENTRY * Long.BYTES + NETWORKS * Integer.BYTES;

    private static final int GOLDEN = 0x9e3779b9;
    private static final VarHandle WRITTEN;
    private static final VarHandle READ;
    private static final VarHandle DROPPED;
    private static final VarHandle LEFT_OUT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WRITTEN = lookup.findVarHandle(MissRing.class, "written", long.class);
            READ = lookup.findVarHandle(MissRing.class, "read", long.class);
            DROPPED = lookup.findVarHandle(MissRing.class, "dropped", long.class);
            LEFT_OUT = lookup.findVarHandle(MissRing.class, "leftOut", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long[] words = new long[PLACES * ENTRY];
    private long written;
    private long read;
    private volatile int mask;
    private int random = GOLDEN;
    private long dropped;
    private long leftOut;

    /** Counts the readings, so that the writer resets its counts of networks. */
    private volatile int readings;

    /** Checks by network since the last reading. Only the writer uses them. */
    private final int[] byNetwork = new int[NETWORKS];
    private int countedSince;

    /**
     * Puts a check, or leaves it out. For the receiving thread.
     *
     * @param threshold how many shingles the check asks for in a near duplicate
     * @param client hash of who asked
     * @param network hash of the network of that client
     * @param sender hash of the sending host, or 0
     * @param domain hash of the domain of the sender, or 0
     */
    void put(long[] digest, long[] shingles, boolean shingled, int threshold, int client, int network, int sender,
            int domain, boolean exempt) {
        long done = (long) READ.getAcquire(this);
        int chosen = mask;
        int weight = 1;
        if (chosen != 0 && !isLight(network)) {
            // Marsaglia's xorshift: a sequence that no regular pattern of requests follows.
            random ^= random << 13;
            random ^= random >>> 17;
            random ^= random << 5;
            if ((random & chosen) != 0) {
                LEFT_OUT.setOpaque(this, leftOut + 1);
                return;
            }
            weight = chosen + 1;
        }
        long place = written;
        if (place - done >= PLACES) {
            DROPPED.setOpaque(this, dropped + 1);
            return;
        }
        int at = (int) (place & (PLACES - 1)) * ENTRY;
        System.arraycopy(digest, 0, words, at + DIGEST, Digest.WORDS);
        if (shingled) {
            System.arraycopy(shingles, 0, words, at + SHINGLES, Signature.SLOTS);
        }
        words[at + ASKED] = (long) client << Integer.SIZE | (network & 0xffffffffL);
        words[at + SENT] = (long) sender << Integer.SIZE | (domain & 0xffffffffL);
        words[at + WEIGHT] = weight | (shingled ? SHINGLED : 0) | (exempt ? EXEMPT : 0)
                | (long) threshold << THRESHOLD_SHIFT;
        WRITTEN.setRelease(this, place + 1);
    }

    private boolean isLight(int network) {
        if (readings != countedSince) {
            countedSince = readings;
            Arrays.fill(byNetwork, 0);
        }
        int share = network & (NETWORKS - 1);
        return byNetwork[share]++ < WHOLE;
    }

    /** A receiver of checks. */
    @FunctionalInterface
    interface Target {
        void take(Miss miss);
    }

    /** Passes all checks to a target, and adapts the share of those that are taken. For the reading thread. */
    void drain(Miss miss, Target target) {
        long end = (long) WRITTEN.getAcquire(this);
        long count = end - read;
        for (long place = read; place < end; place++) {
            int at = (int) (place & (PLACES - 1)) * ENTRY;
            System.arraycopy(words, at + DIGEST, miss.digest(), 0, Digest.WORDS);
            boolean shingled = (words[at + WEIGHT] & SHINGLED) != 0;
            if (shingled) {
                System.arraycopy(words, at + SHINGLES, miss.shingles(), 0, Signature.SLOTS);
            }
            miss.shingled(shingled).weight((int) words[at + WEIGHT])
                    .threshold((int) (words[at + WEIGHT] >>> THRESHOLD_SHIFT))
                    .askedBy((int) (words[at + ASKED] >>> Integer.SIZE), (int) words[at + ASKED])
                    .sentBy((int) (words[at + SENT] >>> Integer.SIZE), (int) words[at + SENT],
                            (words[at + WEIGHT] & EXEMPT) != 0);
            target.take(miss);
            // The writer may use the place again at once, so that a long reading makes it drop less.
            READ.setRelease(this, place + 1);
        }
        // Only this thread writes it.
        int next = readings + 1;
        readings = next;
        if (count > PLACES / 2 && mask < Integer.MAX_VALUE >>> 1) {
            mask = (mask << 1) | 1;
        } else if (count < PLACES / 8 && mask != 0) {
            mask = mask >>> 1;
        }
    }

    /** Returns one of how many checks of a busy network is taken now. */
    long sampling() {
        return mask + 1L;
    }

    /** Returns how many checks found the ring full. */
    long dropped() {
        return (long) DROPPED.getOpaque(this);
    }

    /** Returns how many checks were left out because the ring samples. */
    long leftOut() {
        return (long) LEFT_OUT.getOpaque(this);
    }
}
