package dev.weir.storage.backend.sqlite;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/** How values look in the columns of our own tables. */
public final class Columns {
    /** Bytes of a digest that our rows repeat, so that a row whose digest was exchanged under it is noticed. */
    public static final int HEAD = 8;

    /** Bytes of a signature. */
    public static final int SIGNATURE_BYTES = Signature.SLOTS * Long.BYTES;

    private Columns() {}

    /** Returns the bytes of a digest that our rows repeat. */
    public static byte[] head(byte[] digest) {
        return Arrays.copyOf(digest, HEAD);
    }

    /** 32 little-endian words. */
    static byte[] shingles(Signature signature) {
        ByteBuffer bytes = ByteBuffer.allocate(Signature.SLOTS * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < Signature.SLOTS; i++) {
            bytes.putLong(signature.has(i) ? signature.value(i) : 0);
        }
        return bytes.array();
    }

    /** Returns the signature in a column of {@value #SIGNATURE_BYTES} bytes. */
    public static Signature signature(byte[] shingles, int mask) {
        long[] values = new long[Signature.SLOTS];
        ByteBuffer.wrap(shingles).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(values);
        return Signature.partial(values, 0, mask);
    }

    /** Returns whether it is there and has the length of one. */
    public static boolean isDigest(byte @Nullable [] bytes) {
        return bytes != null && bytes.length == Digest.BYTES;
    }
}
