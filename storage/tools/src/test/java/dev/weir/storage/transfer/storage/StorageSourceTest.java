package dev.weir.storage.transfer.storage;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.FolderInUseException;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.transfer.Hashes;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.OverlaySource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class StorageSourceTest {
    private static final int DIGESTS = 6_000;

    @TempDir
    private Path folder = Path.of("");

    private static @Nullable Signature signature(SplittableRandom random, int n) {
        return switch (random.nextInt(4)) {
            case 0 -> null;
            case 1 -> Hashes.partial(n, random.nextInt() | 1);
            default -> Hashes.near(n, n / 10, 0xffff);
        };
    }

    private static Update update(SplittableRandom random) {
        int n = random.nextInt(DIGESTS);
        Digest digest = Samples.digest(n);
        long time = 1_700_000_000L + random.nextInt(1_000_000);
        int flag = random.nextInt(10) == 0 ? random.nextInt() : random.nextInt(4);
        long weight = random.nextInt(10) == 0 ? random.nextLong() : random.nextInt(-100, 100);
        return switch (random.nextInt(20)) {
            case 0 -> new Update.Delete(digest, random.nextInt(4));
            case 1 -> new Update.DeleteAll(digest);
            case 2, 3 -> new Update.Refresh(digest, time);
            case 4 -> new Update.Expire(digest, random.nextInt(4), time);
            default -> new Update.Write(digest, flag, weight, time, signature(random, n));
        };
    }

    /** The checkpoint is written while updates go on, so its pages have updates of different times. */
    @Test
    void hasEveryUpdateOfARunningStorageOnce() throws Exception {
        SplittableRandom random = new SplittableRandom(20_261_124);
        Map<Digest, List<Update>> expected = new LinkedHashMap<>();
        try (StorageEngine engine = StoreFolder.start(folder)) {
            for (int round = 0; round < 12; round++) {
                List<CompletableFuture<Void>> waiting = new ArrayList<>();
                CompletableFuture<Long> checkpoint = engine.sync();
                for (int i = 0; i < 2_000; i++) {
                    Update update = update(random);
                    expected.computeIfAbsent(update.digest(), digest -> new ArrayList<>()).add(update);
                    waiting.add(engine.apply(update));
                }
                waiting.forEach(CompletableFuture::join);
                checkpoint.join();
                if (round % 6 == 5) {
                    compare(expected);
                }
            }
        }
        compare(expected);
    }

    private void compare(Map<Digest, List<Update>> updates) throws StorageException {
        List<StoredHash> hashes = new ArrayList<>();
        for (List<Update> ofDigest : updates.values()) {
            StoredHash hash = OverlaySource.apply(null, ofDigest);
            if (hash != null) {
                hashes.add(hash);
            }
        }
        assertThat(hashes).hasSizeGreaterThan(DIGESTS / 10);
        assertThat(StoreFolder.content(folder)).containsExactlyInAnyOrderElementsOf(hashes);
    }

    private void learn(StorageEngine engine, int from, int to) {
        List<Update> updates = new ArrayList<>();
        for (int n = from; n < to; n++) {
            updates.add(Samples.write(n, 1, n + 1, 1_000, n % 2 == 0 ? null : Samples.signature(n)));
        }
        StoreFolder.apply(engine, updates);
    }

    @Test
    void tooManyUpdatesNeedACheckpoint() throws Exception {
        try (StorageEngine engine = StoreFolder.start(folder)) {
            learn(engine, 0, 20);
            StorageSource.open(folder, 20).close();
            assertThatExceptionOfType(FolderInUseException.class).isThrownBy(() -> StorageSource.open(folder, 19))
                    .withMessageContaining("weir control fuzzysync");
            engine.sync().join();
            StorageSource.open(folder, 0).close();
        }
    }

    @Test
    void writesTheCheckpointOfAStoppedStorage() throws Exception {
        Path copy = folder.resolve("copy");
        try (StorageEngine engine = StoreFolder.start(folder.resolve("data"))) {
            learn(engine, 0, 20);
            // The files as a kill leaves them.
            for (String name : List.of(DataFolder.STORE, DataFolder.UPDATES)) {
                Path target = Files.createDirectories(copy.resolve(name));
                try (var files = Files.list(folder.resolve("data").resolve(name))) {
                    for (Path file : files.toList()) {
                        Files.copy(file, target.resolve(file.getFileName().toString()));
                    }
                }
            }
        }
        assertThat(Moves.all(StorageSource.open(copy, 19), new Omissions())).hasSize(20);
        StorageSource.open(copy, 0).close();
    }

    @Test
    void leavesOutAndCountsDamagedSlots() throws Exception {
        try (StorageEngine engine = StoreFolder.start(folder)) {
            learn(engine, 0, 20);
        }
        try (RandomAccessFile slots = new RandomAccessFile(
                folder.resolve(DataFolder.STORE).resolve("signed.slots").toFile(), "rw")) {
            slots.seek(336 * 3 + 100);
            slots.write(0x55);
        }
        Omissions omissions = new Omissions();
        assertThat(Moves.all(StorageSource.open(folder), omissions)).hasSize(19)
                .contains(new StoredHash(Samples.digest(0), List.of(new FlagValue(1, 1, 1_000)), null));
        assertThat(omissions.snapshot()).isEqualTo(Map.of(Omission.DAMAGED, 1L));
    }

    @Test
    void refusesADamagedLog() throws Exception {
        try (StorageEngine engine = StoreFolder.start(folder)) {
            learn(engine, 0, 20);
            Path segment;
            try (var files = Files.list(folder.resolve(DataFolder.UPDATES))) {
                segment = files.filter(file -> file.toString().endsWith(".log")).findFirst().orElseThrow();
            }
            try (RandomAccessFile bytes = new RandomAccessFile(segment.toFile(), "rw")) {
                bytes.seek(2_000);
                bytes.write(bytes.read() ^ 1);
            }
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> StorageSource.open(folder))
                    .withMessageContaining("damaged");
        }
    }

    /** A hash of the checkpoint may have been overwritten since. */
    @Test
    void stopsWhenTheCheckpointIsReplaced() throws Exception {
        StorageEngine engine = StoreFolder.start(folder);
        learn(engine, 0, 5_000);
        engine.sync().join();
        learn(engine, 5_000, 5_001);
        try (StorageSource source = StorageSource.open(folder)) {
            int[] read = new int[1];
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> source.read(Long.MIN_VALUE, (_, _) -> {
                if (read[0]++ == 0) {
                    engine.close();
                }
            }, new Omissions())).withMessageContaining("had to write a checkpoint");
            assertThat(read[0]).isBetween(1, 1_024);
        } finally {
            engine.close();
        }
    }
}
