package dev.weir.storage;

import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import org.jspecify.annotations.Nullable;

/** Creates digests and signatures for tests. */
public final class Samples {
    private Samples() {}

    /** Returns digest number {@code n}; different numbers yield different digests. */
    public static Digest digest(long n) {
        SplittableRandom random = new SplittableRandom(n);
        long[] words = new long[Digest.WORDS];
        for (int i = 0; i < words.length; i++) {
            words[i] = random.nextLong();
        }
        words[3] = n;
        return Digest.ofWords(words, 0);
    }

    /** Returns signature number {@code n}; no two signatures share a value. */
    public static long[] shingles(long n) {
        SplittableRandom random = new SplittableRandom(~n);
        long[] values = new long[Signature.SLOTS];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextLong();
        }
        return values;
    }

    /** Returns a copy of a signature with new values in {@code changed} random slots. */
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

    /** Returns the side hashes of HTML number {@code n}. */
    public static HtmlSides sides(long n) {
        return new HtmlSides(5 * n, 3 * n, 7 * n + 1);
    }

    public static Update.Write write(long digest, int flag, long weight, long time, @Nullable Signature signature) {
        return new Update.Write(digest(digest), flag, weight, time, signature);
    }
}
