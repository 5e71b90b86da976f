package dev.weir.storage.transfer;

import java.util.HashSet;
import java.util.List;

import dev.weir.model.FlagValue;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MergeTest {
    private static final StoredHash THERE = new StoredHash(Samples.digest(1),
            List.of(new FlagValue(1, 10, 100), new FlagValue(2, 5, 300)), Hashes.partial(1, 0xff), 50);
    private static final StoredHash ARRIVING = new StoredHash(Samples.digest(1),
            List.of(new FlagValue(2, 7, 200), new FlagValue(3, 6, 400)), Samples.signature(1), 60);

    @Test
    void maxTakesTheGreaterValueAndTheNewerTime() {
        assertThat(Merge.MAX.merge(THERE, ARRIVING)).isEqualTo(new StoredHash(Samples.digest(1),
                List.of(new FlagValue(1, 10, 100), new FlagValue(2, 7, 300), new FlagValue(3, 6, 400)),
                Samples.signature(1), 60));
    }

    @Test
    void addsSumsAndPutsTheGreatestFirst() {
        assertThat(Merge.ADD.merge(THERE, ARRIVING).flags()).containsExactly(new FlagValue(2, 12, 300),
                new FlagValue(1, 10, 100), new FlagValue(3, 6, 400));
    }

    @Test
    void keepAddsOnlyMissingFlags() {
        assertThat(Merge.KEEP.merge(THERE, ARRIVING)).isEqualTo(new StoredHash(Samples.digest(1),
                List.of(new FlagValue(1, 10, 100), new FlagValue(2, 5, 300), new FlagValue(3, 6, 400)),
                Samples.signature(1), 50));
    }

    @Test
    void keepsTheSignatureWithMoreKnownSlots() {
        assertThat(Merge.MAX.merge(/* there= */ ARRIVING, /* arriving= */ THERE).signature())
                .isEqualTo(Samples.signature(1));
    }

    @Test
    void anEqualValueDoesNotReplaceThePrimaryFlag() {
        StoredHash other = new StoredHash(Samples.digest(1), List.of(new FlagValue(0, 10, 1)), null);
        assertThat(Merge.MAX.merge(THERE, other).flags().getFirst().flag()).isEqualTo(1);
    }

    @Provide
    Arbitrary<StoredHash> hashes() {
        return Hashes.any();
    }

    private static StoredHash sameDigest(StoredHash a, StoredHash b) {
        return new StoredHash(a.digest(), b.flags(), b.signature(), b.renewed());
    }

    @Property(tries = 300, seed = "1101")
    void maxAndKeepAreIdempotent(@ForAll("hashes") StoredHash a, @ForAll("hashes") StoredHash other) {
        StoredHash b = sameDigest(a, other);
        for (Merge merge : new Merge[]{Merge.MAX, Merge.KEEP}) {
            StoredHash once = merge.merge(a, b);
            assertThat(merge.merge(once, b)).isEqualTo(once);
            assertThat(merge.merge(a, a)).isSameAs(a);
        }
    }

    @Property(tries = 300, seed = "1102")
    void maxDoesNotDependOnTheOrder(@ForAll("hashes") StoredHash a, @ForAll("hashes") StoredHash other) {
        StoredHash b = sameDigest(a, other);
        assertThat(new HashSet<>(Merge.MAX.merge(a, b).flags()))
                .isEqualTo(new HashSet<>(Merge.MAX.merge(b, a).flags()));
    }

    @Property(tries = 300, seed = "1103")
    void thePrimaryFlagHasTheGreatestValue(@ForAll("hashes") StoredHash a, @ForAll("hashes") StoredHash other) {
        for (Merge merge : Merge.values()) {
            List<FlagValue> flags = merge.merge(a, sameDigest(a, other)).flags();
            assertThat(flags).allMatch(flag -> flag.value() <= flags.getFirst().value());
            assertThat(flags.subList(1, flags.size()))
                    .isSortedAccordingTo((x, y) -> Integer.compare(x.flag(), y.flag()));
        }
    }
}
