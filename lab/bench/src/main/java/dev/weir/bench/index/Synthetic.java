package dev.weir.bench.index;

import java.util.List;
import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.StoredHash;

/** Reproducible distinct hashes by number. */
final class Synthetic {
    private static final FlagValue VOTE = new FlagValue(1, 5, 1_700_000_000L);

    private Synthetic() {}

    static void digest(long n, long[] target) {
        SplittableRandom random = new SplittableRandom(n);
        for (int i = 0; i < Digest.WORDS; i++) {
            target[i] = random.nextLong();
        }
    }

    static void shingles(long n, long[] target) {
        SplittableRandom random = new SplittableRandom(~n);
        for (int i = 0; i < Signature.SLOTS; i++) {
            target[i] = random.nextLong();
        }
    }

    /** Returns signature {@code n} with all but {@code equal} slots replaced. */
    static void similar(long n, int equal, SplittableRandom random, long[] target) {
        shingles(n, target);
        int left = Signature.SLOTS - equal;
        for (int i = 0; i < Signature.SLOTS; i++) {
            if (random.nextInt(Signature.SLOTS - i) < left) {
                target[i] = random.nextLong();
                left--;
            }
        }
    }

    static Digest digest(long n) {
        long[] words = new long[Digest.WORDS];
        digest(n, words);
        return Digest.ofWords(words, 0);
    }

    static Signature signature(long n) {
        long[] values = new long[Signature.SLOTS];
        shingles(n, values);
        return Signature.of(values, 0);
    }

    static StoredHash hash(long n, boolean withSignature) {
        return new StoredHash(digest(n), List.of(VOTE), withSignature ? signature(n) : null);
    }
}
