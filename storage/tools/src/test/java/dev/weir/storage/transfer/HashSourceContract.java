package dev.weir.storage.transfer;

import java.util.ArrayList;
import java.util.List;

import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The behavior that a transfer relies on in every {@link HashSource}. Each implementation has a test class that extends
 * this one.
 */
public abstract class HashSourceContract {
    private record Found(long position, StoredHash hash) {}

    /** Opens a source of at least three hashes, the same ones each time. */
    protected abstract HashSource open() throws Exception;

    private HashSource prepared() throws Exception {
        HashSource source = open();
        source.prepare(done -> {});
        return source;
    }

    private List<Found> after(long position) throws Exception {
        List<Found> found = new ArrayList<>();
        try (HashSource source = prepared()) {
            source.read(position, (at, hash) -> found.add(new Found(at, hash)), new Omissions());
        }
        return found;
    }

    @Test
    void returnsEachDigestOnceInOrderOfPositions() throws Exception {
        List<Found> all = after(HashSource.START);
        assertThat(all).hasSizeGreaterThanOrEqualTo(3);
        assertThat(all).extracting(Found::position).doesNotContain(HashSource.START).isSorted().doesNotHaveDuplicates();
        assertThat(all).extracting(found -> found.hash().digest()).doesNotHaveDuplicates();
    }

    @Test
    void continuesAfterEveryPosition() throws Exception {
        List<Found> all = after(HashSource.START);
        for (int i = 0; i < all.size(); i++) {
            assertThat(after(all.get(i).position())).isEqualTo(all.subList(i + 1, all.size()));
        }
    }

    @Test
    void hasTheSameFingerprintWhenItIsOpenedAgain() throws Exception {
        long before;
        try (HashSource source = prepared()) {
            before = source.fingerprint();
            source.read(HashSource.START, (at, hash) -> {}, new Omissions());
            assertThat(source.fingerprint()).isEqualTo(before);
        }
        try (HashSource source = prepared()) {
            assertThat(source.fingerprint()).isEqualTo(before);
        }
    }

    @Test
    void estimatesFewerHashesBehindTheLastOne() throws Exception {
        long last = after(HashSource.START).getLast().position();
        try (HashSource source = prepared()) {
            long all = source.remaining(HashSource.START);
            assertThat(all).isGreaterThanOrEqualTo(HashSource.UNKNOWN);
            assertThat(source.remaining(last)).isBetween(Math.min(all, 0), all);
        }
    }

    @Test
    void passesOnTheFailureOfTheSink() throws Exception {
        List<Long> taken = new ArrayList<>();
        StorageException failure = new StorageException("the target is full");
        try (HashSource source = prepared()) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> source.read(HashSource.START,
                    (at, hash) -> {
                        taken.add(at);
                        throw failure;
                    }, new Omissions())).isSameAs(failure);
        }
        assertThat(taken).hasSize(1);
    }

    @Test
    void hasANameForUsers() throws Exception {
        try (HashSource source = open()) {
            assertThat(source.name()).isNotBlank();
        }
    }
}
