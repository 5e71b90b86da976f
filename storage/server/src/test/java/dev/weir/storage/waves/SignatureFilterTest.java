package dev.weir.storage.waves;

import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.storage.Samples;
import dev.weir.storage.index.FlagThresholds;
import dev.weir.storage.index.Lookup;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SignatureFilterTest {
    private final SignatureFilter filter = new SignatureFilter(new KeyedHash(1, 2), 1_000);

    private static Lookup lookup(Digest digest, long[] shingles, int threshold) {
        Lookup lookup = new Lookup();
        digest.copyTo(lookup.digest(), 0);
        lookup.hasShingles(shingles.length > 0);
        System.arraycopy(shingles, 0, lookup.shingles(), 0, shingles.length);
        lookup.thresholds(FlagThresholds.NONE, threshold);
        return lookup;
    }

    private void add(int signatures) {
        for (int i = 0; i < signatures; i++) {
            filter.add(Samples.digest(i), Signature.of(Samples.shingles(i), 0));
        }
    }

    @Property(tries = 300, seed = "42")
    void whatIsNearEnoughIsNeverToldFromIt(@ForAll @IntRange(min = 8, max = 17) int threshold, @ForAll long seed) {
        add(20);
        SplittableRandom random = new SplittableRandom(seed);
        long[] near = Samples.changed(Samples.shingles(3), Signature.SLOTS - threshold, random);
        assertThat(filter.mayHave(lookup(Samples.digest(1_000), near, threshold))).isTrue();
        long[] far = Samples.changed(Samples.shingles(3), Signature.SLOTS - threshold + 7, random);
        assertThat(filter.mayHave(lookup(Samples.digest(1_000), far, threshold))).isFalse();
    }

    @Test
    void anEqualDigestIsFoundWithoutShinglesAndWithOthers() {
        filter.add(Samples.digest(1), null);
        assertThat(filter.mayHave(lookup(Samples.digest(1), new long[0], 17))).isTrue();
        assertThat(filter.mayHave(lookup(Samples.digest(1), Samples.shingles(7), 17))).isTrue();
        assertThat(filter.mayHave(lookup(Samples.digest(2), new long[0], 17))).isFalse();
    }

    @Test
    void fewNewMailsPassAFullFilter() {
        add(1_024);
        assertThat(filter.isFull()).isTrue();
        int passed = 0;
        for (int i = 0; i < 10_000; i++) {
            passed += filter.mayHave(lookup(Samples.digest(-1 - i), Samples.shingles(1_000_000 + i), 17)) ? 1 : 0;
        }
        assertThat(passed).isLessThan(50);
    }
}
