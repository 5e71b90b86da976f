package dev.weir.storage.index;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.FlagValue;

/** Chains of flags with their values and times, for the hashes that have several or unusual ones. 24 bytes a flag. */
final class VoteNodes {
    private static final int BYTES = 24;
    private static final int VALUE = 0;
    private static final int FLAG = 8;
    private static final int TIME = 12;
    private static final int NEXT = 16;
    private static final int NONE = 0;

    private final Region region;
    private int bound = NONE + 1;
    private int free = NONE;

    VoteNodes(OffHeap memory) {
        this.region = new Region(memory, BYTES);
    }

    /**
     * Makes room for what some updates can need; needs no lock.
     *
     * @throws IndexFullException if there is none
     */
    void reserve(long updates) {
        // One flag more than before, and another one that was in the row.
        long last = bound + Rows.MAX_FLAGS + 2 * updates;
        if (last >= Integer.MAX_VALUE) {
            throw new IndexFullException("the memory index is full: it has " + bound + " further flags");
        }
        region.reserve(last);
    }

    long bytes() {
        return region.bytes(bound);
    }

    void save(SnapshotWriter out) throws IOException {
        out.number(bound);
        out.number(free);
        region.save(out, bound);
    }

    void restore(SnapshotReader in) throws IOException {
        bound = (int) in.number(NONE + 1, Integer.MAX_VALUE);
        free = (int) in.number(NONE, bound - 1);
        region.restore(in, bound);
    }

    /** Adds a chain and gives its first node. */
    int add(List<FlagValue> flags) {
        int next = NONE;
        for (FlagValue flag : flags.reversed()) {
            int node = take();
            long at = region.address(node);
            OffHeap.putLong(at + VALUE, flag.value());
            OffHeap.putInt(at + FLAG, flag.flag());
            OffHeap.putInt(at + TIME, Rows.seconds(flag.time()));
            OffHeap.putInt(at + NEXT, next);
            next = node;
        }
        return next;
    }

    private int take() {
        if (free == NONE) {
            return bound++;
        }
        int node = free;
        free = OffHeap.getInt(region.address(node) + NEXT);
        return node;
    }

    void remove(int first) {
        int last = first;
        for (int next = first; next != NONE; next = OffHeap.getInt(region.address(next) + NEXT)) {
            last = next;
        }
        OffHeap.putInt(region.address(last) + NEXT, free);
        free = first;
    }

    List<FlagValue> list(int first) {
        List<FlagValue> flags = new ArrayList<>();
        for (int node = first; node != NONE; node = OffHeap.getInt(region.address(node) + NEXT)) {
            long at = region.address(node);
            flags.add(new FlagValue(OffHeap.getInt(at + FLAG), OffHeap.getLong(at + VALUE), time(at)));
        }
        return flags;
    }

    private static long time(long node) {
        return OffHeap.getInt(node + TIME) & 0xffffffffL;
    }

    /** Adds those flags of a chain to {@code target} that changed or were renewed at {@code oldest} or later. */
    void read(int first, long oldest, long renewed, Match target) {
        int node = first;
        for (int i = 0; i < Rows.MAX_FLAGS && node != NONE; i++) {
            long at = region.address(node);
            long time = time(at);
            if (Math.max(time, renewed) >= oldest) {
                target.add(OffHeap.getInt(at + FLAG), OffHeap.getLong(at + VALUE), time);
                if (i == 0) {
                    target.primaryFirst();
                }
            }
            node = OffHeap.getInt(at + NEXT);
        }
    }
}
