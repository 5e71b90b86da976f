package dev.weir.storage.waves;

import java.util.SplittableRandom;

import dev.weir.storage.Samples;

/** Builds checks without a hit for tests. */
final class Misses {
    private final Miss miss = new Miss();
    private final SplittableRandom random;
    private long digests = 1_000_000_000;

    Misses(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** Returns a mail of a text, with other values in some slots and its own digest. */
    Miss copy(long text, int changed, int client) {
        return miss(digests++, Samples.changed(Samples.shingles(text), changed, random), client);
    }

    /** Returns the mail with a digest and exactly the shingles of a text. */
    Miss same(long text, int client) {
        return miss(text, Samples.shingles(text), client);
    }

    /** Returns a digest without shingles. */
    Miss plain(long digest, int client) {
        Samples.digest(digest).copyTo(miss.digest(), 0);
        return miss.shingled(false).weight(1).askedBy(client, client / 10 + 1).sentBy(0, 0, false);
    }

    /** Returns a mail that resembles no other. */
    Miss unique(int client) {
        long text = digests++;
        return miss(text, Samples.shingles(text), client);
    }

    private Miss miss(long digest, long[] shingles, int client) {
        Samples.digest(digest).copyTo(miss.digest(), 0);
        System.arraycopy(shingles, 0, miss.shingles(), 0, shingles.length);
        return miss.shingled(true).weight(1).askedBy(client, client / 10 + 1).sentBy(0, 0, false);
    }
}
