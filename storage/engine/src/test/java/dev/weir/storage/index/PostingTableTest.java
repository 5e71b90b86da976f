package dev.weir.storage.index;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PostingTableTest {
    private final BucketProbes probes = new BucketProbes(1);
    private final int[] found = new int[100_000];

    /** Adds, removes and grows in any order; some hashes are much more frequent than others. */
    @Property(tries = 60, seed = "20260203")
    void behavesLikeOneListPerHash(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        OffHeapArena memory = new OffHeapArena();
        PostingTable table = new PostingTable(memory, 0, 16, 1, 0);
        Map<Long, TreeSet<Integer>> model = new HashMap<>();
        List<long[]> present = new ArrayList<>();
        int next = 1;
        for (int step = 0; step < 6_000; step++) {
            if (random.nextInt(10) < (step % 2_000 < 1_200 ? 8 : 2) || present.isEmpty()) {
                long hash = random.nextInt(3) == 0
                        ? (random.nextLong(40) * 0x2545f491L) & 0x7fffffff
                        : random.nextLong() >>> 33;
                TreeSet<Integer> ids = model.computeIfAbsent(hash, _ -> new TreeSet<>());
                if (ids.size() < PostingTable.MAX_POSTINGS) {
                    grow(table, next);
                    table.addBounded(hash, next, random.nextInt());
                    ids.add(next);
                    present.add(new long[]{hash, next});
                    next++;
                }
            } else {
                long[] gone = present.remove(random.nextInt(present.size()));
                table.remove(gone[0], (int) gone[1]);
                Objects.requireNonNull(model.get(gone[0])).remove((int) gone[1]);
            }
        }
        table.remove(12345, 1);
        assertThat(table.displaced()).isZero();
        model.forEach((hash, ids) -> assertThat(ids(table, hash)).as("hash %s", hash).containsExactlyElementsOf(ids));
        assertThat(ids(table, 4711)).isEmpty();
        // Keeps the arena reachable.
        assertThat(memory).isNotNull();
    }

    @Test
    void growsInStepsAndReadsFewOverflowBlocks() {
        OffHeapArena memory = new OffHeapArena();
        PostingTable table = new PostingTable(memory, 0, 16, 1, 0);
        SplittableRandom random = new SplittableRandom(1);
        int count = 40_000;
        long[] hashes = new long[16 * count];
        for (int id = 1; id <= count; id++) {
            grow(table, id);
            for (int i = 0; i < 16; i++) {
                long hash = random.nextLong() >>> 33;
                hashes[(id - 1) * 16 + i] = hash;
                table.add(hash, id);
            }
        }
        for (int i = 0; i < hashes.length; i++) {
            assertThat(ids(table, hashes[i])).contains(i / 16 + 1);
        }
        probes.blocksRead = 0;
        int falsely = 0;
        for (int i = 0; i < count; i++) {
            falsely += ids(table, random.nextLong() >>> 33).size();
        }
        // A third of the buckets overflow, and a fifth of the lookups there follow the link.
        assertThat(probes.blocksRead).isLessThan(count / 7);
        // 640,000 entries among 2^31 hashes.
        assertThat(falsely).isLessThan(40);
        assertThat(memory).isNotNull();
    }

    @Test
    void doesNotGrowBeforeTheExpectedRoomIsUsed() {
        OffHeapArena memory = new OffHeapArena();
        PostingTable table = new PostingTable(memory, 10_000, 16, 1, 0);
        SplittableRandom random = new SplittableRandom(1);
        for (int id = 1; id < 10_000; id++) {
            assertThat(table.isGrowing(id)).isFalse();
            table.prepare(1, id);
            for (int i = 0; i < 16; i++) {
                table.add(random.nextLong() >>> 33, id);
            }
        }
        assertThat(memory).isNotNull();
    }

    @Test
    void boundsPostingListsAndOverflowChains() {
        OffHeapArena memory = new OffHeapArena();
        PostingTable table = new PostingTable(memory, 100_000, 16, 1, 0);
        for (int id = 1; id <= 1_000; id++) {
            grow(table, id);
            table.addBounded(77, id, id * 31);
        }
        assertThat(ids(table, 77)).hasSize(PostingTable.MAX_POSTINGS).anyMatch(id -> id > 500);
        assertThat(table.displaced()).isEqualTo(1_000 - PostingTable.MAX_POSTINGS);

        // Hashes of one bucket; a client cannot choose them without the key.
        for (int id = 1; id <= 50_000; id++) {
            grow(table, id);
            table.addBounded(1_000_000 + id % 300, id, id * 31);
        }
        probes.blocksRead = 0;
        IntStream.range(0, 300).forEach(i -> ids(table, 1_000_000 + i));
        assertThat(probes.blocksRead / 300).isLessThan(80);
        assertThat(memory).isNotNull();
    }

    /** At full size this table would have 2^29 buckets and 500 million ids, and the same load of each bucket. */
    @Test
    void linksNameTheBlocksOfHalfABillionIds() {
        OffHeapArena memory = new OffHeapArena();
        PostingTable table = new PostingTable(memory, 0, 16, 1, 13);
        SplittableRandom random = new SplittableRandom(1);
        int count = 500_000_000 >> 13;
        for (int id = 1; id <= count; id++) {
            grow(table, id);
            for (int i = 0; i < 16; i++) {
                table.addBounded(random.nextLong() >>> (64 - table.hashBits()), id, i);
            }
        }
        assertThat(table.bucketCount()).isEqualTo(1 << (29 - 13));
        // A link has as many bits as an id, 30 at full size.
        assertThat(table.named()).isLessThan(1 << (30 - 13));
        assertThat(memory).isNotNull();
    }

    private static void grow(PostingTable table, int id) {
        do {
            table.prepare(1, id);
            table.advance(id);
        } while (!table.fits(id));
    }

    private List<Integer> ids(PostingTable table, long hash) {
        table.locate(new long[]{hash}, probes, 0, 1);
        return IntStream.of(found).limit(table.collect(probes, 0, found, 0)).sorted().boxed().toList();
    }
}
