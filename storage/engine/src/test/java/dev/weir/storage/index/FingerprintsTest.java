package dev.weir.storage.index;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FingerprintsTest {
    private static final int MANY = 100_000;

    private final Fingerprints fingerprints = new Fingerprints(new KeyedHash(1, 2));

    /** n values form n²/2 pairs. Each agrees with a probability of 2^-32, so expect one or two for 100,000 values. */
    @Test
    void differForChosenValues() {
        for (int shift = 0; shift < 48; shift += 7) {
            Set<Integer> visited = new HashSet<>();
            for (long i = 0; i < MANY; i++) {
                visited.add(fingerprints.of(i << shift));
            }
            assertThat(visited).as("multiples of 2^%s", shift).hasSizeGreaterThan(MANY - 20).doesNotContain(0);
        }
    }

    @Test
    void fillBucketsEvenlyForAllValues() {
        for (int shift = 0; shift < 48; shift += 7) {
            int[] pairs = new int[1024];
            int[] digests = new int[1024];
            for (long i = 0; i < MANY; i++) {
                long word = (fingerprints.of(i << shift) & 0xffffffffL) | (i << 32);
                pairs[(int) fingerprints.ofPair(3, word, 10)]++;
                digests[(int) fingerprints.ofDigest(new long[]{0, 0, i << shift, 0, 0, 0, 0, 0}, 0, 10)]++;
            }
            // The average is 98. Strong universality bounds the variance, not the maximum, so allow some more.
            assertThat(Arrays.stream(pairs)).as("pairs of multiples of 2^%s", shift).allMatch(n -> n < 400);
            assertThat(Arrays.stream(digests)).as("digests of multiples of 2^%s", shift).allMatch(n -> n < 400);
        }
    }

    @Test
    void dependOnTheKeyAndThePair() {
        Fingerprints other = new Fingerprints(new KeyedHash(1, 3));
        assertThat(other.of(5)).isNotEqualTo(fingerprints.of(5));
        assertThat(fingerprints.ofPair(0, 5, 32)).isNotEqualTo(fingerprints.ofPair(1, 5, 32));
        assertThat(fingerprints.ofDigest(new long[8], 0, 32)).isNotEqualTo(other.ofDigest(new long[8], 0, 32));
    }

    @Test
    void leaveUnknownSlotsEmpty() {
        long[] values = new SplittableRandom(1).longs(Signature.SLOTS).toArray();
        long[] whole = new long[Fingerprints.PAIRS];
        long[] part = new long[Fingerprints.PAIRS];
        fingerprints.ofAll(values, whole);
        fingerprints.ofKnown(Signature.of(values, 0), part);
        assertThat(part).isEqualTo(whole);
        assertThat(Arrays.stream(whole).boxed()).allMatch(Fingerprints::isWhole);

        fingerprints.ofKnown(Signature.partial(values, 0, 0b0110), part);
        assertThat(part[0]).isEqualTo(whole[0] & 0xffffffff00000000L);
        assertThat(part[1]).isEqualTo(whole[1] & 0xffffffffL);
        assertThat(Arrays.stream(part).filter(word -> word == 0)).hasSize(Fingerprints.PAIRS - 2);
        assertThat(Arrays.stream(part).boxed()).noneMatch(Fingerprints::isWhole);
    }
}
