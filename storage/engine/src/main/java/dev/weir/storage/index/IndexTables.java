package dev.weir.storage.index;

import java.nio.ByteBuffer;
import java.util.List;

import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/**
 * The tables of an index and their relations. {@link HashIndex} ensures that readers never use half-written data.
 *
 * <p>A hash is a record in one of two record tables: without a signature (plain) or with one (similar). The number of a
 * hash is twice the id of its record, plus 1 with a signature. Signatures and postings use the id of the record.
 */
final class IndexTables {
    /** No hash. */
    static final int NONE = RecordTable.NONE;

    /** The first number that a hash can have. */
    static final int FIRST = 2 * (RecordTable.NONE + 1);

    /** Numbers are up to twice the ids, and a bucket has up to 14 ids. */
    private static final int DIGEST_SLACK = 6;
    private static final int POSTING_SLACK = 1;

    private final OffHeapArena memory = new OffHeapArena();
    private final Fingerprints fingerprints;
    private final FlagChains flagChains;
    private final RecordTable plain;
    private final RecordTable similar;
    private final SignatureTable signatures;
    private final PostingTable digests;
    private final PostingTable postings;

    /** Receives every hash that gets an id. */
    private SlotSink sink = SlotSink.NONE;

    /** The replaced or removed signature, with its hashes and buckets. Only for the writer. */
    private final long[] old = new long[Fingerprints.PAIRS];
    private final long[] oldHashes = new long[Fingerprints.PAIRS];
    private final BucketProbes oldProbes = new BucketProbes(Fingerprints.PAIRS);

    /** What was prefetched, so that the JIT compiler does not drop the reads. */
    long touched;

    /**
     * Creates empty tables.
     *
     * @param smaller divides every bound by 2 to the power of this; 0 except in tests of the bounds
     */
    IndexTables(KeyedHash keyed, long expectedDigests, long expectedSignatures, int smaller) {
        this.fingerprints = new Fingerprints(keyed);
        this.flagChains = new FlagChains(memory);
        this.plain = new RecordTable(memory, flagChains);
        this.similar = new RecordTable(memory, flagChains);
        this.signatures = new SignatureTable(memory);
        this.digests = new PostingTable(memory, expectedDigests, 1, DIGEST_SLACK, smaller);
        this.postings = new PostingTable(memory, expectedSignatures, Fingerprints.PAIRS, POSTING_SLACK,
                smaller);
    }

    RecordTable records(int number) {
        return records(isSimilar(number));
    }

    RecordTable records(boolean isSimilar) {
        return isSimilar ? similar : plain;
    }

    static int number(boolean isSimilar, int recordId) {
        return 2 * recordId + (isSimilar ? 1 : 0);
    }

    static int recordId(int number) {
        return number >>> 1;
    }

    static boolean isSimilar(int number) {
        return (number & 1) != 0;
    }

    /** Returns the records with a signature. */
    RecordTable similar() {
        return similar;
    }

    SignatureTable signatures() {
        return signatures;
    }

    /** Returns a number above all numbers in use. */
    int bound() {
        return 2 * Math.max(plain.bound(), similar.bound());
    }

    long size() {
        return (long) plain.size() + similar.size();
    }

    long bytes() {
        return memory.taken();
    }

    long displaced() {
        return postings.displaced();
    }

    // ---- looking up ----

    /** Hashes the digest. */
    void hashDigest(Lookup lookup) {
        lookup.hashes[Lookup.DIGEST] = fingerprints.ofDigest(lookup.digest, 0, digests.hashBits());
    }

    /** Computes fingerprints and hashes of the shingles. */
    void hashShingles(Lookup lookup) {
        fingerprints.ofAll(lookup.shingles, lookup.fingerprints);
        hashPairs(lookup);
    }

    /** Hashes the digest and a signature, which may have unknown slots. */
    void hash(Lookup lookup, @Nullable Signature signature) {
        hashDigest(lookup);
        lookup.hasShingles = signature != null;
        if (signature != null) {
            fingerprints.ofKnown(signature, lookup.fingerprints);
            hashPairs(lookup);
        }
    }

    /** Hashes the digest and the shingles of a signature with unknown slots. */
    void hash(Lookup lookup, long[] shingles, int mask) {
        hashDigest(lookup);
        fingerprints.ofKnown(shingles, mask, lookup.fingerprints);
        hashPairs(lookup);
    }

