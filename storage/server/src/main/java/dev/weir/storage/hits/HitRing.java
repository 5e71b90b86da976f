package dev.weir.storage.hits;

import dev.weir.model.Digest;
import dev.weir.storage.index.IndexMatch;
import dev.weir.storage.sampling.SampledRing;

/** The hits of one receiving thread on their way to {@link HitSampler}: the digest of what matched. */
public final class HitRing {
    private static final int PLACES = 2_048;

    private final SampledRing ring = new SampledRing(PLACES, Digest.WORDS, PLACES / 2);

    HitRing() {}

    /** Records a hit, or leaves it out. For the thread that answers checks. */
    public void record(IndexMatch match) {
        int at = ring.claim(false);
        if (at < 0) {
            return;
        }
        long[] words = ring.words();
        for (int i = 0; i < Digest.WORDS; i++) {
            words[at + i] = match.digestWord(i);
        }
        ring.publish();
    }

    /** Passes all recorded hits to a target. For the reading thread. */
    void drain(SampledRing.Target target) {
        ring.drain(target);
    }

    /** Returns the number of hits that found the ring full. */
    long missed() {
        return ring.dropped();
    }
}
