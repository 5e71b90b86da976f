package dev.weir.bench.index;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;

/**
 * The share of lookups that find the most similar signature, compared with a last-writer index. In that index each of
 * the 32 values maps to one hash, and the hash with the most values is the answer if it has more than 16. Rspamd's
 * backends follow this rule (docs/reference/storage.md#checks).
 */
public final class Recall {
    /** A value in a slot. */
    private record Shingle(int slot, long value) {}

    private final List<long[]> stored = new ArrayList<>();
    private final Map<Shingle, Integer> owners = new HashMap<>();
    private final HashIndex index = new HashIndex(KeyedHash.random());
    private final Lookup lookup = new Lookup();
    private final int[] best = new int[Signature.SLOTS + 1];
    private final int[] weirFound = new int[Signature.SLOTS + 1];
    private final int[] weirBest = new int[Signature.SLOTS + 1];
    private final int[] ownerFound = new int[Signature.SLOTS + 1];
    private final int[] ownerBest = new int[Signature.SLOTS + 1];

    /** Creates empty indexes. */
    public Recall() {}

    /** Stores a signature of 32 values. */
    public void store(long[] shingles) {
        int n = stored.size();
        stored.add(shingles.clone());
        for (int slot = 0; slot < Signature.SLOTS; slot++) {
            owners.put(new Shingle(slot, shingles[slot]), n);
        }
        index.load(new StoredHash(digest(n), List.of(new FlagValue(1, 1, n)), Signature.of(shingles, 0)));
    }

    private static Digest digest(long n) {
        return Digest.ofWords(new SplittableRandom(n).longs(Digest.WORDS).toArray(), 0);
    }

    /** Looks up a signature in both indexes and compares it with every stored signature. */
    public void ask(long[] shingles) {
        int truth = 0;
        for (long[] other : stored) {
            truth = Math.max(truth, Signature.equalSlots(other, shingles));
        }
        if (truth <= HashIndex.THRESHOLD) {
            return;
        }
        best[truth]++;
        digest(-1).copyTo(lookup.digest(), 0);
        lookup.hasShingles(true);
        System.arraycopy(shingles, 0, lookup.shingles(), 0, Signature.SLOTS);
        if (index.find(lookup, Long.MIN_VALUE)) {
            weirFound[truth]++;
            weirBest[truth] += lookup.match().equalSlots() == truth ? 1 : 0;
        }
        int owner = owner(shingles);
        if (owner >= 0) {
            ownerFound[truth]++;
            ownerBest[truth] += Signature.equalSlots(stored.get(owner), shingles) == truth ? 1 : 0;
        }
    }

    /** Returns the hash that owns more than half of the shingles, or -1. */
    private int owner(long[] shingles) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (int slot = 0; slot < Signature.SLOTS; slot++) {
            Integer owner = owners.get(new Shingle(slot, shingles[slot]));
            if (owner != null && counts.merge(owner, 1, Integer::sum) > HashIndex.THRESHOLD) {
                return owner;
            }
        }
        return -1;
    }

    /** Returns the number of stored signatures. */
    public int size() {
        return stored.size();
    }

    /** Returns how often a posting list was too long to be searched whole. */
    public long crowded() {
        return index.crowded();
    }

    /**
     * The outcome of lookups whose most similar stored signature has a given number of equal slots.
     *
     * @param asked number of lookups
     * @param found number answered by Weir's index
     * @param best number of those answered with a most similar signature
     * @param ownerFound number answered by the last-writer index
     * @param ownerBest number of those answered with a most similar signature
     */
    public record Row(int asked, int found, int best, int ownerFound, int ownerBest) {}

    /** Returns the sum over a range of equal slots, both ends included. */
    public Row row(int from, int to) {
        return new Row(sum(best, from, to), sum(weirFound, from, to), sum(weirBest, from, to),
                sum(ownerFound, from, to), sum(ownerBest, from, to));
    }

    private static int sum(int[] counts, int from, int to) {
        int sum = 0;
        for (int i = from; i <= to; i++) {
            sum += counts[i];
        }
        return sum;
    }
}
