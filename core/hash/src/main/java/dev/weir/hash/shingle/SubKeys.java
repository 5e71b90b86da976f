package dev.weir.hash.shingle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The 32 sub-keys of a shingles key. Each is the first 16 bytes of the unkeyed BLAKE2b-512 of the previous one. The
 * chain starts at the shingles key, which is not a sub-key itself (docs/reference/hashing.md#sub-keys).
 */
final class SubKeys {
    static final int COUNT = 32;
    static final int KEY_LENGTH = 16;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** First eight bytes of each sub-key, little-endian; the seed for algorithms with a 64-bit seed. */
    final long[] low = new long[COUNT];
    /** Last eight bytes of each sub-key. */
    final long[] high = new long[COUNT];

    SubKeys(byte[] shinglesKey) {
        if (shinglesKey.length != KEY_LENGTH) {
            throw new IllegalArgumentException("a shingles key has 16 bytes, not " + shinglesKey.length);
        }
        byte[] key = shinglesKey;
        for (int i = 0; i < COUNT; i++) {
            key = Arrays.copyOf(Blake2b.digest512(new byte[0], key), KEY_LENGTH);
            low[i] = (long) LONG.get(key, 0);
            high[i] = (long) LONG.get(key, 8);
        }
    }
}
