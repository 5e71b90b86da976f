package dev.weir.storage.index;

import java.io.IOException;

import dev.weir.model.Signature;

/**
 * The table of signatures as {@link Fingerprints}, 128 bytes each, indexed by the id of their record. An unknown slot
 * is 0 and equals no other slot.
 */
final class SignatureTable {
    private static final int BYTES = Signature.SLOTS * Integer.BYTES;

    private final ChunkedArray words;

    SignatureTable(OffHeapArena memory) {
        this.words = new ChunkedArray(memory, BYTES);
    }

    /**
     * Reserves room for the signature of a record and all before it.
     *
     * @throws IndexFullException if there is no memory for them
     */
    void reserve(int id) {
        words.reserve(id);
    }

    /** Returns the bytes of all signatures below an id. */
    long bytes(int bound) {
        return words.bytes(bound);
    }

    void save(SnapshotWriter out, int bound) throws IOException {
        words.save(out, bound);
    }

    void restore(SnapshotReader in, int bound) throws IOException {
        words.restore(in, bound);
    }

    void set(int id, long[] fingerprints) {
        long at = words.address(id);
        for (int i = 0; i < Fingerprints.PAIRS; i++) {
            OffHeapArena.putLong(at + (long) i * Long.BYTES, fingerprints[i]);
        }
    }

    void get(int id, long[] fingerprints) {
        long at = words.address(id);
        for (int i = 0; i < Fingerprints.PAIRS; i++) {
            fingerprints[i] = OffHeapArena.getLong(at + (long) i * Long.BYTES);
        }
    }

    boolean isWhole(int id) {
        long at = words.address(id);
        for (int i = 0; i < Fingerprints.PAIRS; i++) {
            if (!Fingerprints.isWhole(OffHeapArena.getLong(at + (long) i * Long.BYTES))) {
                return false;
            }
        }
        return true;
    }

    /** Returns the known slots of a signature: bit i for slot i. */
    int slots(int id) {
        long at = words.address(id);
        int slots = 0;
        for (int i = 0; i < Signature.SLOTS; i++) {
            slots |= OffHeapArena.getInt(at + (long) i * Integer.BYTES) == 0 ? 0 : 1 << i;
        }
        return slots;
    }

    /** Prefetches a signature. */
    long touch(int id) {
        return OffHeapArena.getLong(words.address(id));
    }

    /** Returns in how many slots the signature equals {@code query}, which has no unknown slot. */
    int equalSlots(int id, long[] query) {
        long at = words.address(id);
        int equal = 0;
        for (int i = 0; i < Fingerprints.PAIRS; i++) {
            long difference = OffHeapArena.getLong(at + (long) i * Long.BYTES) ^ query[i];
            equal += (int) difference == 0 ? 1 : 0;
            equal += difference >>> 32 == 0 ? 1 : 0;
        }
        return equal;
    }
}
