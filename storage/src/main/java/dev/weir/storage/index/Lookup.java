package dev.weir.storage.index;

import dev.weir.model.Digest;
import dev.weir.model.Signature;

/** A question to the index and the room that answering it takes: one object serves all questions of a thread. */
public final class Lookup {
    /** The place of the digest. */
    static final int DIGEST = 0;

    /** The first place of the pairs. */
    static final int PAIRS = 1;

    /** After a digest that was there, with so many lookups another one is expected to be. */
    private static final int EXPECTING = 8;

    final long[] digest = new long[Digest.WORDS];
    final long[] shingles = new long[Signature.SLOTS];
    final long[] fingerprints = new long[Fingerprints.PAIRS];
    final long[] hashes = new long[PAIRS + Fingerprints.PAIRS];
    final Places places = new Places(PAIRS + Fingerprints.PAIRS);
    final int[] found = new int[Search.HARDLY_CHANCE * ListTable.MAX_POSTINGS];
    final SeenIds seen = new SeenIds(Fingerprints.PAIRS * ListTable.MAX_POSTINGS);
    Match best = new Match();
    Match other = new Match();
    boolean hasShingles;

    /** Whether the pairs have been hashed. */
    boolean hasHashes;

    /** With how many more lookups the digest is expected to be there. */
    private int expecting;

    /** Keeps what was read only to bring it nearer from being optimised away. */
    long touched;

    /** Signatures that the last answer took to compare. */
    int compared;

    /** Room for one question at a time. */
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

    /** The answer, if there was one; another object after another search. */
    public Match match() {
        return best;
    }

    /** Reads something at the place of the digest, so that it comes nearer. */
    void touchDigest() {
        touched += places.touch(DIGEST, PAIRS);
    }

    /** Reads something at the places of the pairs, so that they come nearer. */
    void touchPairs() {
        touched += places.touch(PAIRS, PAIRS + Fingerprints.PAIRS);
    }

    /**
     * Whether the digest is hardly there, so that the pairs are brought nearer with its place. Bringing them in vain costs
     * several times what it costs to bring them afterwards, so a few digests that were there are enough to wait for.
     */
    boolean expectsNew() {
        return expecting == 0;
    }

    /** Keeps in mind whether the digest was there. */
    void learn(boolean hit) {
        expecting = hit && best.isExact() ? EXPECTING : Math.max(expecting - 1, 0);
    }

    /** Lets what is in {@link #other} be the best. */
    void otherIsBest() {
        Match worse = best;
        best = other;
        other = worse;
    }

    /** Memory that the last answer took to look at beside one line a place: blocks and signatures. */
    int cost() {
        return places.blocks + compared;
    }
}
