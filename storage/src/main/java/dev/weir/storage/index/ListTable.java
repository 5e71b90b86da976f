package dev.weir.storage.index;

import java.io.IOException;

/**
 * From a hash to the ids that were put under it: {@link Lines} by the order of the hashes (see {@link Mapping}).
 *
 * <p><b>Growing.</b> To grow by an eighth, the lines are moved one by one from the last to the first: from i of B to about
 * i·9/8 of the larger table, which lies behind everything that has not been moved yet. So it happens in place and in
 * steps of a tenth of a microsecond, a few with each id that is added; until all is done, hashes whose old line lies
 * before the frontier are where they were. Nothing is copied as a whole, and no memory becomes free that nothing else
 * could use.
 *
 * <p><b>Small tables</b> spend some megabytes on time. They grow by a half, so that an entry is moved twice in its life and
 * not eight times, which is most of what learning costs; and they grow earlier, so that few lines overflow and a miss
 * looks at nothing but its lines.
 *
 * <p><b>Bounds.</b> Where it is asked for, at most {@value #MAX_POSTINGS} ids stay under one hash, and at most a thousand
 * in one line: one more displaces another one.
 *
 * <p>One writer. Readers may look while it writes; they never leave the memory or loop, and the caller finds out
 * afterwards whether something was written (see {@link HashIndex}).
 */
final class ListTable {
    /** Ids under one hash, where that is bounded. */
    static final int MAX_POSTINGS = 128;

    /** Entries for each line, without those in large blocks, at which a large table begins to grow. */
    private static final double FULL = 13.9;

    /** The same of a small one. */
    private static final double SMALL_FULL = 10;

    /** A large table grows by one in so many. */
    private static final int GROWTH = 8;

    /** A small one by one in so many. */
    private static final int SMALL_GROWTH = 2;

    /** Lines from which on a table is large: 128 MiB. */
    private static final long LARGE = 1L << 21;
    private static final int SMALLEST = 16;

    private final Region region;
    private final Lines lines;
    private final int hashBits;
    private final int idSlack;
    private final int smaller;
    private final int entriesForId;

    /** Up to which line {@link #before} holds; from there on, {@link #now} does. 0 while nothing grows. */
    private long frontier;
    private Mapping before;
    private Mapping now;

    // Only for the writer.
    private final Entries moving = new Entries();
    private long near;
    private long displaced;

    /**
     * An empty table.
     *
     * @param expected ids to make room for at once; a hint
     * @param entriesForId entries that one id has in this table, 1..16
     * @param idSlack there may be up to 2^(idSlack - 1) times more ids than lines; 1..8. Hashes have
     *            {@code 32 - idSlack} bits
     * @param smaller by so many bits ids and hashes are shorter than they could be; 0, but in tests of the bounds
     */
    ListTable(OffHeap memory, long expected, int entriesForId, int idSlack, int smaller) {
        this.region = new Region(memory, Line.BYTES);
        this.lines = new Lines(memory);
        this.hashBits = Integer.SIZE - idSlack - smaller;
        this.smaller = smaller;
        this.idSlack = idSlack;
        this.entriesForId = entriesForId;
        long entries = expected * entriesForId;
        long wanted = Math.max((long) (entries / (FULL - 0.1)),
                Math.min((long) (entries / (SMALL_FULL - 0.1)), LARGE));
        this.now = new Mapping(Math.clamp(wanted, SMALLEST, largest()), hashBits);
        this.before = now;
        region.expect(now.buckets - 1);
    }

    private long largest() {
        // A tag of two bits is left then.
        return 1L << (hashBits - 2);
    }

    /** Bits of the hashes. */
    int hashBits() {
        return hashBits;
    }

    /** How many ids had to give way to others, since the beginning. */
    long displaced() {
        return displaced;
    }

    /** Bytes of the lines and their blocks. */
    long bytes() {
        return region.bytes(now.buckets) + lines.bytes();
    }

