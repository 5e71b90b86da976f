package dev.weir.storage.transfer.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.FolderInUseException;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LogEndNote;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.maintenance.Verification;
import dev.weir.storage.transfer.Expiry;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.Hashes;
import dev.weir.storage.transfer.ListSource;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.TransferReport;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class StoreTargetTest {
    @TempDir
    private Path place = Path.of("");

    private Path data = Path.of("");

    @BeforeEach
    void folder() {
        data = place.resolve("data");
    }

    private StoreTarget target() throws StorageException {
        return StoreTarget.open(data, StoreFolder.CLOCK);
    }

    private static ListSource source(int count, long value) {
        return new ListSource(count, 77 * 31 + value, n -> new StoredHash(Samples.digest(n),
                List.of(new FlagValue(1, value, 1_000)), Samples.signature(n)));
    }

    @Provide
    Arbitrary<List<StoredHash>> hashes() {
        return Hashes.any().list().ofMaxSize(30);
    }

    /** Digests occur several times, also in one batch. */
    @Property(tries = 25, seed = "20261124")
    void mergesLikeTheRule(@ForAll("hashes") List<StoredHash> hashes, @ForAll("hashes") List<StoredHash> more,
            @ForAll Merge merge) throws Exception {
        Path folder = Files.createTempDirectory("weir-transfer");
        try {
            Moves.run(Moves.of(hashes), StoreTarget.open(folder, StoreFolder.CLOCK), Merge.MAX);
            List<StoredHash> there = ExpectedHashes.merged(List.of(), hashes, Merge.MAX);
            assertThat(StoreFolder.content(folder)).containsExactlyInAnyOrderElementsOf(there);
            Moves.run(Moves.of(more), StoreTarget.open(folder, StoreFolder.CLOCK), merge, Expiry.NONE, true);
            assertThat(StoreFolder.content(folder))
                    .containsExactlyInAnyOrderElementsOf(ExpectedHashes.merged(there, more, merge));
        } finally {
            delete(folder);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /** An import that ended after any number of its updates goes on to the same result. */
    @ParameterizedTest
    @EnumSource(Merge.class)
    void continuesAfterEveryUpdate(Merge merge) throws Exception {
        List<StoredHash> there = ExpectedHashes.made(1, 0, 6);
        List<StoredHash> arriving = new ArrayList<>(ExpectedHashes.made(7, 3, 12));
        arriving.addAll(ExpectedHashes.made(3, 3, 5));
        // A renewal is an update of its own, which the end of the import may cut off.
        assertThat(arriving.subList(3, 9)).anyMatch(hash -> hash.renewed() > 0);
        List<StoredHash> expected = ExpectedHashes.merged(there, arriving, merge);
        List<Update> updates = updates(there, arriving, merge);
        assertThat(updates).hasSizeGreaterThan(10);
        for (int done = 0; done <= updates.size(); done++) {
            data = place.resolve("after-" + done);
            try (StorageEngine engine = StoreFolder.start(data)) {
                StoreFolder.apply(engine,
                        there.stream().flatMap(hash -> HashUpdates.between(null, hash).stream()).toList());
                ImportJournal.open(data.resolve(DataFolder.IMPORTS), merge, Moves.of(arriving).fingerprint())
                        .put(HashSource.START, engine.stats().revision());
                StoreFolder.apply(engine, updates.subList(0, done));
            }
            Moves.run(Moves.of(arriving), target(), merge, Expiry.NONE, false, 100);
            assertThat(StoreFolder.content(data)).as("after %d updates", done)
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    /** Returns the updates of an import in one batch. */
    private List<Update> updates(List<StoredHash> there, List<StoredHash> arriving, Merge merge)
            throws StorageException {
        data = place.resolve("whole");
        Moves.run(Moves.of(there), target(), Merge.MAX);
        long before = Verification.of(data).revision();
        Moves.run(Moves.of(arriving), target(), merge, Expiry.NONE, false, 100);
        List<Update> updates = new ArrayList<>();
        long storage;
        try (StorageEngine engine = StoreFolder.start(data)) {
            storage = engine.storageId();
        }
        try (LogHistory log = LogHistory.open(data.resolve(DataFolder.UPDATES), storage, LogEndNote.NONE)) {
            log.read(before, logged -> updates.add(logged.update()));
        }
        return updates;
    }

    @Test
    void addsTheSameContentOnlyOnce() throws Exception {
        Moves.run(source(60, 1), target(), Merge.MAX);
        Moves.run(source(50, 10), target(), Merge.ADD);
        assertThat(Moves.run(source(50, 10), target(), Merge.ADD).doneBefore()).isTrue();
        assertThat(StoreFolder.content(data)).hasSize(60).filteredOn(hash -> hash.flags().getFirst().value() == 11)
                .hasSize(50);
        Moves.run(source(50, 10), target(), Merge.ADD, Expiry.NONE, true);
        assertThat(StoreFolder.content(data)).filteredOn(hash -> hash.flags().getFirst().value() == 21).hasSize(50);
    }

    @Test
    void anotherAddKeepsTheProgressOfAnInterruptedOne() throws Exception {
        Moves.run(source(60, 1), target(), Merge.MAX);
        ImportJournal.open(data.resolve(DataFolder.IMPORTS), Merge.ADD, source(50, 10).fingerprint()).put(7, 60);
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> Moves.run(source(50, 11), target(), Merge.ADD))
                .withMessageContaining("--restart");
        assertThat(Moves.run(source(50, 10), target(), Merge.ADD).read()).isEqualTo(43);
    }

    /** Without that part of the log, it is unknown which part of the batch was added. */
    @Test
    void refusesToContinueAnAddWithoutItsLog() throws Exception {
        Moves.run(source(60, 1), target(), Merge.MAX);
        ImportJournal.open(data.resolve(DataFolder.IMPORTS), Merge.ADD, source(50, 10).fingerprint())
                .put(HashSource.START, 30);
        delete(data.resolve(DataFolder.UPDATES));
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> Moves.run(source(50, 10), target(), Merge.ADD))
                .withMessageContaining("no longer tells").withMessageContaining("--restart");
    }

    @Test
    void maxAndKeepAreIdempotent() throws Exception {
        assertThat(Moves.run(source(30, 5), target(), Merge.MAX).written())
                .isEqualTo(new HashTarget.Written(30, 0, 0));
        assertThat(Moves.run(source(30, 5), target(), Merge.MAX).written())
                .isEqualTo(new HashTarget.Written(0, 0, 30));
        assertThat(Moves.run(source(40, 4), target(), Merge.MAX).written())
                .isEqualTo(new HashTarget.Written(10, 0, 30));
        assertThat(Moves.run(source(30, 6), target(), Merge.KEEP).written())
                .isEqualTo(new HashTarget.Written(0, 0, 30));
        assertThat(data.resolve(DataFolder.IMPORTS)).isEmptyFile();
    }

    @Test
    void omitsAndCountsFlagsThatAStorageDoesNotKeep() throws Exception {
        List<FlagValue> flags = IntStream.range(0, 700).mapToObj(flag -> new FlagValue(flag, 1, 1_000)).toList();
        StoredHash hash = new StoredHash(Samples.digest(1), flags, null);
        TransferReport report = Moves.run(new ListSource(1, 5, _ -> hash), target(), Merge.MAX);
        assertThat(report.omitted()).isEqualTo(Map.of(Omission.TOO_MANY_FLAGS, 700L - 256 - StoredHash.MAX_ODD_FLAGS));
        assertThat(StoreFolder.content(data)).containsExactly(hash.bounded());

        // Others come to those that are there: the lowest are kept.
        StoredHash other = new StoredHash(Samples.digest(1), List.of(new FlagValue(-1, 1, 1_000)), null);
        assertThat(Moves.run(new ListSource(1, 6, _ -> other), target(), Merge.MAX).omitted())
                .isEqualTo(Map.of(Omission.TOO_MANY_FLAGS, 1L));
        assertThat(StoreFolder.content(data).getFirst().flags()).hasSize(256 + StoredHash.MAX_ODD_FLAGS)
                .contains(new FlagValue(-1, 1, 1_000)).doesNotContain(new FlagValue(511, 1, 1_000));
    }

    @Test
    void aRunningStorageLocksTheFolder() throws Exception {
        try (StorageEngine engine = StoreFolder.start(data)) {
            assertThat(engine.stats().hashes()).isZero();
            assertThatExceptionOfType(FolderInUseException.class).isThrownBy(this::target);
        }
    }

    @Test
    void aDryRunCountsAndWritesNothing() throws Exception {
        assertThat(Moves.run(source(20, 5), StoreDryRun.open(data), Merge.MAX).written())
                .isEqualTo(new HashTarget.Written(20, 0, 0));
        assertThat(data).doesNotExist();
        Moves.run(source(20, 5), target(), Merge.MAX);
        List<StoredHash> before = StoreFolder.content(data);
        try (StorageEngine engine = StoreFolder.start(data)) {
            assertThat(Moves.run(source(30, 6), StoreDryRun.open(data), Merge.MAX).written())
                    .isEqualTo(new HashTarget.Written(10, 20, 0));
            assertThat(Moves.run(source(30, 4), StoreDryRun.open(data), Merge.MAX).written())
                    .isEqualTo(new HashTarget.Written(10, 0, 20));
            assertThat(engine.stats().revision()).isEqualTo(20);
        }
        assertThat(StoreFolder.content(data)).isEqualTo(before);
    }

    /** A start after the import finds everything, and a check of the folder no damage. */
    @Test
    void leavesASoundStore() throws Exception {
        List<StoredHash> hashes = ExpectedHashes.made(4, 0, 500);
        Moves.run(Moves.of(hashes), target(), Merge.MAX, Expiry.NONE, false, 60);
        assertThat(Verification.of(data)).satisfies(sound -> {
            assertThat(sound.damages()).isEmpty();
            assertThat(sound.pending()).isZero();
            assertThat(sound.hashes()).isEqualTo(500);
        });
        assertThat(StoreFolder.content(data)).containsExactlyInAnyOrderElementsOf(hashes);
    }
}
