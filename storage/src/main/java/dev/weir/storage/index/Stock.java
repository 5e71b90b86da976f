package dev.weir.storage.index;

import java.io.IOException;
import java.util.List;

import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/**
 * All that an index holds, and how its parts hang together; {@link HashIndex} sees to it that readers never use what is
 * half written.
 *
 * <p>A hash is a row, either among the plain ones or among those with a signature. Its number says which: twice the id
 * of the row, plus 1 with a signature. Signatures lie under the id of their row, and so do the postings.
 */
final class Stock {
    /** No hash. */
    static final int NONE = Rows.NONE;

    /** The first number that a hash can have. */
    static final int FIRST = 2 * (Rows.NONE + 1);

    /** Numbers are up to twice the ids, of which there are up to 14 in a line. */
    private static final int DIGEST_SLACK = 6;
    private static final int POSTING_SLACK = 1;

    private final OffHeap memory = new OffHeap();
    private final Fingerprints fingerprints;
    private final VoteNodes nodes;
    private final Rows plain;
    private final Rows similar;
    private final Signatures signatures;
    private final ListTable digests;
    private final ListTable postings;

    /** The signature that goes. Only for the writer. */
    private final long[] old = new long[Fingerprints.PAIRS];

    /**
     * An empty stock.
     *
     * @param smaller 2 to the power of this is by how much everything that has a bound is less: 0, but in tests of the bounds
     */
    Stock(KeyedHash keyed, long expectedDigests, long expectedSignatures, int smaller) {
        this.fingerprints = new Fingerprints(keyed);
        this.nodes = new VoteNodes(memory);
        this.plain = new Rows(memory, nodes);
        this.similar = new Rows(memory, nodes);
        this.signatures = new Signatures(memory);
        this.digests = new ListTable(memory, expectedDigests, 1, DIGEST_SLACK, smaller);
        this.postings = new ListTable(memory, expectedSignatures, Fingerprints.PAIRS, POSTING_SLACK,
                smaller);
    }

    Rows rows(int number) {
        return (number & 1) == 0 ? plain : similar;
    }

    static int row(int number) {
        return number >>> 1;
    }

    static boolean isSimilar(int number) {
        return (number & 1) != 0;
    }

    /** The rows with a signature. */
    Rows similar() {
        return similar;
    }

    Signatures signatures() {
        return signatures;
    }

    /** Numbers in use are below this. */
    int bound() {
        return 2 * Math.max(plain.bound(), similar.bound());
    }

    long size() {
        return (long) plain.size() + similar.size();
    }

    long displaced() {
        return postings.displaced();
    }

    // ---- snapshots ----

    /** Bytes that {@link #save} writes, but for some numbers. */
    long bytes() {
        return nodes.bytes() + plain.bytes() + similar.bytes() + signatures.bytes(similar.bound()) + digests.bytes()
                + postings.bytes();
    }

    void save(SnapshotWriter out) throws IOException {
        nodes.save(out);
        plain.save(out);
        similar.save(out);
        signatures.save(out, similar.bound());
        digests.save(out);
        postings.save(out);
    }

    /** Fills an empty stock. */
    void restore(SnapshotReader in) throws IOException {
        nodes.restore(in);
        plain.restore(in);
        similar.restore(in);
        signatures.restore(in, similar.bound());
        digests.restore(in);
        postings.restore(in);
    }

    // ---- looking up ----

    /** What can be known of a digest before looking at anything. */
    void hashDigest(Lookup lookup) {
        lookup.hashes[Lookup.DIGEST] = fingerprints.ofDigest(lookup.digest, digests.hashBits());
    }

    /** What can be known of shingles before looking at anything. */
    void hashShingles(Lookup lookup) {
        fingerprints.ofAll(lookup.shingles, lookup.fingerprints);
        hashPairs(lookup);
    }

    /** What can be known of a digest and a signature, which may not be whole. */
    void hash(Lookup lookup, @Nullable Signature signature) {
        hashDigest(lookup);
        lookup.hasShingles = signature != null;
        if (signature != null) {
            fingerprints.ofKnown(signature, lookup.fingerprints);
            hashPairs(lookup);
        }
    }

    private void hashPairs(Lookup lookup) {
        for (int pair = 0; pair < Fingerprints.PAIRS; pair++) {
            lookup.hashes[Lookup.PAIRS + pair] = hash(pair, lookup.fingerprints);
        }
    }

    private long hash(int pair, long[] words) {
        return fingerprints.ofPair(pair, words[pair], postings.hashBits());
    }

    /** Finds out where the digest will be looked for. */
    void locateDigest(Lookup lookup) {
        digests.locate(lookup.hashes, lookup.places, Lookup.DIGEST, Lookup.PAIRS);
    }

