package dev.weir.storage.index;

import dev.weir.model.Signature;

/** The signature of a stored hash, as the index keeps it: a fingerprint of each known slot. */
public final class StoredSignature {
    private final long[] fingerprints;

    StoredSignature(long[] fingerprints) {
        this.fingerprints = fingerprints.clone();
    }

    /** Returns the slots in which both are known and equal: bit i for slot i. */
    public int slotsEqualTo(StoredSignature other) {
        int equal = 0;
        for (int i = 0; i < Fingerprints.PAIRS; i++) {
            long mine = fingerprints[i];
            long difference = mine ^ other.fingerprints[i];
            equal |= (int) mine != 0 && (int) difference == 0 ? 1 << (2 * i) : 0;
            equal |= mine >>> Integer.SIZE != 0 && difference >>> Integer.SIZE == 0 ? 1 << (2 * i + 1) : 0;
        }
        return equal;
    }

    /** Returns the number of equal slots, 0 to {@value Signature#SLOTS}. */
    public int equalSlots(StoredSignature other) {
        return Integer.bitCount(slotsEqualTo(other));
    }
}
