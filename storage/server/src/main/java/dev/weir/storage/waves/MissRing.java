package dev.weir.storage.waves;

import java.util.Arrays;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.sampling.SampledRing;

/**
 * The checks without a hit of one receiving thread on their way to the thread of {@link Waves}. If the ring samples,
 * each share of the networks has its first {@value #WHOLE} checks between two readings taken whole, so a network that
 * floods the ring hides few checks of others.
 */
final class MissRing {
    static final int PLACES = 2_048;

    /**
     * How many checks of busy networks are taken between two readings, about, if the ring samples: counting them makes
     * checks slower that share a processor.
     */
    private static final int CHOSEN = 128;

    /** Checks of a share of networks that are always taken between two readings. */
    static final int WHOLE = 16;

    /** Networks are counted in 2 to this number shares. */
    static final int SHARE_BITS = 6;

    private static final int SHARES = 1 << SHARE_BITS;
    private static final int DIGEST = 0;
    private static final int SHINGLES = DIGEST + Digest.WORDS;
    private static final int ASKED = SHINGLES + Signature.SLOTS;
    private static final int SENT = ASKED + 1;
    private static final int WANTED = SENT + 1;
    private static final int WORDS = WANTED + 1;

    private static final long SHINGLED = 1L << 32;
    private static final long EXEMPT = 1L << 33;

    /** The memory of a ring. */
    static final int BYTES = SampledRing.bytes(PLACES, WORDS) + SHARES * Integer.BYTES;

    private final SampledRing ring = new SampledRing(PLACES, WORDS, CHOSEN);

    /** Checks by share of networks since the last reading. Only the writer uses them. */
    private final int[] byShare = new int[SHARES];
    private int countedSince;

    /**
     * Returns where the next check goes, for {@link #put} afterwards; below 0 if it is left out. For the receiving
     * thread.
     *
     * @param share the share of the network of the client, from 0 to 2<sup>{@value #SHARE_BITS}</sup> - 1
     */
    int claim(int share) {
        return ring.claim(ring.samples() && isLight(share));
    }

    /**
     * Puts a check.
     *
     * @param at where
     * @param threshold how many shingles the check asks for in a near duplicate
     * @param client hash of who asked
     * @param network hash of the network of that client
     * @param sender hash of the sending host, or 0
     * @param domain hash of the domain of the sender, or 0
     */
    void put(int at, long[] digest, long[] shingles, boolean shingled, int threshold, int client, int network,
            int sender, int domain, boolean exempt) {
        long[] words = ring.words();
        System.arraycopy(digest, 0, words, at + DIGEST, Digest.WORDS);
        if (shingled) {
            System.arraycopy(shingles, 0, words, at + SHINGLES, Signature.SLOTS);
        }
        words[at + ASKED] = (long) client << Integer.SIZE | (network & 0xffffffffL);
        words[at + SENT] = (long) sender << Integer.SIZE | (domain & 0xffffffffL);
        words[at + WANTED] = threshold | (shingled ? SHINGLED : 0) | (exempt ? EXEMPT : 0);
        ring.publish();
    }

    private boolean isLight(int share) {
        int readings = ring.readings();
        if (readings != countedSince) {
            countedSince = readings;
            Arrays.fill(byShare, 0);
        }
        return byShare[share]++ < WHOLE;
    }

    /** A receiver of checks. */
    @FunctionalInterface
    interface Target {
        void take(Miss miss);
    }

    /** Passes all checks to a target. For the reading thread. */
    void drain(Miss miss, Target target) {
        ring.drain((words, at, weight) -> {
            System.arraycopy(words, at + DIGEST, miss.digest(), 0, Digest.WORDS);
            boolean shingled = (words[at + WANTED] & SHINGLED) != 0;
            if (shingled) {
                System.arraycopy(words, at + SHINGLES, miss.shingles(), 0, Signature.SLOTS);
            }
            miss.shingled(shingled).weight(weight).threshold((int) words[at + WANTED])
                    .askedBy((int) (words[at + ASKED] >>> Integer.SIZE), (int) words[at + ASKED])
                    .sentBy((int) (words[at + SENT] >>> Integer.SIZE), (int) words[at + SENT],
                            (words[at + WANTED] & EXEMPT) != 0);
            target.take(miss);
        });
    }

    /** Returns one of how many checks of a busy network is taken now. */
    long sampling() {
        return ring.sampling();
    }

    /** Returns how many checks found the ring full. */
    long dropped() {
        return ring.dropped();
    }

    /** Returns how many checks were left out because the ring samples. */
    long leftOut() {
        return ring.leftOut();
    }
}
