package dev.weir.storage.database;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.storage.Model;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.UpdateBatch;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The behavior that an engine relies on in every {@link HashDatabase}. Each implementation has a test class that
 * extends this one.
 */
public abstract class DatabaseContract {
    private static final int DIGESTS = 12;

    /** Opens the backend of this test: empty the first time, and with its content after a close. */
    protected abstract HashDatabase open() throws StorageException;

    private static UpdateBatch batch(long first, List<Update> updates) {
        return new UpdateBatch(first, 5_000, updates);
    }

    private static Map<Digest, StoredHash> load(HashDatabase backend) throws StorageException {
        List<StoredHash> hashes = new ArrayList<>();
        backend.load(hashes::add, done -> {});
        return byDigest(hashes);
    }

    private static Map<Digest, StoredHash> byDigest(List<StoredHash> hashes) {
        return hashes.stream().collect(Collectors.toMap(StoredHash::digest, Function.identity()));
    }

    private static Update update(SplittableRandom random) {
        int n = random.nextInt(DIGESTS);
        int flag = 1 + random.nextInt(4);
        long time = random.nextLong(1_000, 2_000);
        return switch (random.nextInt(10)) {
            case 0 -> new Update.Delete(Samples.digest(n), flag);
            case 1 -> new Update.DeleteAll(Samples.digest(n));
            case 2 -> new Update.Refresh(Samples.digest(n), time);
            case 3 -> new Update.Expire(Samples.digest(n), flag, time);
            default -> Samples.write(n, flag, random.nextInt(-5, 20), time,
                    random.nextBoolean() ? null : Samples.signature(n));
        };
    }

    @Test
    void beginsEmpty() throws Exception {
        try (HashDatabase backend = open()) {
            assertThat(backend.revision()).isZero();
            assertThat(backend.count()).isZero();
            assertThat(load(backend)).isEmpty();
        }
    }

    @Test
    void keepsItsIdentifierAndItsContent() throws Exception {
        long storage;
        Map<Digest, StoredHash> before;
        try (HashDatabase backend = open()) {
            storage = backend.storageId();
            backend.apply(batch(1, List.of(Samples.write(1, 3, 10, 1_000, Samples.signature(1)),
                    Samples.write(2, 4, 5, 1_001, null))));
            before = load(backend);
            assertThat(before).hasSize(2);
        }
        try (HashDatabase backend = open()) {
            assertThat(backend.storageId()).isEqualTo(storage);
            assertThat(backend.revision()).isEqualTo(2);
            assertThat(backend.count()).isEqualTo(2);
            assertThat(backend.signedShare()).isBetween(0.0, 1.0);
            assertThat(load(backend)).isEqualTo(before);
        }
    }

    @Test
    void appliesEveryKindOfUpdateLikeTheModel() throws Exception {
        SplittableRandom random = new SplittableRandom(1);
        Model model = new Model();
        long revision = 0;
        for (int round = 0; round < 3; round++) {
            try (HashDatabase backend = open()) {
                for (int i = 0; i < 20; i++) {
                    List<Update> updates = new ArrayList<>();
                    for (int n = random.nextInt(15); n >= 0; n--) {
                        updates.add(update(random));
                    }
                    backend.apply(batch(revision + 1, updates));
                    updates.forEach(model::apply);
                    revision += updates.size();
                    assertThat(backend.revision()).isEqualTo(revision);
                    assertThat(load(backend)).isEqualTo(byDigest(model.all()));
                }
                assertThat(backend.count()).isEqualTo(model.size()).isPositive();
            }
        }
    }

    @Test
    void appliesNoUpdateTwice() throws Exception {
        List<Update> updates = List.of(Samples.write(1, 3, 10, 1_000, null), Samples.write(1, 3, 1, 1_000, null),
                Samples.write(1, 3, 100, 1_000, null));
        try (HashDatabase backend = open()) {
            backend.apply(batch(1, updates.subList(0, 2)));
            backend.apply(batch(1, updates.subList(0, 2)));
            backend.apply(batch(2, updates.subList(1, 3)));
            assertThat(backend.revision()).isEqualTo(3);
            assertThat(load(backend).values()).singleElement()
                    .satisfies(hash -> assertThat(hash.flags().getFirst().value()).isEqualTo(111));
        }
    }

    @Test
    void keepsTheHistoryOfItsLastUpdate() throws Exception {
        List<Update> updates = List.of(Samples.write(1, 3, 10, 1_000, null));
        try (HashDatabase backend = open()) {
            assertThat(backend.history()).isEmpty();
            backend.keepHistory(7);
            assertThat(backend.history()).hasValue(7);
            backend.apply(new UpdateBatch(1, 5_000, updates, List.of(Optional.empty()), OptionalLong.of(-8)));
            // Updates that it has do not count.
            backend.apply(batch(1, updates));
            assertThat(backend.history()).hasValue(-8);
            backend.apply(batch(2, updates));
            assertThat(backend.history()).isEmpty();
        }
    }

    @Test
    void rejectsABatchAfterAGap() throws Exception {
        try (HashDatabase backend = open()) {
            backend.apply(batch(1, List.of(Samples.write(1, 3, 10, 1_000, null))));
            UpdateBatch late = batch(3, List.of(Samples.write(2, 3, 10, 1_000, null)));
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> backend.apply(late));
            assertThat(backend.revision()).isEqualTo(1);
            assertThat(load(backend)).containsOnlyKeys(Samples.digest(1));
        }
    }
}
