package dev.weir.storage.index;

import java.nio.ByteBuffer;

import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/**
 * The table of signatures as {@link Fingerprints}, 128 bytes each, indexed by the id of their record. An unknown slot
 * is 0 and equals no other slot.
 */
final class SignatureTable {
    private static final int BYTES = Signature.SLOTS * Integer.BYTES;

    private static final int SIDES_BYTES = HtmlSides.BYTES;

    /** Bytes of the side hashes of a signature in a copied page: its place in the page, and the hashes. */
    static final int COPIED_BYTES = Integer.BYTES + HtmlSides.BYTES;

    private final ChunkedArray words;

    /** The side hashes, three words each, zeros for none. Memory without any side hashes is never written. */
    private final ChunkedArray sides;

    /** Whether a signature ever had side hashes. */
    private boolean anySides;

    SignatureTable(OffHeapArena memory) {
        this.words = new ChunkedArray(memory, BYTES);
        this.sides = new ChunkedArray(memory, SIDES_BYTES);
    }

    /**
     * Reserves room for the signature of a record and all before it.
     *
     * @throws IndexFullException if there is no memory for them
     */
    void reserve(int id) {
        words.reserve(id);
        sides.expect(id);
    }

    /**
     * Makes room for all signatures below a bound. The memory becomes present as the threads write it.
     *
     * @throws IndexFullException if there is no memory for them
     */
    void expand(int bound) {
        words.expect(bound - 1L);
        sides.expect(bound - 1L);
    }

    void set(int id, long[] fingerprints) {
        long at = words.address(id);
        for (int i = 0; i < Fingerprints.PAIRS; i++) {
            OffHeapArena.putLong(at + (long) i * Long.BYTES, fingerprints[i]);
        }
    }

    /** Sets the side hashes of a signature, or removes those of an earlier one with this id. */
    void setSides(int id, @Nullable HtmlSides of) {
        if (of != null || hasSides(id)) {
            anySides = true;
            long at = sides.address(id);
            OffHeapArena.putLong(at, of == null ? 0 : of.ctaDomains());
            OffHeapArena.putLong(at + Long.BYTES, of == null ? 0 : of.allDomains());
            OffHeapArena.putLong(at + 2 * Long.BYTES, of == null ? 0 : of.features());
        }
    }

    /**
     * Copies the side hashes of consecutive signatures, without those of free records: the place in the page, and the
     * hashes of call-to-action domains, all domains and features.
     *
     * @param target little endian, with room for {@link #COPIED_BYTES} for each signature
     */
    void copySides(int first, int count, RecordTable records, ByteBuffer target) {
        for (int i = 0; anySides && i < count; i++) {
            if (hasSides(first + i) && !records.isFree(first + i)) {
                target.putInt(i).putLong(ctaDomains(first + i)).putLong(allDomains(first + i))
                        .putLong(features(first + i));
            }
        }
    }

    /**
     * Sets the side hashes of consecutive signatures from a copy by {@link #copySides}, up to the end of the source.
     *
     * @throws IllegalArgumentException if the content is not such a copy
     */
    void fillSides(int first, int count, ByteBuffer source) {
        int place = -1;
        while (source.hasRemaining()) {
            place = copiedPlace(source, place, count);
            setSides(first + place, copiedSides(source));
        }
    }

    /**
     * Reads the place of copied side hashes, which follow it.
     *
     * @param before the place of those before; -1 if there are none
     * @throws IllegalArgumentException if no side hashes of a page with {@code count} records are there
     */
    static int copiedPlace(ByteBuffer source, int before, int count) {
        if (source.remaining() < COPIED_BYTES) {
            throw new IllegalArgumentException("side hashes are cut off");
        }
        int place = source.getInt();
        if (place <= before || place >= count) {
            throw new IllegalArgumentException("side hashes of record " + place + " after those of " + before);
        }
        return place;
    }

    /** Reads copied side hashes behind their place. */
    static HtmlSides copiedSides(ByteBuffer source) {
        long ctaDomains = source.getLong();
        long allDomains = source.getLong();
        return new HtmlSides(allDomains, ctaDomains, source.getLong());
    }

    /** Returns whether a signature has side hashes. */
    boolean hasSides(int id) {
        return features(id) != 0;
    }

    @Nullable
    HtmlSides sides(int id) {
        return hasSides(id) ? new HtmlSides(allDomains(id), ctaDomains(id), features(id)) : null;
    }

    long ctaDomains(int id) {
        return OffHeapArena.getLong(sides.address(id));
    }

    long allDomains(int id) {
        return OffHeapArena.getLong(sides.address(id) + Long.BYTES);
    }

    long features(int id) {
        return OffHeapArena.getLong(sides.address(id) + 2 * Long.BYTES);
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