    private void hashPairs(Lookup lookup) {
        for (int pair = 0; pair < Fingerprints.PAIRS; pair++) {
            lookup.hashes[Lookup.PAIRS + pair] = hash(pair, lookup.fingerprints);
        }
    }

    private long hash(int pair, long[] words) {
        return fingerprints.ofPair(pair, words[pair], postings.hashBits());
    }

    /** Computes the bucket of the digest. */
    void locateDigest(Lookup lookup) {
        digests.locate(lookup.hashes, lookup.probes, Lookup.DIGEST, Lookup.PAIRS);
    }

    /** Computes the buckets of the pairs. */
    void locatePairs(Lookup lookup) {
        postings.locate(lookup.hashes, lookup.probes, Lookup.PAIRS, Lookup.PAIRS + Fingerprints.PAIRS);
    }

    /** Prefetches the overflow blocks that adding the signature may change. */
    void touchChains(Lookup lookup) {
        lookup.touched += postings.touchChains(lookup.probes, Lookup.PAIRS, Lookup.PAIRS + Fingerprints.PAIRS);
    }

    /** Returns the number of the hash with the digest, or {@link #NONE}. */
    int numberOf(Lookup lookup) {
        int count = digests.collect(lookup.probes, Lookup.DIGEST, lookup.found, 0);
        for (int i = 0; i < count; i++) {
            int number = lookup.found[i];
            if (records(number).isDigest(recordId(number), lookup.digest)) {
                return number;
            }
        }
        return NONE;
    }

    /** Returns which probes of pairs may have candidates: bit i for probe i. */
    int scan(Lookup lookup) {
        return postings.scan(lookup.probes, Lookup.PAIRS, Lookup.PAIRS + Fingerprints.PAIRS);
    }

    /**
     * Collects the ids of records whose signature has a pair in common.
     *
     * @param place probe of the pair
     * @param count ids that are in {@link Lookup#found} already
     * @return ids that are in it afterwards
     */
    int collect(Lookup lookup, int place, int count) {
        return postings.collect(lookup.probes, place, lookup.found, count);
    }

    // ---- growing ----

    /**
     * Takes the memory that some updates may need, and some memory for growing. Needs no lock.
     *
     * @throws IndexFullException if there is no more room
     */
    void prepare(int updates) {
        int number = lastNumber(updates);
        int recordId = similar.lastId(updates);
        digests.prepare(updates, number);
        postings.prepare(updates, recordId);
        flagChains.reserve(updates);
        plain.reserve(updates);
        similar.reserve(updates);
        signatures.reserve(recordId);
    }

    /** Returns whether {@link #grow} has work to do. */
    boolean isGrowing(int updates) {
        return digests.isGrowing(lastNumber(updates)) || postings.isGrowing(similar.lastId(updates));
    }

    /** Does a few steps of growing. */
    void grow(int updates) {
        digests.advance(lastNumber(updates));
        postings.advance(similar.lastId(updates));
    }

    /** Returns whether so many hashes can be added. If not, continue growing. */
    boolean hasRoom(int updates) {
        return digests.fits(lastNumber(updates)) && postings.fits(similar.lastId(updates));
    }

    private int lastNumber(int updates) {
        long recordId = Math.max(plain.lastId(updates), similar.lastId(updates));
        return (int) Math.min(2 * recordId + 1, Integer.MAX_VALUE);
    }

    // ---- checkpoints ----

    /** From now on, tells the sink of each hash that gets an id, and keeps removed ids in the quarantine. */
    void persist(SlotSink target) {
        sink = target;
        plain.quarantine();
        similar.quarantine();
    }

    SlotSink sink() {
        return sink;
    }

    /** Makes all ids below some bounds exist, to be filled by any threads. */
    void expand(int plainBound, int similarBound) {
        plain.expand(plainBound);
        similar.expand(similarBound);
        signatures.expand(similarBound);
    }

    /** Copies a page of records, as {@link HashIndex#copyPage}. */
    void copyPage(boolean isSimilar, int first, int count, ByteBuffer target) {
        records(isSimilar).copyPage(first, count, target);
        if (isSimilar) {
            signatures.copySides(first, count, similar, target);
        }
    }

    /**
     * Fills a page of records that was copied.
     *
     * @throws IllegalArgumentException if the source is not such a copy
     */
    void fillPage(boolean isSimilar, int first, int count, ByteBuffer source) {
        records(isSimilar).fillPage(first, count, source);
        if (isSimilar) {
            signatures.fillSides(first, count, source);
        } else if (source.hasRemaining()) {
            throw new IllegalArgumentException("flags are left over");
        }
    }

