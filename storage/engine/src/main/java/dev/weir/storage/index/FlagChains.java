package dev.weir.storage.index;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.FlagValue;

/** Linked lists of flags with value and time, for hashes that have several or unusual flags. A node has 24 bytes. */
final class FlagChains {
    private static final int BYTES = 24;
    private static final int VALUE = 0;
    private static final int FLAG = 8;
    private static final int TIME = 12;
    private static final int NEXT = 16;
    private static final int NONE = 0;

    /** Bytes of a flag in a copied chain: value, flag, time. */
    static final int COPIED_BYTES = 16;

    private final ChunkedArray array;
    private int bound = NONE + 1;
    private int free = NONE;

    FlagChains(OffHeapArena memory) {
        this.array = new ChunkedArray(memory, BYTES);
    }

    /**
     * Reserves the nodes that some updates may need. Needs no lock.
     *
     * @throws IndexFullException if there is no room
     */
    void reserve(long updates) {
        // One new flag, and the flag that was in the record itself.
        long last = bound + RecordTable.MAX_FLAGS + 2 * updates;
        if (last >= Integer.MAX_VALUE) {
            throw new IndexFullException("the memory index is full: it has " + bound + " flag nodes");
        }
        array.reserve(last);
    }

    /** Adds a chain and returns its first node. */
    int add(List<FlagValue> flags) {
        int next = NONE;
        for (FlagValue flag : flags.reversed()) {
            int node = take();
            long at = array.address(node);
            OffHeapArena.putLong(at + VALUE, flag.value());
            OffHeapArena.putInt(at + FLAG, flag.flag());
            OffHeapArena.putInt(at + TIME, RecordTable.seconds(flag.time()));
            OffHeapArena.putInt(at + NEXT, next);
            next = node;
        }
        return next;
    }

    /**
     * Copies a chain, of which a reader that the writer disturbs may see anything.
     *
     * @return number of flags
     */
    int copy(int first, ByteBuffer target) {
        int count = 0;
        for (int node = first; node != NONE && count < RecordTable.MAX_FLAGS; count++) {
            long at = array.address(node);
            target.putLong(OffHeapArena.getLong(at + VALUE)).putInt(OffHeapArena.getInt(at + FLAG))
                    .putInt(OffHeapArena.getInt(at + TIME));
            node = OffHeapArena.getInt(at + NEXT);
        }
        return count;
    }

    /**
     * Adds a chain that {@link #copy} copied.
     *
     * @throws IllegalArgumentException if the source is too short, or the count is nothing that copy returns
     */
    int add(ByteBuffer source, int count) {
        copiedBytes(count, source.remaining());
        return add(copied(source, count));
    }

    /**
     * Returns the bytes of a copied chain.
     *
     * @throws IllegalArgumentException if there are fewer, or the count is nothing that copy returns
     */
    static int copiedBytes(int count, int remaining) {
        if (count < 1 || count > RecordTable.MAX_FLAGS || remaining < count * COPIED_BYTES) {
            throw new IllegalArgumentException("a chain of " + count + " flags");
        }
        return count * COPIED_BYTES;
    }

    /** Returns the flags of a copied chain, which begins at the position. */
    static List<FlagValue> copied(ByteBuffer source, int count) {
        List<FlagValue> flags = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long value = source.getLong();
            flags.add(new FlagValue(source.getInt(), value, source.getInt() & 0xffffffffL));
        }
        return flags;
    }

    private int take() {
        if (free == NONE) {
            return bound++;
        }
        int node = free;
        free = OffHeapArena.getInt(array.address(node) + NEXT);
        return node;
    }

    void remove(int first) {
        int last = first;
        for (int next = first; next != NONE; next = OffHeapArena.getInt(array.address(next) + NEXT)) {
            last = next;
        }
        OffHeapArena.putInt(array.address(last) + NEXT, free);
        free = first;
    }

    List<FlagValue> list(int first) {
        List<FlagValue> flags = new ArrayList<>();
        for (int node = first; node != NONE; node = OffHeapArena.getInt(array.address(node) + NEXT)) {
            long at = array.address(node);
            flags.add(new FlagValue(OffHeapArena.getInt(at + FLAG), OffHeapArena.getLong(at + VALUE), time(at)));
        }
        return flags;
    }

    private static long time(long node) {
        return OffHeapArena.getInt(node + TIME) & 0xffffffffL;
    }

    /** Adds the flags of a chain that changed or were renewed at {@code oldest} or later. */
    void read(int first, long oldest, long renewed, IndexMatch target) {
        int node = first;
        for (int i = 0; i < RecordTable.MAX_FLAGS && node != NONE; i++) {
            long at = array.address(node);
            long time = time(at);
            if (Math.max(time, renewed) >= oldest) {
                target.add(OffHeapArena.getInt(at + FLAG), OffHeapArena.getLong(at + VALUE), time);
                if (i == 0) {
                    target.primaryFirst();
                }
            }
            node = OffHeapArena.getInt(at + NEXT);
        }
    }
}