    void save(SnapshotWriter out) throws IOException {
        out.number(hashBits);
        out.number(before.buckets);
        out.number(now.buckets);
        out.number(frontier);
        out.number(near);
        out.number(displaced);
        region.save(out, now.buckets);
        lines.save(out);
    }

    /** Fills an empty table. */
    void restore(SnapshotReader in) throws IOException {
        in.number(hashBits, hashBits);
        before = new Mapping(in.number(SMALLEST, largest()), hashBits);
        now = new Mapping(in.number(before.buckets, largest()), hashBits);
        frontier = in.number(0, before.buckets);
        near = in.number(0, Long.MAX_VALUE);
        displaced = in.number(0, Long.MAX_VALUE);
        region.restore(in, now.buckets);
        lines.restore(in);
        if (frontier == 0) {
            before = now;
        }
    }

    private Mapping mapping(long hash) {
        return frontier != 0 && before.bucket(hash) < frontier ? before : now;
    }

    // ---- reading ----

    /**
     * Finds out where the entries of some hashes are, without reading them.
     *
     * @param from the first place and hash
     * @param to behind the last
     */
    void locate(long[] hashes, Places target, int from, int to) {
        Mapping mapping = now;
        Mapping old = before;
        long border = frontier;
        long[] chunks = region.chunks();
        target.commonIdBits = border == 0 || old.idBits() == mapping.idBits() ? mapping.idBits() : 0;
        if (border == 0) {
            for (int i = from; i < to; i++) {
                locate(chunks, mapping, hashes[i], target, i);
            }
        } else {
            for (int i = from; i < to; i++) {
                locate(chunks, old.bucket(hashes[i]) < border ? old : mapping, hashes[i], target, i);
            }
        }
    }

    private void locate(long[] chunks, Mapping mapping, long hash, Places target, int i) {
        target.lines[i] = region.address(chunks, mapping.bucket(hash));
        target.tags[i] = mapping.tag(hash);
        target.idBits[i] = mapping.idBits();
    }

    /**
     * Finds out which of the places that {@link #locate} found last are worth a {@link #collect}.
     *
     * @return bit i for place i
     */
    int scan(Places places, int from, int to) {
        return places.commonIdBits == 0
                ? (1 << to) - (1 << from)
                : Line.scan(places, from, to, places.commonIdBits);
    }

    /** Copies the ids of a place that {@link #locate} found; the rest is as in {@link Lines#collect}. */
    int collect(Places places, int i, int[] target, int count) {
        return lines.collect(places, i, target, count);
    }

    /**
     * Whether no id can have been displaced from what {@link #collect} read.
     *
     * @param count ids that it gave
     * @param blocks blocks that it read beside the line
     */
    static boolean isWhole(int count, int blocks) {
        return count < MAX_POSTINGS && blocks < Lines.MANY_BLOCKS;
    }

    /** Reads from the first blocks of lines that overflow, so that they come nearer. */
    long touchChains(Places places, int from, int to) {
        return lines.touchChains(places, from, to);
    }

    // ---- growing ----

    /** Whether an id fits into the entries; if not, {@link #prepare} and {@link #advance} have to go on until it does. */
    boolean fits(int id) {
        return id >>> (before.idBits() - smaller) == 0 && id >>> (now.idBits() - smaller) == 0;
    }

    /** Whether {@link #advance} has something to do. */
    boolean isGrowing(int id) {
        return frontier != 0 || (wantsToGrow(id) && larger() > now.buckets);
    }

    /**
     * Takes the memory that some updates can need, and of that for growing at most one chunk at a time; needs no lock.
     *
     * @param id the largest one to be added
     * @throws IndexFullException if there is none, or the table is as large as it can get
     */
    void prepare(long updates, int id) {
        lines.reserve(updates, before.idBits());
        if (frontier == 0 && wantsToGrow(id)) {
            if (larger() > now.buckets) {
                growIfNeeded(id);
            } else if (!fits(id)) {
                throw new IndexFullException("the memory index is full: ids in its lists cannot be longer");
            }
        }
    }

