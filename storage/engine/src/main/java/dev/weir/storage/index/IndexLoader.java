package dev.weir.storage.index;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import dev.weir.model.FlagValue;
import org.jspecify.annotations.Nullable;

/**
 * The construction of an index from a checkpoint, in rounds. In each round, one thread gives the pages of some records;
 * then several threads give the digests and signatures of the live ones, each through its own {@link Lane}; then
 * {@link #distribute} adds them to the tables. After the last round, call {@link #finish}. Nothing else may use the
 * index before.
 *
 * <p>A random insertion waits for memory 17 times. So the entries of a round are first divided among parts of the
 * tables that fit into a cache ({@link EntryPool}). Then each thread fills one part after another.
 */
public final class IndexLoader implements AutoCloseable {
    /** Hashes of a round: their entries take 256 MiB. */
    private static final int TOGETHER = 1 << 21;

    private final HashIndex index;
    private final IndexTables tables;
    private final HashIndex.Cut cut;
    private final CopiedRevisions copied;
    private final LoadThreads threads;
    private final Filling digests;
    private final Filling pairs;
    private final List<Lane> lanes = new ArrayList<>();

    /** A hash that got its id after the checkpoint began. The checkpoint may also contain an older record of it. */
    private record Late(int number, long revision) {}

    /**
     * Begins with an empty index.
     *
     * @param pageRecords records in a page
     * @throws IndexFullException if there is no memory for so many records
     */
    public IndexLoader(HashIndex index, HashIndex.Cut cut, int pageRecords, LoadThreads threads) {
        this.index = index;
        this.tables = index.tables();
        this.cut = cut;
        this.threads = threads;
        this.copied = new CopiedRevisions(pageRecords, cut.plainBound(), cut.signedBound());
        tables.expand(cut.plainBound(), cut.signedBound());
        index.makeRoom(0);
        this.digests = new Filling(false, Math.min(TOGETHER, Math.max(cut.plainBound(), cut.signedBound())));
        this.pairs = new Filling(true, (long) Math.min(TOGETHER, cut.signedBound()) * Fingerprints.PAIRS);
        for (int i = 0; i < threads.count(); i++) {
            lanes.add(new Lane(i));
        }
    }

    /** The filling of one table. */
    private final class Filling {
        private final EntryPool pool;
        private final int parts;
        private final List<BucketFiller> fillers = new ArrayList<>();
        private final AtomicInteger next = new AtomicInteger();

        Filling(boolean ofPairs, long most) {
            PostingTable table = tables.table(ofPairs);
            this.parts = table.parts();
            this.pool = new EntryPool(parts, threads.count(), most);
            for (int i = 0; i < threads.count(); i++) {
                fillers.add(table.filler(ofPairs));
            }
        }

        void fill(int thread) {
            for (int part = next.getAndIncrement(); part < parts; part = next.getAndIncrement()) {
                fillers.get(thread).fill(pool, part);
            }
        }

        void next() {
            pool.clear();
            next.set(0);
        }
    }

    /** Returns the most hashes of a round. */
    public static int together() {
        return TOGETHER;
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

    /** Returns the lane of a thread. */
    public Lane lane(int thread) {
        return lanes.get(thread);
    }

    /** What one thread adds. */
    public final class Lane {
        private final Lookup lookup = new Lookup();
        private final EntryPool.Lane ownDigests;
        private final EntryPool.Lane ownPairs;
        private final List<Late> late = new ArrayList<>();
        private final List<Integer> leftOut = new ArrayList<>();

        private Lane(int thread) {
            this.ownDigests = digests.pool.lane(thread);
            this.ownPairs = pairs.pool.lane(thread);
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
         * @param shingles 32 of them, or null without a signature
         * @param mask the known shingles, bit 0 for the first
         * @param revision number of the update that gave the hash this id
         */
        public void add(int id, long[] digest, long @Nullable [] shingles, int mask, long revision) {
            try {
                boolean signed = shingles != null;
                int number = IndexTables.number(signed, id);
                System.arraycopy(digest, 0, lookup.digest, 0, digest.length);
                tables.records(signed).name(id, digest);
                if (shingles == null) {
                    tables.hash(lookup, null);
                } else {
                    tables.hash(lookup, shingles, mask);
                    tables.signatures().set(id, lookup.fingerprints);
                }
                if (revision > cut.revision()) {
                    late.add(new Late(number, revision));
                    return;
                }
                tables.putDigest(lookup, number, ownDigests);
                if (signed) {
                    tables.putPairs(lookup, id, ownPairs);
                }
            } finally {
                Reference.reachabilityFence(index);
            }
        }

        /** Leaves out a live record whose digest is lost. Its id stays unused until the next checkpoint. */
        public void leaveOut(boolean signed, int id) {
            leftOut.add(IndexTables.number(signed, id));
        }
    }

    /**
     * Adds what the lanes have taken to the tables.
     *
     * @throws IndexFullException if there is no memory for it
     */
    public void distribute() {
        try {
            threads.run(thread -> {
                digests.fill(thread);
                pairs.fill(thread);
            });
            digests.next();
            pairs.next();
        } finally {
            Reference.reachabilityFence(index);
        }
    }

    /** Completes the index. The next update that is applied to it must be the one after the cut. */
    public void finish() {
        try {
            Stream.of(digests, pairs).flatMap(filling -> filling.fillers.stream()).forEach(BucketFiller::complete);
            // What follows frees ids that the checkpoint names. These must wait for the next one.
            index.cut();
            lanes.stream().flatMap(lane -> lane.leftOut.stream()).sorted()
                    .forEach(number -> tables.records(number).remove(IndexTables.recordId(number)));
            Lookup lookup = new Lookup();
            lanes.stream().flatMap(lane -> lane.late.stream()).sorted(Comparator.comparingLong(Late::revision))
                    .forEach(one -> {
                        index.makeRoom(1);
                        tables.replace(one.number(), lookup);
                    });
            index.loaded(copied, cut.revision());
        } finally {
            Reference.reachabilityFence(index);
        }
    }

    /** Gives back the memory that only the construction needs. */
    @Override
    public void close() {
        digests.pool.close();
        pairs.pool.close();
    }
}
