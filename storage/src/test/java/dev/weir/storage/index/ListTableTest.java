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

class ListTableTest {
    private final Places places = new Places(1);
    private final int[] found = new int[100_000];

    /** Adding, removing and growing in any order, with hashes of which some are much more frequent than others. */
    @Property(tries = 60, seed = "20260203")
    void holdsWhatAListForEachHashWouldHold(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        OffHeap memory = new OffHeap();
        ListTable table = new ListTable(memory, 0, 16, 1, 0);
        Map<Long, TreeSet<Integer>> model = new HashMap<>();
        List<long[]> present = new ArrayList<>();
        int next = 1;
        for (int step = 0; step < 6_000; step++) {
            if (random.nextInt(10) < (step % 2_000 < 1_200 ? 8 : 2) || present.isEmpty()) {
                long hash = random.nextInt(3) == 0
                        ? (random.nextLong(40) * 0x2545f491L) & 0x7fffffff
                        : random.nextLong() >>> 33;
                TreeSet<Integer> ids = model.computeIfAbsent(hash, _ -> new TreeSet<>());
                if (ids.size() < ListTable.MAX_POSTINGS) {
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
        // Keeps the memory from being given back.
        assertThat(memory).isNotNull();
    }

    @Test
    void growsInStepsAndMostlyEndsInTheLine() {
        OffHeap memory = new OffHeap();
        ListTable table = new ListTable(memory, 0, 16, 1, 0);
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
        places.blocks = 0;
        int falsely = 0;
        for (int i = 0; i < count; i++) {
            falsely += ids(table, random.nextLong() >>> 33).size();
        }
        // A third of the lines overflow, and a fifth of those lookups follows.
        assertThat(places.blocks).isLessThan(count / 7);
        // 640,000 entries among 2^31 hashes.
        assertThat(falsely).isLessThan(40);
        assertThat(memory).isNotNull();
    }

    @Test
    void keepsTheRoomThatWasAskedForAndDoesNotGrowBefore() {
        OffHeap memory = new OffHeap();
        ListTable table = new ListTable(memory, 10_000, 16, 1, 0);
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
    void boundsWhatIsUnderOneHashAndInOneLine() {
        OffHeap memory = new OffHeap();
        ListTable table = new ListTable(memory, 100_000, 16, 1, 0);
        for (int id = 1; id <= 1_000; id++) {
            grow(table, id);
            table.addBounded(77, id, id * 31);
        }
        assertThat(ids(table, 77)).hasSize(ListTable.MAX_POSTINGS).anyMatch(id -> id > 500);
        assertThat(table.displaced()).isEqualTo(1_000 - ListTable.MAX_POSTINGS);

        // Hashes of one line, which nobody can choose without the key.
        for (int id = 1; id <= 50_000; id++) {
            grow(table, id);
            table.addBounded(1_000_000 + id % 300, id, id * 31);
        }
        places.blocks = 0;
        IntStream.range(0, 300).forEach(i -> ids(table, 1_000_000 + i));
        assertThat(places.blocks / 300).isLessThan(80);
        assertThat(memory).isNotNull();
    }

    /** At full size this table would have 2^29 lines and 500 million ids, with as many entries and blocks for each line. */
    @Test
    void linksNameTheBlocksOfHalfABillionIds() {
        OffHeap memory = new OffHeap();
        ListTable table = new ListTable(memory, 0, 16, 1, 13);
        SplittableRandom random = new SplittableRandom(1);
        int count = 500_000_000 >> 13;
        for (int id = 1; id <= count; id++) {
            grow(table, id);
            for (int i = 0; i < 16; i++) {
                table.addBounded(random.nextLong() >>> (64 - table.hashBits()), id, i);
            }
        }
        assertThat(table.lines()).isEqualTo(1 << (29 - 13));
        // A link has as many bits as an id, which are 30 there.
        assertThat(table.named()).isLessThan(1 << (30 - 13));
        assertThat(memory).isNotNull();
    }

    private static void grow(ListTable table, int id) {
        do {
            table.prepare(1, id);
            table.advance(id);
        } while (!table.fits(id));
    }

    private List<Integer> ids(ListTable table, long hash) {
        table.locate(new long[]{hash}, places, 0, 1);
        return IntStream.of(found).limit(table.collect(places, 0, found, 0)).sorted().boxed().toList();
    }
}
