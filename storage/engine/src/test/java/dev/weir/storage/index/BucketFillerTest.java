package dev.weir.storage.index;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class BucketFillerTest {
    private static final int IDS = 12_000;
    private static final int ENTRIES = 16;

    private final BucketProbes probes = new BucketProbes(1);
    private final int[] found = new int[100_000];

    /** Some values are shared by up to 400 ids, more than a list holds; the table has several parts. */
    @ParameterizedTest
    @CsvSource({"1,1", "3,2", "8,5"})
    void findsWhatItWasFilledWith(int threads, int rounds) {
        OffHeapArena memory = new OffHeapArena();
        PostingTable table = new PostingTable(memory, IDS, ENTRIES, 1, 0);
        assertThat(table.parts()).isGreaterThan(2);
        Map<Long, Set<Integer>> model = new HashMap<>();
        List<List<long[]>> lists = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(7);
        for (int round = 0; round < rounds; round++) {
            lists.add(new ArrayList<>());
        }
        for (int id = 1; id <= IDS; id++) {
            for (int i = 0; i < ENTRIES; i++) {
                long hash = random.nextInt(20) == 0
                        ? (random.nextLong(80) * 0x2545f491L) & 0x7fffffff
                        : random.nextLong() >>> 33;
                if (model.computeIfAbsent(hash, _ -> new TreeSet<>()).add(id)) {
                    lists.get(id % rounds).add(new long[]{hash, id});
                }
            }
        }
        fill(table, threads, lists);

        long displaced = 0;
        for (Map.Entry<Long, Set<Integer>> list : model.entrySet()) {
            Set<Integer> ids = list.getValue();
            displaced += Math.max(0, ids.size() - PostingTable.MAX_POSTINGS);
            if (ids.size() <= PostingTable.MAX_POSTINGS) {
                check(table, list.getKey(), List.copyOf(ids));
            } else {
                assertThat(ids(table, list.getKey())).hasSize(PostingTable.MAX_POSTINGS).isSubsetOf(ids);
            }
        }
        assertThat(displaced).isPositive();
        assertThat(table.displaced()).isEqualTo(displaced);
        growsAndEmpties(table, model);
        assertThat(memory).isNotNull();
    }

    /** The counts of a filled table let it grow in time, and all its blocks can be used again. */
    private void growsAndEmpties(PostingTable table, Map<Long, Set<Integer>> model) {
        SplittableRandom random = new SplittableRandom(8);
        long before = table.bucketCount();
        Map<Long, Integer> more = new HashMap<>();
        for (int id = IDS + 1; id <= 2 * IDS; id++) {
            grow(table, id);
            for (int i = 0; i < ENTRIES; i++) {
                long hash = random.nextLong() >>> 33;
                if (!model.containsKey(hash) && more.putIfAbsent(hash, id) == null) {
                    table.addBounded(hash, id, random.nextInt());
                }
            }
        }
        assertThat(table.bucketCount()).isGreaterThan(before);
        more.forEach((hash, id) -> check(table, hash, List.of(id)));
        model.forEach((hash, ids) -> ids.forEach(id -> table.remove(hash, id)));
        model.keySet().forEach(hash -> check(table, hash, List.of()));
    }

    @Test
    void aTableForOneIdHasOnePart() {
        OffHeapArena memory = new OffHeapArena();
        PostingTable table = new PostingTable(memory, 1, ENTRIES, 1, 0);
        fill(table, 2, List.of(List.of(new long[]{5, 1}, new long[]{6, 2})));
        assertThat(table.parts()).isOne();
        assertThat(ids(table, 5)).containsExactly(1);
        assertThat(ids(table, 6)).containsExactly(2);
        assertThat(memory).isNotNull();
    }

    private static void fill(PostingTable table, int count, List<List<long[]>> rounds) {
        LoadThreads threads = new LoadThreads(count);
        List<BucketFiller> fillers = IntStream.range(0, count).mapToObj(_ -> table.filler(true)).toList();
        int most = rounds.stream().mapToInt(List::size).max().orElseThrow();
        try (EntryPool pool = new EntryPool(table.parts(), count, most)) {
            for (List<long[]> entries : rounds) {
                threads.run(thread -> {
                    EntryPool.Lane lane = pool.lane(thread);
                    for (int i = thread; i < entries.size(); i += count) {
                        long entry = table.entry(entries.get(i)[0], (int) entries.get(i)[1]);
                        lane.put(PostingTable.part(entry), entry);
                    }
                });
                threads.run(thread -> {
                    for (int part = thread; part < table.parts(); part += count) {
                        fillers.get(thread).fill(pool, part);
                    }
                });
                pool.clear();
            }
        }
        fillers.forEach(BucketFiller::complete);
    }

    /** Two hundred thousand assertions would take longer than the table. */
    private void check(PostingTable table, long hash, List<Integer> wanted) {
        List<Integer> ids = ids(table, hash);
        if (!ids.equals(wanted)) {
            assertThat(ids).as("hash %d", hash).isEqualTo(wanted);
        }
    }

    private static void grow(PostingTable table, int id) {
        do {
            table.prepare(1, id);
            table.advance(id);
        } while (!table.fits(id));
    }

    private List<Integer> ids(PostingTable table, long hash) {
        table.locate(new long[]{hash}, probes, 0, 1);
        int count = table.collect(probes, 0, found, 0);
        return IntStream.range(0, count).map(i -> found[i]).sorted().boxed().toList();
    }
}
