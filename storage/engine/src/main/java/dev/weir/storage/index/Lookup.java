package dev.weir.storage.index;

import dev.weir.model.Digest;
import dev.weir.model.Signature;

/** A query to the index with its working memory. One object serves all queries of a thread. */
public final class Lookup {
    /** The probe of the digest. */
    static final int DIGEST = 0;

    /** The first probe of the pairs. */
    static final int PAIRS = 1;

    /** After an exact hit, so many further lookups expect an exact hit too. */
    private static final int EXPECTING = 8;

    /** The most flags that protect a template. */
    public static final int MAX_PROTECTORS = 8;

    final long[] digest = new long[Digest.WORDS];
    final long[] shingles = new long[Signature.SLOTS];
    final long[] fingerprints = new long[Fingerprints.PAIRS];
    final long[] hashes = new long[PAIRS + Fingerprints.PAIRS];
    final BucketProbes probes = new BucketProbes(PAIRS + Fingerprints.PAIRS);
    final int[] found = new int[IndexSearch.HARDLY_CHANCE * PostingTable.MAX_POSTINGS];
    final CandidateSet visited = new CandidateSet(Fingerprints.PAIRS * PostingTable.MAX_POSTINGS);
    IndexMatch best = new IndexMatch();
    IndexMatch other = new IndexMatch();
    boolean hasShingles;

    /** Whether to read the side hashes of the answer. */
    boolean wantsSides;

    /** The flags that protect a template, the first {@link #protecting} of them. */
    final int[] protectors = new int[MAX_PROTECTORS];
    int protecting;

    /** The domains that a protected template must have: those of its call to action, or all if it has none. */
    long ctaDomains;
    long allDomains;

    /** How many slots a near duplicate must share. */
    FlagThresholds thresholds = FlagThresholds.NONE;

    /** The same for flags without their own number. */
    int others = FlagThresholds.USUAL;

    /** Whether the pairs are hashed. */
    boolean hasHashes;

    /** Whether to compare the shingles of an exact hit, too. */
    boolean compares;

    /** Whether only an exact hit is an answer. */
    boolean exactOnly;

    /** How many more lookups expect an exact hit. */
    private int expecting;

    /** Sum of prefetched words. It keeps the compiler from removing the reads. */
    long touched;

    /** Signatures that the last query compared. */
    int compared;

    /** Creates a query. */
    public Lookup() {}

    /** Returns the digest to look up: eight little-endian words for the caller to fill in. */
    public long[] digest() {
        return digest;
    }

    /** Returns the 32 shingles to look up, for the caller to fill in; used with {@link #hasShingles(boolean)}. */
    public long[] shingles() {
        return shingles;
    }

    /** Sets whether to look for a near duplicate if the digest is missing. */
    public void hasShingles(boolean has) {
        hasShingles = has;
    }

    /** Returns whether to look for a near duplicate if the digest is missing. */
    public boolean hasShingles() {
        return hasShingles;
    }

    /** Returns how many slots a near duplicate must share at least, whatever its flag. */
    public int lowestThreshold() {
        return Math.min(thresholds.lowest(), others);
    }

    /**
     * Sets how many slots a near duplicate must share.
     *
     * @param byFlag the numbers of some flags
     * @param otherFlags the number for all other flags, {@link FlagThresholds#LEAST} to {@link FlagThresholds#USUAL}
     */
    public void thresholds(FlagThresholds byFlag, int otherFlags) {
        thresholds = byFlag;
        others = otherFlags;
    }

    /** Sets whether to compare the shingles of an exact hit, see {@link IndexMatch#hasOtherShingles}. */
    public void compares(boolean wants) {
        compares = wants;
    }

    /** Sets whether only an exact hit is an answer, which saves the search for similar signatures. */
    public void exactOnly(boolean wants) {
        exactOnly = wants;
    }

    /** Sets whether to read the side hashes of the answer. */
    public void wantsSides(boolean wants) {
        wantsSides = wants;
    }

    /** Forgets the flags that protect a template. */
    public void noProtectors() {
        protecting = 0;
    }

    /** Adds a flag that protects a template; more than {@value #MAX_PROTECTORS} are ignored. */
    public void addProtector(int flag) {
        if (protecting < MAX_PROTECTORS) {
            protectors[protecting++] = flag;
        }
    }

    /** Sets the domains of the mail for {@link HashIndex#findProtected}. */
    public void domains(long cta, long all) {
        ctaDomains = cta;
        allDomains = all;
    }

    /** Returns whether a hash has the domains of the mail, and a flag that protects it. */
    boolean isProtectedBy(IndexMatch match) {
        boolean sameDomains = ctaDomains != 0 || (allDomains != 0 && allDomains == match.allDomains());
        return match.hasSides() && match.ctaDomains() == ctaDomains && sameDomains
                && match.hasOneOf(protectors, protecting);
    }

    /** Returns the answer, if there was one. It may be another object after the next query. */
    public IndexMatch match() {
        return best;
    }

    /** Prefetches the bucket of the digest. */
    void touchDigest() {
        touched += probes.touch(DIGEST, PAIRS);
    }

    /** Prefetches the buckets of the pairs. */
    void touchPairs() {
        touched += probes.touch(PAIRS, PAIRS + Fingerprints.PAIRS);
    }

    /**
     * Returns whether the digest is probably missing, so that the pairs are prefetched together with its bucket. A
     * useless prefetch costs more than a late one, so an exact hit is expected again for some lookups.
     */
    boolean expectsNew() {
        return expecting == 0;
    }

    /** Remembers whether the digest was found. */
    void learn(boolean hit) {
        expecting = hit && best.isExact() ? EXPECTING : Math.max(expecting - 1, 0);
    }

    /** Makes {@link #other} the best match. */
    void otherIsBest() {
        IndexMatch worse = best;
        best = other;
        other = worse;
    }

    /** Returns the overflow blocks and signatures that the last query read. */
    int cost() {
        return probes.blocksRead + compared;
    }
}
