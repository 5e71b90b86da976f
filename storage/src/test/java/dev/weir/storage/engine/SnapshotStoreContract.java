package dev.weir.storage.engine;

import java.util.List;

import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Snapshot;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The behavior that a start relies on in every {@link SnapshotStore}; each implementation has a test class that extends
 * this one. A snapshot may be gone after it was read once.
 */
public abstract class SnapshotStoreContract {
    private static final Snapshot.Origin ORIGIN = new Snapshot.Origin(7, 8, 9, 10);
    private static final Snapshot.Origin OTHER = new Snapshot.Origin(7, 9, 9, 10);

    /** Returns a store without a snapshot. */
    protected abstract SnapshotStore store() throws Exception;

    private static HashIndex index(int hashes) {
        HashIndex index = new HashIndex(new KeyedHash(1, 2));
        for (int n = 1; n <= hashes; n++) {
            index.load(new StoredHash(Samples.digest(n), List.of(new FlagValue(1, n, 1_000)), Samples.signature(n)));
        }
        return index;
    }

    @Test
    void isEmptyAtFirst() throws Exception {
        SnapshotStore store = store();
        assertThat(store.origin()).isEmpty();
        assertThat(store.read(ORIGIN, (_, _) -> {})).isEmpty();
        assertThat(store.usableBytes()).isPositive();
        assertThat(store.name()).isNotBlank();
    }

    @Test
    void returnsTheIndexOfTheSameOrigin() throws Exception {
        SnapshotStore store = store();
        store.write(ORIGIN, index(5));
        assertThat(store.origin()).contains(ORIGIN);
        assertThat(store.read(ORIGIN, (_, _) -> {})).hasValueSatisfying(index -> assertThat(index.size()).isEqualTo(5));
    }

    @Test
    void withholdsTheIndexOfAnotherOrigin() throws Exception {
        SnapshotStore store = store();
        store.write(ORIGIN, index(5));
        assertThat(store.read(OTHER, (_, _) -> {})).isEmpty();
    }

    @Test
    void replacesAnEarlierSnapshot() throws Exception {
        SnapshotStore store = store();
        store.write(ORIGIN, index(5));
        store.write(OTHER, index(6));
        assertThat(store.origin()).contains(OTHER);
        assertThat(store.read(OTHER, (_, _) -> {})).hasValueSatisfying(index -> assertThat(index.size()).isEqualTo(6));
    }

    @Test
    void deletesAnExistingSnapshot() throws Exception {
        SnapshotStore store = store();
        store.delete();
        store.write(ORIGIN, index(5));
        store.delete();
        assertThat(store.origin()).isEmpty();
        assertThat(store.read(ORIGIN, (_, _) -> {})).isEmpty();
    }
}
