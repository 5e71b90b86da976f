package dev.weir.storage.index;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Model;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class HashIndexTest {
    private static final long ALWAYS = Long.MIN_VALUE;

    private final HashIndex index = new HashIndex(new KeyedHash(1, 2));
    private final Lookup lookup = new Lookup();

    @ParameterizedTest
    @CsvSource({"0, false", "15, false", "16, false", "17, true", "18, true", "31, true", "32, true"})
    void needsMoreThanHalfOfTheSlotsAndCountsThemExactly(int equal, boolean found) {
        index.apply(Samples.write(1, 3, 10, 100, Samples.signature(1)));
        long[] query = Samples.changed(Samples.shingles(1), 32 - equal, new SplittableRandom(5));
        var answer = HashIndexPropertyTest.find(index, lookup, Samples.digest(2), query, ALWAYS);
        assertThat(answer.isPresent()).isEqualTo(found);
        if (found) {
            assertThat(answer.orElseThrow())
                    .isEqualTo(new Model.Answer(Samples.digest(1), equal, List.of(new FlagValue(3, 10, 100))));
        }
    }

    @Test
    void findsOnlyTheDigestIfNothingElseIsWanted() {
        index.apply(Samples.write(1, 3, 10, 100, Samples.signature(1)));
        assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(2), Samples.shingles(1), ALWAYS))
                .isPresent();
        assertThat(lookup.cost()).isPositive();
        lookup.exactOnly(true);
        lookup.compares(true);
        assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(2), Samples.shingles(1), ALWAYS)).isEmpty();
        assertThat(lookup.cost()).as("signatures and blocks read").isZero();
        assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(1), Samples.shingles(1), ALWAYS))
                .isPresent();
        assertThat(lookup.match().hasOtherShingles()).isFalse();
        assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(1), Samples.shingles(2), ALWAYS))
                .isPresent();
        assertThat(lookup.match().hasOtherShingles()).isTrue();
    }

    @Test
    void findsTheMoreSimilarHashWhenALaterOneSharesSlots() {
        long[] first = Samples.shingles(1);
        long[] second = Samples.changed(first, 6, new SplittableRandom(1));
        index.apply(Samples.write(1, 1, 5, 100, Signature.of(first, 0)));
        index.apply(Samples.write(2, 1, 50, 101, Signature.of(second, 0)));
        assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(9), first, ALWAYS).orElseThrow().digest())
                .isEqualTo(Samples.digest(1));
        assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(9), second, ALWAYS).orElseThrow().digest())
                .isEqualTo(Samples.digest(2));
    }

    @Test
    void countsOnlyKnownSlotsOfAPartialSignature() {
        index.load(new StoredHash(Samples.digest(1), List.of(new FlagValue(1, 9, 100)),
                Signature.partial(Samples.shingles(1), 0, 0x0001ffff)));
        assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(9), Samples.shingles(1), ALWAYS)
                .orElseThrow().equalSlots()).isEqualTo(17);
        index.load(new StoredHash(Samples.digest(2), List.of(new FlagValue(1, 9, 100)),
                Signature.partial(Samples.shingles(2), 0, 0x0000ffff)));
        assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(9), Samples.shingles(2), ALWAYS)).isEmpty();
        index.apply(Samples.write(2, 1, 1, 101, Samples.signature(2)));
        assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(9), Samples.shingles(2), ALWAYS)
                .orElseThrow().equalSlots()).isEqualTo(32);
    }

    @Test
    void boundsTheCostOfAFamilyOfThousands() {
        SplittableRandom random = new SplittableRandom(3);
        int members = 3_000;
        for (int i = 0; i < members; i++) {
            index.apply(Samples.write(i, 1, 1, 100,
                    Signature.of(Samples.changed(Samples.shingles(0), 3, random), 0)));
        }
        assertThat(index.crowded()).isPositive();
        assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(-1), Samples.shingles(0), ALWAYS)
                .orElseThrow().equalSlots()).isGreaterThanOrEqualTo(29);
        for (int i = 0; i < members; i++) {
            index.apply(new Update.Delete(Samples.digest(i), 1));
        }
        assertThat(index.size()).isZero();
        assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(-1), Samples.shingles(0), ALWAYS))
                .isEmpty();
    }

    @Test
    void knowsTheLastTimeBeforeALimit() {
        assertThat(index.lastTime(Long.MAX_VALUE)).isZero();
        index.apply(Samples.write(1, 1, 5, 100, null));
        index.apply(Samples.write(2, 1, 5, 300, Samples.signature(2)));
        index.apply(Samples.write(2, 700, 5, 400, null));
        index.load(new StoredHash(Samples.digest(3), List.of(new FlagValue(1, 5, 50)), null, 500));
        index.apply(Samples.write(4, 1, 5, 600, null));
        index.apply(new Update.Delete(Samples.digest(4), 1));
        assertThat(index.lastTime(Long.MAX_VALUE)).isEqualTo(500);
        assertThat(index.lastTime(499)).isEqualTo(400);
        assertThat(index.lastTime(399)).isEqualTo(300);
        assertThat(index.lastTime(100)).isEqualTo(100);
        assertThat(index.lastTime(49)).isZero();
    }

    @Test
    void sumsSaturate() {
        index.load(new StoredHash(Samples.digest(1), List.of(new FlagValue(1, Long.MAX_VALUE - 1, 1)), null));
        index.apply(Samples.write(1, 1, 10, 2, null));
        assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(1), null, ALWAYS).orElseThrow().flags())
                .containsExactly(new FlagValue(1, Long.MAX_VALUE, 2));
    }

    /** While hashes come and go, every answer must have been true at some moment. */
    @Test
    void readersNeverSeeHalfAnUpdate() throws Exception {
        int digests = 200;
        AtomicBoolean writing = new AtomicBoolean(true);
        try (ExecutorService readers = Executors.newFixedThreadPool(2)) {
            List<Future<Long>> results = List.of(readers.submit(() -> readUntilDone(writing, digests, 1)),
                    readers.submit(() -> readUntilDone(writing, digests, 2)));
            try {
                SplittableRandom random = new SplittableRandom(4);
                for (int i = 0; i < 150_000; i++) {
                    int n = random.nextInt(digests);
                    // Each digest and flag has its own factor, so the test detects a mixture.
                    int flag = 1 + random.nextInt(3);
                    index.apply(random.nextInt(3) == 0
                            ? new Update.Delete(Samples.digest(n), flag)
                            : Samples.write(n, flag, 1000 * (n + 1) + flag, n + 1, Samples.signature(n)));
                    if (i % 50 == 0) {
                        // New permanent hashes make the tables grow while readers run.
                        index.apply(Samples.write(1_000_000 + i, 1, 1, 1, Samples.signature(1_000_000 + i)));
                    }
                }
            } finally {
                writing.set(false);
            }
            for (Future<Long> result : results) {
                assertThat(result.get()).isPositive();
            }
        }
    }

    private long readUntilDone(AtomicBoolean writing, int digests, long seed) {
        Lookup mine = new Lookup();
        SplittableRandom random = new SplittableRandom(seed);
        long hits = 0;
        while (writing.get() || hits == 0) {
            int n = random.nextInt(digests);
            boolean exact = random.nextBoolean();
            Digest asked = Samples.digest(exact ? n : -5);
            var answer = HashIndexPropertyTest.find(index, mine, asked, Samples.shingles(n), ALWAYS);
            if (answer.isPresent()) {
                hits++;
                assertThat(answer.get().digest()).isEqualTo(Samples.digest(n));
                assertThat(answer.get().equalSlots()).isEqualTo(32);
                for (FlagValue flag : answer.get().flags()) {
                    assertThat(flag.value() % (1000L * (n + 1) + flag.flag())).isZero();
                    assertThat(flag.time()).isEqualTo(n + 1);
                }
                assertThat(answer.get().flags().stream().map(FlagValue::flag)).doesNotHaveDuplicates();
            }
        }
        return hits;
    }
}
