package dev.weir.storage.index;

import java.lang.ref.Reference;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HashBucketTest {
    /** Values with a half of zeros, and with the bits that a wrong count could carry from one place to the next. */
    private static final int[] VALUES = {0x0001_0000, 1, -1, 0x8000_8000, 0x7fff_0000, 0x8000};

    private final OffHeapArena memory = new OffHeapArena();
    private final long bucket = memory.takeSparse(OffHeapArena.PIECE);

    @Test
    void countsItsEntries() {
        try {
            for (int used = 0; used <= HashBucket.ENTRIES; used++) {
                for (int link : new int[]{0, -1}) {
                    OffHeapArena.putInt(bucket + HashBucket.LINK, link);
                    assertThat(HashBucket.used(bucket)).isEqualTo(used);
                }
                if (used < HashBucket.ENTRIES) {
                    HashBucket.append(bucket, used, VALUES[used % VALUES.length]);
                }
            }
        } finally {
            // The bucket is gone as soon as the arena is.
            Reference.reachabilityFence(memory);
        }
    }
}
