package dev.weir.storage.log;

import dev.weir.model.Digest;

/**
 * The running checksum of a log: 64 bits that stand for all updates up to a revision. Two nodes with the same checksum
 * at the same revision have the same history.
 *
 * <p>It covers the revision, the time of acceptance and two bytes of the digest of each update, and no more. So it also
 * agrees on a follower that gets other flags, or a {@link #withheld placeholder} instead of an update that is not for
 * it, and a placeholder tells nothing about a hash.
 */
public final class RunningChecksum {
    private static final long DIGEST_PART = 0xffff;

    private RunningChecksum() {}

    /** Returns the checksum after one more update. */
    public static long after(long before, LoggedUpdate update) {
        return after(before, update.revision(), update.millis(), update.update().digest().word(0));
    }

    /**
     * Returns the checksum after one more update.
     *
     * @param word the first 64 bits of the digest, of which 16 count
     */
    static long after(long before, long revision, long millis, long word) {
        return mix(before ^ mix(revision ^ mix(millis ^ mix(word & DIGEST_PART))));
    }

    /** Returns a digest that counts like another one and shares only two bytes with it. */
    public static Digest withheld(Digest digest) {
        long[] words = new long[Digest.WORDS];
        words[0] = digest.word(0) & DIGEST_PART;
        return Digest.ofWords(words, 0);
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long value) {
        long z = value + 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
