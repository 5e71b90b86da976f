package dev.weir.storage.index;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/**
 * The construction of an index from a checkpoint. One thread first gives each page of records, then the digest and the
 * signature of each live record, then calls {@link #finish}. Nothing else may use the index before.
 *
 * <p>A random insertion waits for memory 17 times. So the entries of many hashes are sorted roughly by bucket before
 * they go to the tables. Consecutive insertions then share cache lines.
 */
public final class IndexLoader {
    /** Hashes whose entries are sorted together. */
    private static final int BATCH = 1 << 18;

    /**
     * The bits of the hash by which entries are sorted. With ten million hashes, such a part of the table fits into a
     * cache.
     */
    private static final int SORTED_BITS = 12;

    private final HashIndex index;
    private final IndexTables tables;
    private final HashIndex.Cut cut;
    private final CopiedRevisions copied;
    private final Lookup lookup = new Lookup();
    private final Entries digests;
    private final Entries pairs;
    private final List<Late> late = new ArrayList<>();
    private final List<Integer> leftOut = new ArrayList<>();

    /** A hash that got its id after the checkpoint began. The checkpoint may also contain an older record of it. */
    private record Late(int number, long revision) {}

    /**
     * Begins with an empty index.
     *
     * @param pageRecords records in a page
     * @throws IndexFullException if there is no memory for so many records
     */
    public IndexLoader(HashIndex index, HashIndex.Cut cut, int pageRecords) {
        this.index = index;
        this.tables = index.tables();
        this.cut = cut;
        this.copied = new CopiedRevisions(pageRecords, cut.plainBound(), cut.signedBound());
        tables.expand(cut.plainBound(), cut.signedBound());
        index.makeRoom(0);
        int signed = Math.min(BATCH, cut.signedBound());
        this.digests = new Entries(false, Math.min(BATCH, Math.max(cut.plainBound(), cut.signedBound())));
        this.pairs = new Entries(true, signed * Fingerprints.PAIRS);
    }

    /** Entries that wait for their table. */
    private final class Entries {
        private final boolean ofPairs;
        private final int shift;
        private final int[] ends = new int[(1 << SORTED_BITS) + 1];
        private final long[] sorted;
        private final long[] waiting;
        private int count;

        Entries(boolean ofPairs, int most) {
            this.ofPairs = ofPairs;
            this.shift = Integer.SIZE + Math.max(0, tables.hashBits(ofPairs) - SORTED_BITS);
            this.waiting = new long[most];
            this.sorted = new long[most];
        }

        boolean hasRoom(int more) {
            return waiting.length - count >= more;
        }

        void flush() {
            Arrays.fill(ends, 0);
            for (int i = 0; i < count; i++) {
                ends[(int) (waiting[i] >>> shift) + 1]++;
            }
            for (int i = 1; i < ends.length; i++) {
                ends[i] += ends[i - 1];
            }
            for (int i = 0; i < count; i++) {
                sorted[ends[(int) (waiting[i] >>> shift)]++] = waiting[i];
            }
            tables.addEntries(ofPairs, sorted, count);
            count = 0;
        }
    }

    /**
     * Takes a page of records.
     *
     * @param content what {@link HashIndex#copyPage} copied
     * @param last the last update in it
     * @throws IllegalArgumentException if the content is nothing that was copied
     * @throws IndexFullException if there is no memory for its flags
     */
    public void page(boolean signed, int first, int count, ByteBuffer content, long last) {
        try {
            tables.fillPage(signed, first, count, content);
            copied.set(signed, first, last);
        } finally {
            Reference.reachabilityFence(index);
        }
    }

    /** Returns whether a record has a hash, whose digest is to be given. */
    public boolean isLive(boolean signed, int id) {
        try {
            return !tables.records(signed).isFree(id);
        } finally {
            Reference.reachabilityFence(index);
        }
    }

    /** Returns the flags of a live record, the primary one first. */
    public List<FlagValue> flags(boolean signed, int id) {
        try {
            return tables.records(signed).flags(id);
        } finally {
            Reference.reachabilityFence(index);
        }
    }

    /**
     * Takes the digest and the signature of a live record, whose page is there.
     *
     * @param digest eight words
     * @param signature its side hashes are ignored: the page has them
     * @param revision number of the update that gave the hash this id
     */
    public void add(int id, long[] digest, @Nullable Signature signature, long revision) {
        try {
            boolean signed = signature != null;
            int number = IndexTables.number(signed, id);
            System.arraycopy(digest, 0, lookup.digest, 0, digest.length);
            tables.hash(lookup, signature);
            tables.records(signed).name(id, digest);
            if (signature != null) {
                tables.signatures().set(id, lookup.fingerprints);
            }
            if (revision > cut.revision()) {
                late.add(new Late(number, revision));
                return;
            }
            if (!digests.hasRoom(1)) {
                digests.flush();
            }
            digests.waiting[digests.count++] = tables.digestEntry(lookup, number);
            if (signed) {
                if (!pairs.hasRoom(Fingerprints.PAIRS)) {
                    pairs.flush();
                }
                pairs.count = tables.pairEntries(lookup, id, pairs.waiting, pairs.count);
            }
        } finally {
            Reference.reachabilityFence(index);
        }
    }

    /** Leaves out a live record whose digest is lost. Its id stays unused until the next checkpoint. */
    public void leaveOut(boolean signed, int id) {
        leftOut.add(IndexTables.number(signed, id));
    }

    /** Completes the index. The next update that is applied to it must be the one after the cut. */
    public void finish() {
        try {
            digests.flush();
            pairs.flush();
            // What follows frees ids that the checkpoint names. These must wait for the next one.
            index.cut();
            for (int number : leftOut) {
                tables.records(number).remove(IndexTables.recordId(number));
            }
            late.sort(Comparator.comparingLong(Late::revision));
            for (Late one : late) {
                index.makeRoom(1);
                tables.replace(one.number(), lookup);
            }
            index.loaded(copied, cut.revision());
        } finally {
            Reference.reachabilityFence(index);
        }
    }
}
