package dev.weir.storage.checkpoint;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/**
 * A file of slots, one for each record id of a table of the index. A slot holds what never changes under this id,
 * except the side hashes of HTML: most hashes have none, so the image has them.
 *
 * <pre>
 *   0    digest, 64
 *   64   shingles, 256     (only in signed.slots)
 *        revision, 8
 *        mask, 4           (only in signed.slots)
 *        CRC-32C, 4, of the storage's number, the table, the id, and everything before
 * </pre>
 */
enum SlotTable {
    /** Hashes without a signature. */
    PLAIN(0, "plain.slots", 0),
    /** Hashes with a signature. */
    SIGNED(1, "signed.slots", Signature.SLOTS);

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /** As it is written. */
    final int number;

    final String file;
    final int slotBytes;

    private final int revisionAt;
    private final int maskAt;
    private final int crcAt;

    SlotTable(int number, String file, int shingles) {
        this.number = number;
        this.file = file;
        this.revisionAt = Digest.BYTES + shingles * Long.BYTES;
        this.maskAt = revisionAt + Long.BYTES;
        this.crcAt = maskAt + (shingles > 0 ? Integer.BYTES : 0);
        this.slotBytes = crcAt + Integer.BYTES;
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
    void encode(long[] digest, @Nullable Signature signature, long revision, ByteBuffer target) {
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
            target.putInt(signature.mask());
        }
        target.putInt(0);
    }

    /** Adds the checksum to the slot of an id that begins at {@code at}. */
    void seal(ByteBuffer slots, int at, int id, long storageId) {
        slots.putInt(at + crcAt, sum(slots, at, id, storageId));
    }

    /** Returns whether a slot is that of an id, and undamaged. */
    boolean isSound(ByteBuffer slots, int at, int id, long storageId) {
        return slots.getInt(at + crcAt) == sum(slots, at, id, storageId);
    }

    private int sum(ByteBuffer slots, int at, int id, long storageId) {
        byte[] salt = new byte[Long.BYTES + 1 + Integer.BYTES];
        LONG.set(salt, 0, storageId);
        salt[Long.BYTES] = (byte) number;
        INT.set(salt, Long.BYTES + 1, id);
        CRC32C crc = new CRC32C();
        crc.update(salt);
        int position = slots.position();
        int limit = slots.limit();
        crc.update(slots.limit(at + crcAt).position(at));
        slots.limit(limit).position(position);
        return (int) crc.getValue();
    }

    void digest(ByteBuffer slots, int at, long[] target) {
        for (int i = 0; i < Digest.WORDS; i++) {
            target[i] = slots.getLong(at + i * Long.BYTES);
        }
    }

    /** Returns the signature of a slot without side hashes, or null in a table without signatures. */
    @Nullable
    Signature signature(ByteBuffer slots, int at, long[] shingles) {
        return shingles(slots, at, shingles) == null ? null : Signature.partial(shingles, 0, mask(slots, at));
    }

    /** Reads the shingles of a slot and returns them, or null in a table without signatures. */
    long @Nullable [] shingles(ByteBuffer slots, int at, long[] target) {
        if (!isSigned()) {
            return null;
        }
        for (int i = 0; i < Signature.SLOTS; i++) {
            target[i] = slots.getLong(at + Digest.BYTES + i * Long.BYTES);
        }
        return target;
    }

    /** Returns the known shingles of a slot, bit 0 for the first; 0 in a table without signatures. */
    int mask(ByteBuffer slots, int at) {
        return isSigned() ? slots.getInt(at + maskAt) : 0;
    }

    /** Returns the number of the update that gave the hash its id. */
    long revision(ByteBuffer slots, int at) {
        return slots.getLong(at + revisionAt);
    }
}
