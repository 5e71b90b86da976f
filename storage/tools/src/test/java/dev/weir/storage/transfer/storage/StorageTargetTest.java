package dev.weir.storage.transfer.storage;

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
import dev.weir.storage.checkpoint.CheckpointView;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogEndNote;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.maintenance.Verification;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.transfer.Expiry;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.Hashes;
import dev.weir.storage.transfer.ListSource;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.TransferReport;
import dev.weir.testkit.TestFolders;
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

class StorageTargetTest {
    @TempDir
    private Path place = Path.of("");

    private Path data = Path.of("");

    @BeforeEach
    void folder() {
        data = place.resolve("data");
    }

    private StorageTarget target() throws StorageException {
        return StorageTarget.open(data, StoreFolder.CLOCK);
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
        Path folder = TestFolders.make("weir-transfer");
        try {
            Moves.run(Moves.of(hashes), StorageTarget.open(folder, StoreFolder.CLOCK), Merge.MAX);
            List<StoredHash> there = ExpectedHashes.merged(List.of(), hashes, Merge.MAX);
            assertThat(StoreFolder.content(folder)).containsExactlyInAnyOrderElementsOf(there);
            Moves.run(Moves.of(more), StorageTarget.open(folder, StoreFolder.CLOCK), merge, Expiry.NONE, true);
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

    /** An import that ended after some of its updates goes on to the same result. */
    @ParameterizedTest
    @EnumSource(Merge.class)
    void continuesAfterEveryUpdate(Merge merge) throws Exception {
        List<StoredHash> there = ExpectedHashes.made(1, 0, 4);
        List<StoredHash> arriving = new ArrayList<>(ExpectedHashes.made(26, 2, 7));
        arriving.addAll(ExpectedHashes.made(3, 2, 3));
        // A renewal is an update of its own, which the end of the import may cut off.
        assertThat(arriving.subList(2, 5)).anyMatch(hash -> hash.renewed() > 0);
        List<StoredHash> expected = ExpectedHashes.merged(there, arriving, merge);
        List<Update> updates = updates(there, arriving, merge);
        assertThat(updates).hasSizeGreaterThan(6);
        // Only what adds doubles a value if it does not know where it was.
        int step = merge == Merge.ADD ? 1 : 3;
        for (int done = 0; done <= updates.size(); done += step) {
            data = place.resolve("after-" + done);
            try (StorageEngine engine = StoreFolder.start(data)) {
                StoreFolder.apply(engine,
                        there.stream().flatMap(hash -> HashUpdates.between(null, hash).stream()).toList());
                journal(engine, merge, Moves.of(arriving)).put(HashSource.START);
                applyAsImport(engine, updates.subList(0, done));
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
        try (StorageEngine engine = StoreFolder.start(data)) {
            journal(engine, Merge.ADD, source(50, 10)).put(7);
        }
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> Moves.run(source(50, 11), target(), Merge.ADD))
                .withMessageContaining("--restart");
        assertThat(Moves.run(source(50, 10), target(), Merge.ADD).read()).isEqualTo(43);
    }

    /** Without that part of the log, it is unknown which part of the batch was added. */
    @Test
    void refusesToContinueAnAddWithoutItsLog() throws Exception {
        Moves.run(source(60, 1), target(), Merge.MAX);
        Path imports = data.resolve(DataFolder.IMPORTS);
        try (StorageEngine engine = StoreFolder.start(data)) {
            journal(engine, Merge.ADD, source(50, 10)).put(HashSource.START);
        }
        byte[] note = Files.readAllBytes(imports);
        Moves.run(source(80, 1), target(), Merge.MAX, Expiry.NONE, true);
        Files.write(imports, note);
        delete(data.resolve(DataFolder.UPDATES));
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> Moves.run(source(50, 10), target(), Merge.ADD))
                .withMessageContaining("--restart");
    }

    private ImportJournal journal(StorageEngine engine, Merge merge, HashSource content) throws StorageException {
        return ImportJournal.open(new StateFiles(data, StoreFolder.CLOCK), engine.log(), merge,
                content.fingerprint());
    }

    private static void applyAsImport(StorageEngine engine, List<Update> updates) throws StorageException {
        Sending sending = new Sending(engine);
        for (Update update : updates) {
            sending.send(update);
        }
        sending.finish();
    }

    /** A copy of the folder that is older than the import lacks what the note says, so the note does not count. */
    @Test
    void aNoteOfAnImportThatTheRestoredStorageLacksDoesNotCount() throws Exception {
        Moves.run(source(60, 1), target(), Merge.MAX);
        Path before = place.resolve("before");
        copy(data, before);
        Moves.run(source(50, 10), target(), Merge.ADD);
        byte[] note = Files.readAllBytes(data.resolve(DataFolder.IMPORTS));
        delete(data);
        copy(before, data);
        Files.write(data.resolve(DataFolder.IMPORTS), note);
        assertThat(Moves.run(source(50, 10), target(), Merge.ADD).doneBefore()).isFalse();
        assertThat(StoreFolder.content(data)).filteredOn(hash -> hash.flags().getFirst().value() == 11).hasSize(50);
        assertThat(Moves.run(source(50, 10), target(), Merge.ADD).doneBefore()).isTrue();
    }

    /** A copy from the middle of an import has a part of it, and no one can say which. */
    @Test
    void aRestoredPartOfAnImportIsNotGuessed() throws Exception {
        Moves.run(source(60, 1), target(), Merge.MAX);
        Path middle = place.resolve("middle");
        try (StorageTarget half = target()) {
            half.begin(new HashTarget.Plan(source(50, 10).fingerprint(), 50, Merge.ADD, false));
            half.write(items(0, 20), new Omissions());
        }
        copy(data, middle);
        Moves.run(source(50, 10), target(), Merge.ADD);
        byte[] note = Files.readAllBytes(data.resolve(DataFolder.IMPORTS));
        delete(data);
        copy(middle, data);
        Files.write(data.resolve(DataFolder.IMPORTS), note);
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> Moves.run(source(50, 10), target(), Merge.ADD))
                .withMessageContaining("may have a part").withMessageContaining("--restart");
    }

    private static List<HashTarget.Item> items(int from, int to) throws StorageException {
        List<HashTarget.Item> items = new ArrayList<>();
        source(50, 10).read(HashSource.START, (position, hash) -> items.add(new HashTarget.Item(position, hash)),
                new Omissions());
        return items.subList(from, to);
    }

    /** What an undo removed between an interruption and the resume stays removed; the rest comes once. */
    @Test
    void anUndoInBetweenIsNeitherRepeatedNorTakenForTheImport() throws Exception {
        try (StorageTarget half = target()) {
            half.begin(new HashTarget.Plan(source(50, 10).fingerprint(), 50, Merge.ADD, false));
            half.write(items(0, 20), new Omissions());
        }
        // An undo takes the first five away, and five that have not come yet lose a value that a client had given.
        try (StorageEngine engine = StoreFolder.start(data)) {
            for (int i = 1; i <= 5; i++) {
                engine.apply(new Update.Delete(Samples.digest(i), 1)).join();
                engine.apply(new Update.Write(Samples.digest(30 + i), 1, 3, 1_000, null)).join();
                engine.apply(new Update.Write(Samples.digest(30 + i), 1, -2, 1_000, null)).join();
            }
        }
        Moves.run(source(50, 10), target(), Merge.ADD);
        assertThat(StoreFolder.content(data)).filteredOn(hash -> hash.flags().getFirst().value() == 10).hasSize(40);
        assertThat(StoreFolder.content(data)).filteredOn(hash -> hash.flags().getFirst().value() == 11).hasSize(5);
        assertThat(StoreFolder.content(data)).hasSize(45);
    }

    /** A flipped digit is noticed, and no add is guessed afterwards. */
    @Test
    void aDamagedNoteIsKeptAsideAndNothingIsAddedTwice() throws Exception {
        Moves.run(source(50, 10), target(), Merge.ADD);
        Path imports = data.resolve(DataFolder.IMPORTS);
        byte[] bytes = Files.readAllBytes(imports);
        bytes[bytes.length - 3] ^= 1;
        Files.write(imports, bytes);
        for (int i = 0; i < 2; i++) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> Moves.run(source(50, 12), target(), Merge.ADD))
                    .withMessageContaining("lost or damaged").withMessageContaining("--restart");
        }
        assertThat(data.resolve(DataFolder.ASIDE)).isDirectoryContaining("glob:**/imports.*");
        assertThat(Moves.run(source(50, 10), target(), Merge.ADD).doneBefore()).as("by the log").isTrue();
        assertThat(Moves.run(source(50, 10), target(), Merge.MAX).written().added()).isZero();
        assertThat(Moves.run(source(50, 11), target(), Merge.ADD, Expiry.NONE, true).doneBefore()).isFalse();
        assertThat(Moves.run(source(50, 11), target(), Merge.ADD).doneBefore()).isTrue();
    }

    /** Without the file, only the log tells that there were imports. */
    @Test
    void aDeletedNoteIsMissedAndNothingIsAddedTwice() throws Exception {
        Moves.run(source(50, 10), target(), Merge.ADD);
        Path imports = data.resolve(DataFolder.IMPORTS);
        Files.delete(imports);
        for (int i = 0; i < 2; i++) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> Moves.run(source(50, 12), target(), Merge.ADD))
                    .withMessageContaining("lost or damaged").withMessageContaining("--restart");
        }
        assertThat(Moves.run(source(50, 10), target(), Merge.ADD).doneBefore()).as("by the log").isTrue();
        Moves.run(source(50, 10), target(), Merge.MAX);
        assertThat(StoreFolder.content(data)).allMatch(hash -> hash.flags().getFirst().value() == 10);
    }

    /** A follower has the log of its leader, but not the notes of its imports. */
    @Test
    void aPromotedFollowerKnowsTheImportsOfItsLogAndSaysWhatItDoesNotKnow() throws Exception {
        Moves.run(source(50, 10), target(), Merge.ADD);
        Files.delete(data.resolve(DataFolder.IMPORTS));
        promote();
        assertThat(Moves.run(source(50, 10), target(), Merge.ADD).doneBefore()).isTrue();
        for (int i = 0; i < 2; i++) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> Moves.run(source(50, 11), target(), Merge.ADD))
                    .withMessageContaining("followed another one or was promoted").withMessageContaining("--restart")
                    .satisfies(e -> assertThat(e.getMessage()).doesNotContain("lost"));
        }
        assertThat(Moves.run(source(50, 11), target(), Merge.ADD, Expiry.NONE, true).doneBefore()).isFalse();
        assertThat(Moves.run(source(50, 11), target(), Merge.ADD).doneBefore()).isTrue();
        assertThat(StoreFolder.content(data)).allMatch(hash -> hash.flags().getFirst().value() == 21);
    }

    /** The leader died during an import, and its follower was promoted. */
    @Test
    void aPromotedFollowerAddsNoPartOfAnImportTwice() throws Exception {
        try (StorageTarget target = target()) {
            target.begin(new HashTarget.Plan(source(50, 10).fingerprint(), 50, Merge.ADD, false));
        }
        Files.deleteIfExists(data.resolve(DataFolder.IMPORTS));
        promote();
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> Moves.run(source(50, 10), target(), Merge.ADD))
                .withMessageContaining("began and did not end").withMessageContaining("at the node where it ran");
    }

    private void promote() throws StorageException {
        long storage;
        long revision;
        try (CheckpointView view = CheckpointView.open(data.resolve(DataFolder.STORE))) {
            storage = view.storageId();
            revision = view.revision();
        }
        try (UpdateLog log = UpdateLog.open(FolderDisk.of(data.resolve(DataFolder.UPDATES)), LogLimits.DEFAULT, storage,
                revision, StoreFolder.CLOCK, Runnable::run, _ -> {})) {
            log.promote(0, false, 7);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
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
        assertThat(Files.readString(data.resolve(DataFolder.IMPORTS))).containsOnlyOnce("\n");
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
        assertThat(Moves.run(source(20, 5), StorageDryRun.open(data), Merge.MAX).written())
                .isEqualTo(new HashTarget.Written(20, 0, 0));
        assertThat(data).doesNotExist();
        Moves.run(source(20, 5), target(), Merge.MAX);
        List<StoredHash> before = StoreFolder.content(data);
        try (StorageEngine engine = StoreFolder.start(data)) {
            assertThat(Moves.run(source(30, 6), StorageDryRun.open(data), Merge.MAX).written())
                    .isEqualTo(new HashTarget.Written(10, 20, 0));
            assertThat(Moves.run(source(30, 4), StorageDryRun.open(data), Merge.MAX).written())
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
