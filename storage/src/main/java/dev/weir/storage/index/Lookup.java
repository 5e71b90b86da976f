package dev.weir.storage.index;

import dev.weir.storage.Digest;
import dev.weir.storage.Signature;

/** A question to the index and the room that answering it takes: one object for each reading thread. */
public final class Lookup {
    final long[] digest = new long[Digest.WORDS];
    final long[] shingles = new long[Signature.SLOTS];
    final long[] key = new long[1];
    final int[] found = new int[HashIndex.MAX_POSTINGS];
    final Candidates candidates = new Candidates(HashIndex.POSITIONS * HashIndex.MAX_POSTINGS);
    final Match best = new Match();
    final Match other = new Match();
    boolean hasShingles;

    /** Room for the questions of one thread. */
    public Lookup() {}

    /** The digest to ask for, eight little-endian words to be filled in. */
    public long[] digest() {
        return digest;
    }

    /** The 32 shingles to ask for when {@link #hasShingles(boolean)} says so, to be filled in. */
    public long[] shingles() {
        return shingles;
    }

    /** Whether to look for a near duplicate when the digest is not there. */
    public void hasShingles(boolean has) {
        hasShingles = has;
    }

    /** The answer, after {@link HashIndex#find} returned true. */
    public Match match() {
        return best;
    }
}