    /** As long as ids fit, growing can wait for memory: lists are longer than they should be then, and that is all. */
    private void growIfNeeded(int id) {
        try {
            region.grow(larger() - 1);
        } catch (IndexFullException e) {
            if (!fits(id)) {
                throw e;
            }
        }
    }

    /** Lines that it has. */
    long lines() {
        return now.buckets;
    }

    /** Blocks that the links of lines name. */
    int named() {
        return lines.named();
    }

    private boolean wantsToGrow(int id) {
        return near > now.buckets * full(now.buckets) || id > 0.9 * (now.buckets << (idSlack - 1));
    }

    private long larger() {
        return Math.min(largest(), now.buckets + now.buckets / growth(now.buckets));
    }

    private static double full(long buckets) {
        return buckets < LARGE ? SMALL_FULL : FULL;
    }

    private static int growth(long buckets) {
        return buckets < LARGE ? SMALL_GROWTH : GROWTH;
    }

    /** Lines to move with each id: all must have been moved before the table is full again. */
    private int steps() {
        return 1 + (int) (entriesForId * growth(before.buckets) / (full(before.buckets) * 0.9));
    }

    /** The part of growing that readers must not see half done: a few steps. */
    void advance(int id) {
        if (frontier == 0) {
            if (!wantsToGrow(id) || larger() == now.buckets || region.capacity() < larger()) {
                return;
            }
            before = now;
            now = new Mapping(larger(), hashBits);
            frontier = before.buckets;
        }
        for (int i = steps(); i > 0 && frontier != 0; i--) {
            move(frontier - 1);
        }
        if (frontier == 0) {
            before = now;
        }
    }

    private void move(long bucket) {
        moving.clear();
        lines.drain(region.address(bucket), before.idBits(), moving);
        near -= moving.near;
        frontier = bucket;
        // They go to two or three lines, in no order: so the last two lines are kept in mind, with what is used of them.
        long line = 0;
        int used = 0;
        long otherLine = 0;
        int otherUsed = 0;
        for (int i = 0; i < moving.size; i++) {
            int entry = moving.values[i];
            long hash = before.hash(bucket, entry);
            long target = region.address(now.bucket(hash));
            if (target != line) {
                boolean swap = target == otherLine;
                long wasLine = line;
                int wasUsed = used;
                line = target;
                used = swap ? otherUsed : Line.used(target);
                otherLine = wasLine;
                otherUsed = wasUsed;
            }
            int value = now.tag(hash) | before.id(entry);
            if (used < Line.ENTRIES) {
                Line.append(line, used++, value);
                near++;
            } else if (!lines.add(line, value, now.idBits())) {
                near++;
            }
        }
    }

    // ---- writing ----

    private void append(long hash, int id, Mapping mapping) {
        if (!lines.add(region.address(mapping.bucket(hash)), mapping.tag(hash) | id, mapping.idBits())) {
            near++;
        }
    }

    /** Adds an id; the caller has made room. */
    void add(long hash, int id) {
        append(hash, id, mapping(hash));
    }

    /**
     * Adds an id unless there is no room for it within the bounds, in which case one of those that are there, chosen by
     * {@code choice}, gives its place.
     */
    void addBounded(long hash, int id, int choice) {
        Mapping mapping = mapping(hash);
        long line = region.address(mapping.bucket(hash));
        if (lines.isCrowded(line, mapping.idBits())) {
            int entry = mapping.tag(hash) | id;
            int same = lines.count(line, mapping.tag(hash), mapping.idBits());
            if (same >= MAX_POSTINGS) {
                lines.replace(line, entry, mapping.idBits(), Math.floorMod(choice, same));
                displaced++;
                return;
            }
            if (lines.replaceIfLong(line, entry, mapping.idBits(), choice)) {
                displaced++;
                return;
            }
        }
        append(hash, id, mapping);
    }

    /** Removes an id; one that is not there is left alone. */
    void remove(long hash, int id) {
        Mapping mapping = mapping(hash);
        long line = region.address(mapping.bucket(hash));
        if (lines.remove(line, mapping.tag(hash) | id, mapping.idBits()) == Lines.Removed.NEAR) {
            near--;
        }
    }
}
