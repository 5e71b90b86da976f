package dev.weir.storage.sampling;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A ring of entries from one receiving thread to one reading thread. Putting an entry neither allocates nor locks, and
 * never waits: if the reader falls behind, entries are counted as dropped.
 *
 * <p>Above a rate, the ring samples: it takes one of 2<sup>k</sup> entries, chosen at random, with the weight
 * 2<sup>k</sup>, so that sums of weights stay unbiased. The reader adapts k, so the ring costs the same at any rate.
 *
 * <p>The writer looks at the place of the reader only when the ring seems full, and the reader tells it only now and
 * then: each such word that passes from one processor to the other costs a tenth of a microsecond.
 */
public final class SampledRing {
    private static final int TOLD = 64;
    private static final int GOLDEN = 0x9e3779b9;
    private static final VarHandle WRITTEN;
    private static final VarHandle READ;
    private static final VarHandle DROPPED;
    private static final VarHandle LEFT_OUT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WRITTEN = lookup.findVarHandle(SampledRing.class, "written", long.class);
            READ = lookup.findVarHandle(SampledRing.class, "read", long.class);
            DROPPED = lookup.findVarHandle(SampledRing.class, "dropped", long.class);
            LEFT_OUT = lookup.findVarHandle(SampledRing.class, "leftOut", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int places;
    private final int mostChosen;
    private final int entry;
    private final long[] words;
    private long written;
    private long read;
    private volatile int mask;

    /** Counts the readings, so that the writer can tell them apart. */
    private volatile int readings;

    /** What the writer knows of {@link #read}, and its own state. */
    private long seen;
    private int random = GOLDEN;
    private long dropped;
    private long leftOut;

    /** What the reader knows of {@link #dropped}. */
    private long droppedBefore;

    /**
     * Creates an empty ring.
     *
     * @param places the number of entries that fit; a power of two
     * @param words the number of words of an entry
     * @param mostChosen how many entries of a reading are taken by chance, about, once the ring samples
     */
    public SampledRing(int places, int words, int mostChosen) {
        this.places = places;
        this.mostChosen = mostChosen;
        // One more has the weight.
        this.entry = words + 1;
        this.words = new long[places * entry];
    }

    /** Returns the bytes of a ring. */
    public static int bytes(int places, int words) {
        return places * (words + 1) * Long.BYTES;
    }

    /** A receiver of entries. */
    @FunctionalInterface
    public interface Target {
        /**
         * Takes an entry.
         *
         * @param source holds the words of the entry from {@code at} on; valid during the call
         * @param weight the number of entries that this one stands for
         */
        void take(long[] source, int at, int weight);
    }

    /** Returns whether entries are left out now. */
    public boolean samples() {
        return mask != 0;
    }

    /** Returns the number of readings so far; it may overflow. */
    public int readings() {
        return readings;
    }

    /** Returns the words in which entries are written. */
    public long[] words() {
        return words;
    }

    /**
     * Returns where the next entry is written, for {@link #publish} afterwards. For the writing thread.
     *
     * @param whole whether it is taken even if the ring samples
     * @return below 0 if it is left out or dropped
     */
    public int claim(boolean whole) {
        int chosen = mask;
        int weight = 1;
        if (chosen != 0 && !whole) {
            // Marsaglia's xorshift: a sequence that no regular pattern of requests follows.
            random ^= random << 13;
            random ^= random >>> 17;
            random ^= random << 5;
            if ((random & chosen) != 0) {
                LEFT_OUT.setOpaque(this, leftOut + 1);
                return -1;
            }
            weight = chosen + 1;
        }
        if (written - seen >= places) {
            seen = (long) READ.getAcquire(this);
            if (written - seen >= places) {
                DROPPED.setOpaque(this, dropped + 1);
                return -1;
            }
        }
        int at = at(written);
        words[at + entry - 1] = weight;
        return at;
    }

    private int at(long place) {
        return (int) (place & (places - 1)) * entry;
    }

    /** Passes the claimed entry to the reader. */
    public void publish() {
        WRITTEN.setRelease(this, written + 1);
    }

    /** Passes all entries to a target, and adapts the share of those that are taken. For the reading thread. */
    public void drain(Target target) {
        long end = (long) WRITTEN.getAcquire(this);
        long place = read;
        long all = 0;
        int chosen = 0;
        long byChance = 0;
        try {
            while (place < end) {
                if (place % TOLD == 0) {
                    // The writer may use the places again before the end, so that a long reading makes it drop less.
                    READ.setRelease(this, place);
                }
                int at = at(place++);
                int weight = (int) words[at + entry - 1];
                all += weight;
                chosen += weight > 1 ? 1 : 0;
                byChance += weight > 1 ? weight : 0;
                target.take(words, at, weight);
            }
        } finally {
            // What a target failed at does not come again.
            READ.setRelease(this, place);
        }
        // Only this thread writes it.
        int next = readings + 1;
        readings = next;
        adapt(all, chosen, byChance);
    }

    /**
     * Adapts the share of the entries that are taken.
     *
     * @param all the entries that the last reading stands for
     * @param chosen the entries that it took by chance
     * @param byChance the entries that these stand for
     */
    private void adapt(long all, int chosen, long byChance) {
        long lost = dropped() - droppedBefore;
        droppedBefore += lost;
        if (mask == 0) {
            if (all > places / 2) {
                mask = maskFor(all + lost);
            }
        } else if (all < places / 4) {
            mask = 0;
        } else if (chosen > mostChosen || chosen < mostChosen / 4) {
            mask = maskFor(byChance + lost);
        }
    }

    /** Returns the mask that takes at most half of what may be taken by chance, so that the number may still grow. */
    private int maskFor(long count) {
        int next = 0;
        while (count / (next + 1) > mostChosen / 2 && next < Integer.MAX_VALUE >>> 1) {
            next = (next << 1) | 1;
        }
        return next;
    }

    /** Returns one of how many entries is taken now. */
    public long sampling() {
        return mask + 1L;
    }

    /** Returns how many entries found the ring full. */
    public long dropped() {
        return (long) DROPPED.getOpaque(this);
    }

    /** Returns how many entries were left out because the ring samples. */
    public long leftOut() {
        return (long) LEFT_OUT.getOpaque(this);
    }
}
