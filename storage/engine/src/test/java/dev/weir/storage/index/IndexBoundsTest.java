package dev.weir.storage.index;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests of an index at its bounds, with a size that a test can fill ({@link SmallIndex}). */
class IndexBoundsTest {
    private final Lookup lookup = new Lookup();

    private boolean isThere(HashIndex index, int n) {
        Samples.digest(n).copyTo(lookup.digest(), 0);
        lookup.hasShingles(false);
        return index.find(lookup, 0);
    }

    private static Update write(int n) {
        return Samples.write(n, 1, 1, 1, Samples.signature(n));
    }

    @Test
    void holdsHalfABillionHashesAndRejectsMore() {
        HashIndex index = SmallIndex.empty();
        int stored = 0;
        while (stored < SmallIndex.ROOM) {
            int some = Math.min(1_000, SmallIndex.ROOM - stored);
            index.makeRoom(some);
            for (int i = 0; i < some; i++) {
                index.apply(write(stored++));
            }
        }
        assertThat((long) stored << 13).isGreaterThan(500_000_000);
        assertThatExceptionOfType(IndexFullException.class).isThrownBy(() -> index.makeRoom(1))
                .withMessageContaining("full");
        assertThatExceptionOfType(IndexFullException.class).isThrownBy(() -> index.apply(write(-1)));
        assertThatExceptionOfType(IndexFullException.class).isThrownBy(() -> index.load(
                new StoredHash(Samples.digest(-1), List.of(new FlagValue(1, 1, 1)), null)));
        assertThat(index.size()).isEqualTo(SmallIndex.ROOM);

        // A full index still answers, also for near duplicates.
        SplittableRandom random = new SplittableRandom(1);
        for (int n = 0; n < stored; n++) {
            assertThat(isThere(index, n)).isTrue();
            if (n % 16 == 0) {
                Samples.digest(-2 - n).copyTo(lookup.digest(), 0);
                long[] near = Samples.changed(Samples.shingles(n), 8, random);
                System.arraycopy(near, 0, lookup.shingles(), 0, near.length);
                lookup.hasShingles(true);
                assertThat(index.find(lookup, 0)).isTrue();
                assertThat(lookup.match().digestWord(3)).isEqualTo(n);
                assertThat(lookup.match().equalSlots()).isEqualTo(24);
            }
        }

        // Deleted hashes make room.
        index.apply(new Update.DeleteAll(Samples.digest(7)));
        index.makeRoom(1);
        index.apply(write(-1));
        assertThat(isThere(index, 7)).isFalse();
        assertThat(isThere(index, -1)).isTrue();
    }

    @Test
    void reservesOnlyExistingRoom() {
        HashIndex index = SmallIndex.empty();
        for (int n = 0; n < SmallIndex.ROOM - 10; n++) {
            index.apply(Samples.write(n, 1, 1, 1, null));
        }
        assertThatExceptionOfType(IndexFullException.class).isThrownBy(() -> index.makeRoom(11));
        index.makeRoom(10);
        for (int n = 0; n < 10; n++) {
            index.apply(write(-1 - n));
        }
        assertThat(index.size()).isEqualTo(SmallIndex.ROOM);
    }

    @Test
    void alwaysHasRoomForFlagsOfClients() {
        HashIndex index = new HashIndex(new KeyedHash(1, 2));
        List<FlagValue> flags = new ArrayList<>();
        flags.add(new FlagValue(9_999, 50, 1));
        IntStream.range(-300, 400).filter(flag -> flag < 0 || flag >= 256).forEach(
                flag -> flags.add(new FlagValue(flag, 1, 1)));
        StoredHash hash = new StoredHash(Samples.digest(1), flags, null);
        assertThat(hash.bounded().flags()).hasSize(StoredHash.MAX_ODD_FLAGS)
                .startsWith(new FlagValue(9_999, 50, 1), new FlagValue(-300, 1, 1));
        index.load(hash);
        for (int flag = 0; flag < 256; flag++) {
            index.apply(Samples.write(1, flag, 1, 1, null));
        }
        assertThat(isThere(index, 1)).isTrue();
        assertThat(lookup.match().flagCount()).isEqualTo(512);
        assertThat(lookup.match().flag(0)).isEqualTo(9_999);
    }
}
