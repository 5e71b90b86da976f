package dev.weir.storage;

import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import org.jspecify.annotations.Nullable;

/** Digests and signatures for tests. */
public final class Samples {
    private Samples() {}

    /** The digest number {@code n}; different numbers give different digests. */
    public static Digest digest(long n) {
        SplittableRandom random = new SplittableRandom(n);
        long[] words = new long[Digest.WORDS];
        for (int i = 0; i < words.length; i++) {
            words[i] = random.nextLong();
        }
        words[3] = n;
        return Digest.ofWords(words, 0);
    }

    /** The signature number {@code n}, no value of which occurs in another one. */
    public static long[] shingles(long n) {
        SplittableRandom random = new SplittableRandom(~n);
        long[] values = new long[Signature.SLOTS];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextLong();
        }
        return values;
    }

    /** A copy of a signature in which {@code changed} slots, chosen by {@code random}, have other values. */
    public static long[] changed(long[] shingles, int changed, SplittableRandom random) {
        long[] values = shingles.clone();
        int left = changed;
        for (int i = 0; i < values.length; i++) {
            if (random.nextInt(values.length - i) < left) {
                values[i] = random.nextLong();
                left--;
            }
        }
        return values;
    }

    public static Signature signature(long n) {
        return Signature.of(shingles(n), 0);
    }

    public static Update.Write write(long digest, int flag, int weight, long time, @Nullable Signature signature) {
        return new Update.Write(digest(digest), flag, weight, time, signature);
    }
}