    /** Makes a record findable that has digest and signature, in place of an older one with the same digest. */
    void replace(int number, Lookup lookup) {
        int recordId = recordId(number);
        records(number).copyDigest(recordId, lookup.digest);
        hash(lookup, null);
        locateDigest(lookup);
        int older = numberOf(lookup);
        if (older != NONE) {
            remove(older, lookup);
        }
        if (isSimilar(number)) {
            signatures.get(recordId, lookup.fingerprints);
            hashPairs(lookup);
        }
        publish(number, lookup);
    }

    /** Returns the table of digests or of pairs. */
    PostingTable table(boolean ofPairs) {
        return ofPairs ? postings : digests;
    }

    /** Puts the entry of a digest into a pool for the table of digests. */
    void putDigest(Lookup lookup, int number, EntryPool.Lane lane) {
        long entry = digests.entry(lookup.hashes[Lookup.DIGEST], number);
        lane.put(PostingTable.part(entry), entry);
    }

    /** Puts the entries of a signature into a pool for the table of pairs. */
    void putPairs(Lookup lookup, int recordId, EntryPool.Lane lane) {
        for (int pair = 0; pair < Fingerprints.PAIRS; pair++) {
            if (Fingerprints.isWhole(lookup.fingerprints[pair])) {
                long entry = postings.entry(lookup.hashes[Lookup.PAIRS + pair], recordId);
                lane.put(PostingTable.part(entry), entry);
            }
        }
    }

    // ---- writing, after a lookup has hashed digest and signature ----

    /**
     * Adds a hash.
     *
     * @param signature that of the lookup
     * @param revision number of the update that adds it
     */
    void add(Lookup lookup, List<FlagValue> flags, long renewed, @Nullable Signature signature, long revision) {
        RecordTable records = records(lookup.hasShingles);
        int recordId = records.add(lookup.digest, flags, renewed);
        if (lookup.hasShingles) {
            signatures.set(recordId, lookup.fingerprints);
            signatures.setSides(recordId, signature == null ? null : signature.sides());
        }
        publish(number(lookup.hasShingles, recordId), lookup);
        sink.put(recordId, lookup.digest, signature, revision);
    }

    /** Makes a record findable that has its digest and signature. */
    void publish(int number, Lookup lookup) {
        digests.add(lookup.hashes[Lookup.DIGEST], number);
        if (isSimilar(number)) {
            post(recordId(number), lookup);
        }
    }

    /**
     * Replaces the signature of a hash with that of the lookup. The hash gets a new id, so that the contents of a
     * checkpoint under the old id stay unchanged.
     */
    void sign(int number, Lookup lookup, Signature signature, long revision) {
        int recordId = recordId(number);
        List<FlagValue> flags = records(number).flags(recordId);
        long renewed = records(number).renewed(recordId);
        remove(number, lookup);
        add(lookup, flags, renewed, signature, revision);
    }

    /** Removes a hash whose digest is that of the lookup. */
    void remove(int number, Lookup lookup) {
        int recordId = recordId(number);
        if (isSimilar(number)) {
            unpost(recordId);
        }
        digests.remove(lookup.hashes[Lookup.DIGEST], number);
        records(number).remove(recordId);
    }

    private void post(int recordId, Lookup lookup) {
        for (int pair = 0; pair < Fingerprints.PAIRS; pair++) {
            if (Fingerprints.isWhole(lookup.fingerprints[pair])) {
                long hash = lookup.hashes[Lookup.PAIRS + pair];
                postings.addBounded(hash, recordId, PostingTable.choice(hash, recordId));
            }
        }
    }

    private void unpost(int recordId) {
        signatures.get(recordId, old);
        for (int pair = 0; pair < Fingerprints.PAIRS; pair++) {
            oldHashes[pair] = hash(pair, old);
        }
        // The processor fetches the buckets at the same time, which is most of the time of a removal.
        postings.locate(oldHashes, oldProbes, 0, Fingerprints.PAIRS);
        touched += oldProbes.touch(0, Fingerprints.PAIRS);
        for (int pair = 0; pair < Fingerprints.PAIRS; pair++) {
            if (Fingerprints.isWhole(old[pair])) {
                postings.remove(oldHashes[pair], recordId);
            }
        }
    }
}
