package dev.weir.storage.hits;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import dev.weir.model.Digest;
import dev.weir.storage.index.IndexMatch;

/**
 * A ring of sampled hits from one receiving thread to {@link HitSampler}. The thread that answers checks writes, one
 * other thread reads. Recording a hit neither allocates nor locks, and never waits: if the reader falls behind, hits
 * are counted as missed.
 *
 * <p>At a high rate, only one of 2<sup>k</sup> hits is recorded, chosen at random, with the weight 2<sup>k</sup>. The
 * reader adapts k, so the ring costs the same at any rate and the sums of the weights stay unbiased estimates.
 */
public final class HitRing {
    /** Places of the ring; a power of two. */
    static final int PLACES = 2_048;

    /** Words of an entry: the digest and the weight. */
    private static final int ENTRY = Digest.WORDS + 1;

    private static final int GOLDEN = 0x9e3779b9;
    private static final VarHandle WRITTEN;
    private static final VarHandle READ;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WRITTEN = lookup.findVarHandle(HitRing.class, "written", long.class);
            READ = lookup.findVarHandle(HitRing.class, "read", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long[] words = new long[PLACES * ENTRY];
    private long written;
    private long read;
    private volatile int mask;
    private int random = GOLDEN;
    private long missed;

    HitRing() {}

    /** A receiver of sampled hits. */
    @FunctionalInterface
    interface Target {
        /**
         * Takes a hit.
         *
         * @param source holds the eight words of the digest from {@code at} on; valid during the call
         * @param weight the number of hits that this one stands for
         */
        void take(long[] source, int at, long weight);
    }

    /** Records a hit, or leaves it out. For the thread that answers checks. */
    public void record(IndexMatch match) {
        int chosen = mask;
        if (chosen != 0) {
            // Marsaglia's xorshift: a sequence that no regular pattern of requests follows.
            random ^= random << 13;
            random ^= random >>> 17;
            random ^= random << 5;
            if ((random & chosen) != 0) {
                return;
            }
        }
        long place = written;
        if (place - (long) READ.getAcquire(this) >= PLACES) {
            missed++;
            return;
        }
        int at = (int) (place & (PLACES - 1)) * ENTRY;
        for (int i = 0; i < Digest.WORDS; i++) {
            words[at + i] = match.digestWord(i);
        }
        words[at + Digest.WORDS] = chosen + 1L;
        WRITTEN.setRelease(this, place + 1);
    }

    /** Passes all recorded hits to the target and adapts the share of recorded ones. For the reading thread. */
    void drain(Target target) {
        long end = (long) WRITTEN.getAcquire(this);
        long count = end - read;
        for (long place = read; place < end; place++) {
            int at = (int) (place & (PLACES - 1)) * ENTRY;
            target.take(words, at, words[at + Digest.WORDS]);
        }
        READ.setRelease(this, end);
        if (count > PLACES / 2 && mask < Integer.MAX_VALUE >>> 1) {
            mask = (mask << 1) | 1;
        } else if (count < PLACES / 8 && mask != 0) {
            mask = mask >>> 1;
        }
    }

    /** Returns the number of hits that found the ring full; an estimate while the other thread writes. */
    long missed() {
        return missed;
    }
}
