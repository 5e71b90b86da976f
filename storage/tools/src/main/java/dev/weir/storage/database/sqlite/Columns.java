package dev.weir.storage.database.sqlite;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

import dev.weir.model.Digest;
import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/** The encoding of values in the columns of Weir's own tables. */
public final class Columns {
    /** The number of bytes of a digest that Weir's rows repeat. They reveal a row whose digest was replaced. */
    public static final int HEAD = 8;

    private static final int SIGNATURE_BYTES = Signature.SLOTS * Long.BYTES;
    private static final int SIDES_BYTES = SIGNATURE_BYTES + HtmlSides.BYTES;

    private Columns() {}

    /** Returns the bytes of a digest that Weir's rows repeat. */
    public static byte[] head(byte[] digest) {
        return Arrays.copyOf(digest, HEAD);
    }

    /** Encodes a signature as 32 little-endian words, and its side hashes as three more. */
    static byte[] shingles(Signature signature) {
        HtmlSides sides = signature.sides();
        ByteBuffer bytes = ByteBuffer.allocate(sides == null ? SIGNATURE_BYTES : SIDES_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < Signature.SLOTS; i++) {
            bytes.putLong(signature.has(i) ? signature.value(i) : 0);
        }
        if (sides != null) {
            bytes.putLong(sides.ctaDomains()).putLong(sides.allDomains()).putLong(sides.features());
        }
        return bytes.array();
    }

    /** Returns whether an encoded signature of so many bytes has side hashes. */
    static boolean hasSides(int bytes) {
        return bytes == SIDES_BYTES;
    }

    /** Decodes a signature. Returns null for bytes of a length that no signature has. */
    public static @Nullable Signature signature(byte @Nullable [] shingles, int mask) {
        if (shingles == null || (shingles.length != SIGNATURE_BYTES && shingles.length != SIDES_BYTES)) {
            return null;
        }
        long[] values = new long[Signature.SLOTS];
        ByteBuffer bytes = ByteBuffer.wrap(shingles).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().get(values);
        Signature signature = Signature.partial(values, 0, mask);
        if (shingles.length == SIGNATURE_BYTES) {
            return signature;
        }
        return signature.withSides(new HtmlSides(bytes.getLong(SIGNATURE_BYTES + Long.BYTES),
                bytes.getLong(SIGNATURE_BYTES), bytes.getLong(SIGNATURE_BYTES + 2 * Long.BYTES)));
    }

    /** Returns whether the bytes exist and have the length of a digest. */
    public static boolean isDigest(byte @Nullable [] bytes) {
        return bytes != null && bytes.length == Digest.BYTES;
    }
}
