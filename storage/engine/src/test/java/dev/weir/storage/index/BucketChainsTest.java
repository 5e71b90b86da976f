package dev.weir.storage.index;

import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class BucketChainsTest {
    private static final int BUCKETS = 8;

    /** Block numbers have 27 to 30 bits if ids have as many. */
    @Test
    void linksHaveAsManyBitsAsIds() {
        for (int idBits = 27; idBits <= 30; idBits++) {
            OffHeapArena memory = new OffHeapArena();
            BucketChains chains = new BucketChains(memory, (1 << idBits) - 2_000);
            ChunkedArray array = new ChunkedArray(memory, HashBucket.BYTES);
            array.reserve(BUCKETS);
            BucketProbes probes = new BucketProbes(1);
            int[] found = new int[1_000];
            SplittableRandom random = new SplittableRandom(idBits);
            for (int bucket = 0; bucket < BUCKETS; bucket++) {
                long at = array.address(bucket);
                int tags = 1 << (Integer.SIZE - idBits);
                TreeSet<Integer> entries = new TreeSet<>();
                for (int i = 0; i < 18 + 3 * bucket; i++) {
                    chains.reserve(1, idBits);
                    int entry = random.nextInt(tags) << idBits | random.nextInt(1, 1 << idBits);
                    entries.add(entry);
                    chains.add(at, entry, idBits);
                }
                int gone = entries.pollFirst();
                assertThat(chains.remove(at, gone, idBits)).isNotEqualTo(BucketChains.Removed.NOTHING);
                probes.addresses[0] = at;
                probes.idBits[0] = idBits;
                TreeSet<Integer> all = new TreeSet<>();
                for (int tag = 0; tag < tags; tag++) {
                    int shifted = tag << idBits;
                    probes.tags[0] = shifted;
                    IntStream.of(found).limit(chains.collect(probes, 0, found, 0)).forEach(id -> all.add(shifted | id));
                }
                assertThat(all).isEqualTo(entries);
                assertThat(HashBucket.link(at, idBits)).isGreaterThan((1 << idBits) - 2_000);
            }
            assertThat(memory).isNotNull();
        }
    }

    @Test
    void rejectsBlocksThatNoLinkCanName() {
        OffHeapArena memory = new OffHeapArena();
        BucketChains chains = new BucketChains(memory, (1 << 26) - 500);
        chains.reserve(1, 27);
        assertThatExceptionOfType(IndexFullException.class).isThrownBy(() -> chains.reserve(1, 26));
        assertThat(memory).isNotNull();
    }
}
