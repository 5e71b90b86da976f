package dev.weir.storage.hits;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The rings of all receiving threads, and the table into which they are emptied. */
public final class HitSampler {
    private final List<HitRing> rings = new CopyOnWriteArrayList<>();
    private final HitTable table = new HitTable();

    /** Creates a sampler without rings. */
    public HitSampler() {}

    /** Returns a new ring for one thread that answers checks. */
    public HitRing newRing() {
        HitRing ring = new HitRing();
        rings.add(ring);
        return ring;
    }

    /** Empties the rings into the table. One thread calls this about once a second. */
    public void collect(long nowMillis) {
        long minute = nowMillis / HitTable.MINUTE_MILLIS;
        for (HitRing ring : rings) {
            ring.drain((source, at, weight) -> table.add(source, at, weight, minute, nowMillis));
        }
    }

    /** Returns the counts of the most frequent hashes. */
    public HitTable table() {
        return table;
    }
}
