package dev.weir.storage.index;

import java.io.IOException;

import dev.weir.model.Signature;

/**
 * The signatures as {@link Fingerprints}, 128 bytes each, under the ids of the rows that they belong to. A slot that is
 * not known is 0 and equals nothing.
 */
final class Signatures {
    private static final int BYTES = Signature.SLOTS * Integer.BYTES;

    private final Region words;

    Signatures(OffHeap memory) {
        this.words = new Region(memory, BYTES);
    }

    /**
     * Makes room for the signature of a row, and all before.
     *
     * @throws IndexFullException if there is no memory for them
     */
    void reserve(int id) {
        words.reserve(id);
    }

    /** Bytes of those below an id. */
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
            OffHeap.putLong(at + (long) i * Long.BYTES, fingerprints[i]);
        }
    }

    void get(int id, long[] fingerprints) {
        long at = words.address(id);
        for (int i = 0; i < Fingerprints.PAIRS; i++) {
            fingerprints[i] = OffHeap.getLong(at + (long) i * Long.BYTES);
        }
    }

    boolean isWhole(int id) {
        long at = words.address(id);
        for (int i = 0; i < Fingerprints.PAIRS; i++) {
            if (!Fingerprints.isWhole(OffHeap.getLong(at + (long) i * Long.BYTES))) {
                return false;
            }
        }
        return true;
    }

    /** Reads from the signature, so that it comes nearer. */
    long touch(int id) {
        return OffHeap.getLong(words.address(id));
    }

    /** In how many slots the signature equals {@code query}, all of whose slots are known. */
    int equalSlots(int id, long[] query) {
        long at = words.address(id);
        int equal = 0;
        for (int i = 0; i < Fingerprints.PAIRS; i++) {
            long difference = OffHeap.getLong(at + (long) i * Long.BYTES) ^ query[i];
            equal += (int) difference == 0 ? 1 : 0;
            equal += difference >>> 32 == 0 ? 1 : 0;
        }
        return equal;
    }
}
