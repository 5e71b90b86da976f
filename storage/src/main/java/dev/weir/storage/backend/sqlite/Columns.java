package dev.weir.storage.backend.sqlite;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/** The encoding of values in the columns of Weir's own tables. */
public final class Columns {
    /** The number of bytes of a digest that Weir's rows repeat. They reveal a row whose digest was replaced. */
    public static final int HEAD = 8;

    /** The length of a signature in bytes. */
    public static final int SIGNATURE_BYTES = Signature.SLOTS * Long.BYTES;

    private Columns() {}

    /** Returns the bytes of a digest that Weir's rows repeat. */
    public static byte[] head(byte[] digest) {
        return Arrays.copyOf(digest, HEAD);
    }

    /** Encodes a signature as 32 little-endian words. */
    static byte[] shingles(Signature signature) {
        ByteBuffer bytes = ByteBuffer.allocate(Signature.SLOTS * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < Signature.SLOTS; i++) {
            bytes.putLong(signature.has(i) ? signature.value(i) : 0);
        }
        return bytes.array();
    }

    /** Decodes a signature from {@value #SIGNATURE_BYTES} bytes. */
    public static Signature signature(byte[] shingles, int mask) {
        long[] values = new long[Signature.SLOTS];
        ByteBuffer.wrap(shingles).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(values);
        return Signature.partial(values, 0, mask);
    }

    /** Returns whether the bytes exist and have the length of a digest. */
    public static boolean isDigest(byte @Nullable [] bytes) {
        return bytes != null && bytes.length == Digest.BYTES;
    }
}
