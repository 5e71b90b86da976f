package dev.weir.storage.store;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

import dev.weir.model.Digest;
import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/**
 * A file of slots, one for each record id of a table of the index. A slot holds what never changes under this id.
 *
 * <pre>
 *   0    digest, 64
 *   64   shingles, 256     (only in signed.slots)
 *        revision, 8
 *        side hashes, 24   (only in signed.slots: call-to-action domains, all domains, features; zeros for none)
 *        mask, 4           (only in signed.slots)
 *        id, 4
 *        CRC-32C, 4, of the storage's number, the table, and everything before
 *        zeros, 4          (only in signed.slots)
 * </pre>
 */
enum SlotTable {
    /** Hashes without a signature. */
    PLAIN(0, "plain.slots", 80),
    /** Hashes with a signature. */
    SIGNED(1, "signed.slots", 368);

    private static final int SHINGLE_BYTES = Signature.SLOTS * Long.BYTES;

    /** As it is written. */
    final int number;

    final String file;
    final int slotBytes;

    private final int revisionAt;
    private final int sidesAt;
    private final int maskAt;
    private final int idAt;
    private final int crcAt;

    SlotTable(int number, String file, int slotBytes) {
        this.number = number;
        this.file = file;
        this.slotBytes = slotBytes;
        boolean signed = slotBytes > Digest.BYTES + SHINGLE_BYTES;
        this.revisionAt = Digest.BYTES + (signed ? SHINGLE_BYTES : 0);
        this.sidesAt = revisionAt + Long.BYTES;
        this.maskAt = sidesAt + HtmlSides.BYTES;
        this.idAt = signed ? maskAt + Integer.BYTES : revisionAt + Long.BYTES;
        this.crcAt = idAt + Integer.BYTES;
    }

    static SlotTable of(boolean signed) {
        return signed ? SIGNED : PLAIN;
    }

    boolean isSigned() {
        return this == SIGNED;
    }

    /** Returns a buffer in the byte order of the files. */
    static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns where in the file a slot is. */
    long position(int id) {
        return (long) id * slotBytes;
    }

    /** Writes a slot at the position of a buffer, without the checksum. */
    void encode(int id, long[] digest, @Nullable Signature signature, long revision, ByteBuffer target) {
        for (long word : digest) {
            target.putLong(word);
        }
        if (signature != null) {
            for (int i = 0; i < Signature.SLOTS; i++) {
                target.putLong(signature.value(i));
            }
        }
        target.putLong(revision);
        if (signature != null) {
            HtmlSides sides = signature.sides();
            target.putLong(sides == null ? 0 : sides.ctaDomains()).putLong(sides == null ? 0 : sides.allDomains())
                    .putLong(sides == null ? 0 : sides.features()).putInt(signature.mask());
        }
        target.putInt(id).putInt(0);
        if (signature != null) {
            target.putInt(0);
        }
    }

    /** Adds the checksum to the slot that begins at {@code at}. */
    void seal(ByteBuffer slots, int at, long storageId) {
        slots.putInt(at + crcAt, sum(slots, at, storageId));
    }

    /** Returns whether a slot is that of an id, and undamaged. */
    boolean isSound(ByteBuffer slots, int at, int id, long storageId) {
        return slots.getInt(at + idAt) == id && slots.getInt(at + crcAt) == sum(slots, at, storageId);
    }

    private int sum(ByteBuffer slots, int at, long storageId) {
        CRC32C crc = new CRC32C();
        for (long rest = storageId, i = 0; i < Long.BYTES; i++, rest >>>= Byte.SIZE) {
            crc.update((int) rest);
        }
        crc.update(number);
        crc.update(slots.duplicate().limit(at + crcAt).position(at));
        return (int) crc.getValue();
    }

    void digest(ByteBuffer slots, int at, long[] target) {
        for (int i = 0; i < Digest.WORDS; i++) {
            target[i] = slots.getLong(at + i * Long.BYTES);
        }
    }

    /** Returns the signature of a slot, or null in a table without signatures. */
    @Nullable
    Signature signature(ByteBuffer slots, int at, long[] shingles) {
        if (!isSigned()) {
            return null;
        }
        for (int i = 0; i < Signature.SLOTS; i++) {
            shingles[i] = slots.getLong(at + Digest.BYTES + i * Long.BYTES);
        }
        long features = slots.getLong(at + sidesAt + 2 * Long.BYTES);
        return Signature.partial(shingles, 0, slots.getInt(at + maskAt))
                .withSides(features == 0
                        ? null
                        : new HtmlSides(slots.getLong(at + sidesAt + Long.BYTES), slots.getLong(at + sidesAt),
                                features));
    }

    /** Returns the number of the update that gave the hash its id. */
    long revision(ByteBuffer slots, int at) {
        return slots.getLong(at + revisionAt);
    }
}
