package dev.weir.storage.shared;

import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateOrigin;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What a node says that Redis had of a hash before the updates on the way. */
class PendingUpdatesTest {
    private static final Digest DIGEST = Samples.digest(1);
    private static final long TIME = 1_000;

    private final PendingUpdates pending = new PendingUpdates(new ShardedLayout("fuzzy", 1));

    private static LoggedUpdate learn(long revision, int weight, long time) {
        return new LoggedUpdate(revision, 0, UpdateOrigin.STORAGE, Samples.write(1, 1, weight, time, null));
    }

    private static HashIndex.KnownHash known(long value, long time) {
        return new HashIndex.KnownHash(0, List.of(new FlagValue(1, value, time)), 0, false, 0, null);
    }

    private PendingUpdates.@Nullable Held held(long value, long time) {
        return pending.held(DIGEST, known(value, time));
    }

    private static PendingUpdates.Held had(long value, long time, boolean certain) {
        return new PendingUpdates.Held(
                new StoredHash(DIGEST, List.of(new FlagValue(1, value, time)), null, 0), certain);
    }

    /** The clock of a node was ahead before, so its later updates are older than the hash. */
    @ParameterizedTest
    @CsvSource({"1000, 1000, true", "901, 901, false", "900, 900, false"})
    void theTimeOfAHashIsItsOwnIfTheUpdatesAreEarlier(long time, long expected, boolean certain) {
        pending.add(learn(5, 2, 900));
        pending.add(learn(6, 3, 901));
        assertThat(held(10, time)).isEqualTo(had(5, certain ? expected : 900, certain));
    }

    @Test
    void aHashThatOnlyTheUpdatesMakeWasNotThere() {
        pending.add(learn(5, 2, TIME));
        assertThat(held(2, TIME)).isNull();
    }

    @Test
    void whatRedisHadIsKnownAsLongAsItLacksTheSameUpdates() {
        pending.before(DIGEST, known(10, TIME));
        pending.add(learn(5, 2, TIME + 1));
        pending.add(learn(6, 3, TIME + 2));
        pending.replace(0, 6, List.of(learn(5, 2, TIME + 1), learn(6, 3, TIME + 2)));
        assertThat(held(15, TIME + 2)).isEqualTo(had(10, TIME, true));
        // It lacks an earlier one as well, so what it had before is no longer what it has.
        pending.replace(0, 6, List.of(learn(4, 1, TIME), learn(5, 2, TIME + 1), learn(6, 3, TIME + 2)));
        assertThat(held(15, TIME + 2)).isEqualTo(had(9, TIME, false));
    }

    @Test
    void aHashThatRedisHadNotIsNotThereAfterwards() {
        pending.before(DIGEST, null);
        pending.add(learn(5, 2, TIME));
        pending.replace(0, 5, List.of(learn(5, 2, TIME)));
        assertThat(pending.isKnown(DIGEST)).isFalse();
        assertThat(held(2, TIME)).isNull();
        // Another node has put it back with this update.
        pending.replace(0, 5, List.of());
        assertThat(held(2, TIME)).isEqualTo(had(2, TIME, true));
    }
}