    /** Finds out where near duplicates will be looked for. */
    void locatePairs(Lookup lookup) {
        postings.locate(lookup.hashes, lookup.places, Lookup.PAIRS, Lookup.PAIRS + Fingerprints.PAIRS);
    }

    /** Reads what adding the signature may write to beside the lines, so that it comes nearer. */
    void touchChains(Lookup lookup) {
        lookup.touched += postings.touchChains(lookup.places, Lookup.PAIRS, Lookup.PAIRS + Fingerprints.PAIRS);
    }

    /** The number of the hash with the digest, or {@link #NONE}. */
    int numberOf(Lookup lookup) {
        int count = digests.collect(lookup.places, Lookup.DIGEST, lookup.found, 0);
        for (int i = 0; i < count; i++) {
            int number = lookup.found[i];
            if (rows(number).isDigest(row(number), lookup.digest)) {
                return number;
            }
        }
        return NONE;
    }

    /** Which of the places of pairs may have rows: bit i for place i. */
    int scan(Lookup lookup) {
        return postings.scan(lookup.places, Lookup.PAIRS, Lookup.PAIRS + Fingerprints.PAIRS);
    }

    /**
     * Collects the rows whose signature has a pair in common.
     *
     * @param place of the pair
     * @param count of those that are in {@link Lookup#found} already
     * @return how many are there then
     */
    int collect(Lookup lookup, int place, int count) {
        return postings.collect(lookup.places, place, lookup.found, count);
    }

    // ---- growing ----

    /**
     * Takes the memory that some updates may need, and some of that for growing; needs no lock.
     *
     * @throws IndexFullException if there is no more room
     */
    void prepare(int updates) {
        int number = lastNumber(updates);
        int row = similar.lastId(updates);
        digests.prepare(updates, number);
        postings.prepare(updates, row);
        nodes.reserve(updates);
        plain.reserve(updates);
        similar.reserve(updates);
        signatures.reserve(row);
    }

    /** Whether {@link #grow} has something to do. */
    boolean isGrowing(int updates) {
        return digests.isGrowing(lastNumber(updates)) || postings.isGrowing(similar.lastId(updates));
    }

    /** A few steps of growing. */
    void grow(int updates) {
        digests.advance(lastNumber(updates));
        postings.advance(similar.lastId(updates));
    }

    /** Whether so many hashes can be added; if not, go on growing. */
    boolean hasRoom(int updates) {
        return digests.fits(lastNumber(updates)) && postings.fits(similar.lastId(updates));
    }

    private int lastNumber(int updates) {
        long row = Math.max(plain.lastId(updates), similar.lastId(updates));
        return (int) Math.min(2 * row + 1, Integer.MAX_VALUE);
    }

    // ---- writing, after a lookup has hashed digest and signature ----

    /** Adds a hash. */
    void add(Lookup lookup, List<FlagValue> flags, long renewed) {
        Rows rows = lookup.hasShingles ? similar : plain;
        int row = rows.add(lookup.digest, flags, renewed);
        digests.add(lookup.hashes[Lookup.DIGEST], 2 * row + (lookup.hasShingles ? 1 : 0));
        if (lookup.hasShingles) {
            signatures.set(row, lookup.fingerprints);
            post(row, lookup);
        }
    }

    /** Gives a hash the signature of the lookup, in place of what it has. */
    void sign(int number, Lookup lookup) {
        int row = row(number);
        if (isSimilar(number)) {
            unpost(row);
            signatures.set(row, lookup.fingerprints);
            post(row, lookup);
        } else {
            List<FlagValue> flags = plain.flags(row);
            long renewed = plain.renewed(row);
            remove(number, lookup);
            add(lookup, flags, renewed);
        }
    }

    /** Removes a hash whose digest is that of the lookup. */
    void remove(int number, Lookup lookup) {
        int row = row(number);
        if (isSimilar(number)) {
            unpost(row);
        }
        digests.remove(lookup.hashes[Lookup.DIGEST], number);
        rows(number).remove(row);
    }

    private void post(int row, Lookup lookup) {
        for (int pair = 0; pair < Fingerprints.PAIRS; pair++) {
            if (Fingerprints.isWhole(lookup.fingerprints[pair])) {
                long hash = lookup.hashes[Lookup.PAIRS + pair];
                // Another choice in each list, and one that the writer of the hash cannot foresee.
                int choice = (int) hash ^ ((row + pair * 0x632be5ab) * 0x9e3779b9);
                postings.addBounded(hash, row, choice >>> 8);
            }
        }
    }

    private void unpost(int row) {
        signatures.get(row, old);
        for (int pair = 0; pair < Fingerprints.PAIRS; pair++) {
            if (Fingerprints.isWhole(old[pair])) {
                postings.remove(hash(pair, old), row);
            }
        }
    }
}
