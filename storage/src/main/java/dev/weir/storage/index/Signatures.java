package dev.weir.storage.index;

import java.util.Arrays;

import dev.weir.storage.Signature;

/** Signatures by an id of their own (not every hash has one), in chunks as in {@link Hashes}. */
final class Signatures {
    private static final int SHIFT = 12;
    private static final int CHUNK = 1 << SHIFT;
    private static final int IN_CHUNK = CHUNK - 1;

    private static final class Chunk {
        final long[] values = new long[CHUNK * Signature.SLOTS];
        final int[] masks = new int[CHUNK];
    }

    private final Ids ids = new Ids();
    private volatile Chunk[] chunks = {};

    /** Makes the chunk that the next id needs; needs no lock. */
    void reserve() {
        Chunk[] now = chunks;
        if (ids.peek() >>> SHIFT >= now.length) {
            Chunk[] more = Arrays.copyOf(now, now.length + 1);
            more[now.length] = new Chunk();
            chunks = more;
        }
    }

    int add(Signature signature) {
        int id = ids.take();
        Chunk chunk = chunks[id >>> SHIFT];
        signature.copyTo(chunk.values, (id & IN_CHUNK) * Signature.SLOTS);
        chunk.masks[id & IN_CHUNK] = signature.mask();
        return id;
    }

    void remove(int id) {
        ids.giveBack(id);
    }

    Signature get(int id) {
        Chunk chunk = chunks[id >>> SHIFT];
        return Signature.partial(chunk.values, (id & IN_CHUNK) * Signature.SLOTS, chunk.masks[id & IN_CHUNK]);
    }

    int mask(int id) {
        Chunk[] all = chunks;
        return id >= 0 && id >>> SHIFT < all.length ? all[id >>> SHIFT].masks[id & IN_CHUNK] : 0;
    }

    /** In how many known slots the stored signature has the values of {@code query}. */
    int equalSlots(int id, long[] query) {
        Chunk[] all = chunks;
        if (id < 0 || id >>> SHIFT >= all.length) {
            return 0;
        }
        Chunk chunk = all[id >>> SHIFT];
        int from = (id & IN_CHUNK) * Signature.SLOTS;
        long[] values = chunk.values;
        int equal = 0;
        for (int i = 0; i < Signature.SLOTS; i++) {
            equal |= (values[from + i] == query[i] ? 1 : 0) << i;
        }
        return Integer.bitCount(equal & chunk.masks[id & IN_CHUNK]);
    }
}
