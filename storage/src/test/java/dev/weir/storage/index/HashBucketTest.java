package dev.weir.storage.index;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HashBucketTest {
    /** Values with a half of zeros, and with the bits that a wrong count could carry from one place to the next. */
    private static final int[] VALUES = {0x0001_0000, 1, -1, 0x8000_8000, 0x7fff_0000, 0x8000};

    private final OffHeapArena memory = new OffHeapArena();
    private final long bucket = memory.takeSparse(OffHeapArena.PIECE);

    @Test
    void countsItsEntries() {
        for (int used = 0; used < HashBucket.ENTRIES; used++) {
            OffHeapArena.putInt(bucket + HashBucket.LINK, used % 2 == 0 ? 0 : -1);
            assertThat(HashBucket.used(bucket)).isEqualTo(used);
            HashBucket.append(bucket, used, VALUES[used % VALUES.length]);
        }
        assertThat(HashBucket.used(bucket)).isEqualTo(HashBucket.ENTRIES);
        assertThat(memory).isNotNull();
    }
}
