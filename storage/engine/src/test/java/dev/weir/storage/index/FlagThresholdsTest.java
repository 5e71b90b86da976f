package dev.weir.storage.index;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.storage.StoredHash;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

final class FlagThresholdsTest {
    private static final int STORED = 4_000;
    private final SplittableRandom random = new SplittableRandom(4711);
    private final HashIndex index = new HashIndex(new KeyedHash(1, 2));
    private final Lookup lookup = new Lookup();

    /** Stores a signature, and returns one that shares {@code equal} slots with it at random places. */
    private long[] storedAndAsked(int number, int equal, FlagValue... flags) {
        long[] stored = random.longs(Signature.SLOTS).toArray();
        index.load(new StoredHash(digest(number), List.of(flags), Signature.of(stored, 0)));
        long[] asked = random.longs(Signature.SLOTS).toArray();
        for (int left = equal; left > 0;) {
            int slot = random.nextInt(Signature.SLOTS);
            if (asked[slot] != stored[slot]) {
                asked[slot] = stored[slot];
                left--;
            }
        }
        return asked;
    }

    private static Digest digest(int number) {
        return Digest.ofWords(new SplittableRandom(number).longs(Digest.WORDS).toArray(), 0);
    }

    private boolean finds(long[] asked, FlagThresholds thresholds) {
        return finds(asked, thresholds, FlagThresholds.USUAL);
    }

    private boolean finds(long[] asked, FlagThresholds thresholds, int others) {
        digest(-1).copyTo(lookup.digest(), 0);
        System.arraycopy(asked, 0, lookup.shingles(), 0, asked.length);
        lookup.hasShingles(true);
        lookup.thresholds(thresholds, others);
        return index.find(lookup, Long.MIN_VALUE);
    }

    /** Returns the probability that the index finds a hash that shares {@code slots} slots at random places. */
    private static double certainty(int slots) {
        double missed = 1;
        // C(16, k) 2^k / C(32, k), factor by factor: each further slot must lie in a pair without one.
        for (int i = 0; i < slots; i++) {
            missed *= Math.max(0, 32.0 - 2 * i) / (32.0 - i);
        }
        return 1 - missed;
    }

    /** The table of docs/integrate/kinds.md: with which certainty the index finds a hash that shares some slots. */
    @Test
    void findsWithTheCertaintyThatItStates() {
        FlagThresholds thresholds = FlagThresholds.of(Map.of(5, 8));
        for (int equal = 8; equal <= 17; equal++) {
            int found = 0;
            for (int i = 0; i < STORED; i++) {
                long[] asked = storedAndAsked(equal * STORED + i, equal, new FlagValue(5, 1, 1));
                if (finds(asked, thresholds)) {
                    assertThat(lookup.match().equalSlots()).isEqualTo(equal);
                    found++;
                }
            }
            assertThat(found / (double) STORED).as("%s slots", equal)
                    .isCloseTo(certainty(equal), within(0.03));
        }
        assertThat(certainty(10)).isCloseTo(0.873, within(0.001));
        assertThat(certainty(14)).isCloseTo(0.9958, within(0.0001));
        assertThat(certainty(17)).isEqualTo(1);
    }

    @Test
    void aFlagWithoutANumberNeedsSeventeen() {
        FlagThresholds thresholds = FlagThresholds.of(Map.of(5, 10));
        long[] asked = storedAndAsked(1, 16, new FlagValue(1, 9, 1));
        assertThat(finds(asked, thresholds)).isFalse();
        asked = storedAndAsked(2, 17, new FlagValue(1, 9, 1));
        assertThat(finds(asked, thresholds)).isTrue();
    }

    @Test
    void onlyTheFlagsThatAskForItMatchBelow() {
        FlagThresholds thresholds = FlagThresholds.of(Map.of(5, 10, 6, 16));
        long[] asked = storedAndAsked(1, 16, new FlagValue(1, 9, 1), new FlagValue(5, 2, 1), new FlagValue(6, 3, 1));
        assertThat(finds(asked, thresholds)).isTrue();
        assertThat(lookup.match().flagCount()).isEqualTo(2);
        assertThat(lookup.match().flag(0)).isEqualTo(6);
        assertThat(lookup.match().flag(1)).isEqualTo(5);
        assertThat(finds(asked, FlagThresholds.NONE)).isFalse();
        asked = storedAndAsked(2, 15, new FlagValue(1, 9, 1), new FlagValue(5, 2, 1), new FlagValue(6, 3, 1));
        assertThat(finds(asked, thresholds)).isTrue();
        assertThat(lookup.match().flagCount()).isEqualTo(1);
    }

    /** A client asks for a number of its own. That of the storage for a flag is the last word. */
    @Test
    void aClientAsksForANumberOfItsOwn() {
        long[] asked = storedAndAsked(1, 16, new FlagValue(1, 9, 1), new FlagValue(5, 2, 1));
        assertThat(finds(asked, FlagThresholds.NONE, 16)).isTrue();
        assertThat(lookup.match().flagCount()).isEqualTo(2);
        assertThat(finds(asked, FlagThresholds.of(Map.of(5, 17)), 13)).isTrue();
        assertThat(lookup.match().flagCount()).isEqualTo(1);
        assertThat(lookup.match().flag(0)).isEqualTo(1);
        assertThat(finds(asked, FlagThresholds.of(Map.of(5, 12)), FlagThresholds.USUAL)).isTrue();
        assertThat(lookup.match().flag(0)).isEqualTo(5);
        assertThat(finds(asked, FlagThresholds.NONE)).as("the next lookup asks for nothing").isFalse();
    }

    @Test
    void refusesNumbersThatMakeNoSense() {
        assertThatThrownBy(() -> FlagThresholds.of(Map.of(5, 7))).hasMessageContaining("8 to 17");
        assertThatThrownBy(() -> FlagThresholds.of(Map.of(5, 18))).hasMessageContaining("8 to 17");
    }
}
