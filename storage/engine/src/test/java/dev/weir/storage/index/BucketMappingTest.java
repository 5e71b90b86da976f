package dev.weir.storage.index;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

import static org.assertj.core.api.Assertions.assertThat;

class BucketMappingTest {

    @Property(tries = 5000, seed = "20260201")
    void bucketAndTagRestoreTheHash(@ForAll @LongRange(min = 16, max = 1L << 29) long wanted,
            @ForAll @IntRange(min = 1, max = 6) int slack, @ForAll long random) {
        int bits = Integer.SIZE - slack;
        long buckets = Math.min(wanted, 1L << (bits - 2));
        BucketMapping mapping = new BucketMapping(buckets, bits);
        long hash = random >>> (Long.SIZE - bits);
        int id = (int) (random & ((1L << mapping.idBits()) - 1));
        int entry = mapping.tag(hash) | id;

        assertThat(mapping.bucket(hash)).isBetween(0L, buckets - 1);
        assertThat(mapping.hash(mapping.bucket(hash), entry)).isEqualTo(hash);
        assertThat(mapping.id(entry)).isEqualTo(id);
    }

    @Property(tries = 2000, seed = "20260202")
    void bucketsAreInTheOrderOfTheHashes(@ForAll @LongRange(min = 16, max = 1L << 29) long buckets,
            @ForAll @LongRange(min = 0, max = (1L << 31) - 1) long a,
            @ForAll @LongRange(min = 0, max = (1L << 31) - 1) long b) {
        BucketMapping mapping = new BucketMapping(buckets, 31);
        assertThat(mapping.bucket(Math.min(a, b))).isLessThanOrEqualTo(mapping.bucket(Math.max(a, b)));
        // Growing in place requires that no hash moves to an earlier bucket.
        assertThat(new BucketMapping(buckets + buckets / 8, 31).bucket(a)).isGreaterThanOrEqualTo(mapping.bucket(a));
    }
}
