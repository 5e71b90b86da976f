package dev.weir.storage.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Folders;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.folder.FolderView;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.LogEnd;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.LogRepair;
import dev.weir.storage.maintenance.Backup;
import dev.weir.storage.maintenance.Verification;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.transfer.storage.StorageSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Files of a storage that are lost, or replaced by an older copy. The storage has 20 hashes in its checkpoint and 30
 * more only in its log, as after a kill. Every command must tell that updates are missing; none goes on without them.
 */
class LostFilesTest {
    private static final int STORED = 20;
    private static final int LOGGED = 30;
    private static final int ALL = STORED + LOGGED;
    private static final InstantSource CLOCK = InstantSource.system();

    @TempDir
    private Path scratch;

    private Path data;
    private Path killed;

    @BeforeEach
    void kill() throws Exception {
        data = scratch.resolve("data");
        killed = scratch.resolve("killed");
        try (StorageEngine engine = start(data)) {
            learn(engine, 0, STORED);
            engine.sync().join();
            learn(engine, STORED, ALL);
            engine.saveTime();
            Folders.copy(data, killed);
        }
    }

    private static StorageEngine start(Path folder) throws StorageException {
        return StorageEngine.start(EngineConfig.of(Duration.ZERO, Duration.ofSeconds(5), Acknowledge.DURABLE,
                LogLimits.DEFAULT, CLOCK), EngineFolder.open(folder));
    }

    private static void learn(StorageEngine engine, int from, int to) {
        for (int n = from; n < to; n++) {
            engine.apply(write(n)).join();
        }
    }

    private static Update.Write write(int n) {
        return Samples.write(n, 1, 5, 1_700_000_000 + n, null);
    }

    private static void checkSound(Path folder, int hashes) throws Exception {
        assertThat(Verification.of(folder).damages()).isEmpty();
        try (StorageEngine engine = start(folder)) {
            assertThat(engine.stats().hashes()).isEqualTo(hashes);
        }
    }

    private void refused(Path folder, String... words) throws Exception {
        // A second attempt must not find what the first one made.
        for (int i = 0; i < 2; i++) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> start(folder).close())
                    .satisfies(e -> assertThat(e.getMessage()).contains(words));
            assertThat(Verification.of(folder).damages()).first().asString().contains(words);
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> Backup.make(folder, Files.createTempDirectory(scratch, "backup"), CLOCK))
                    .satisfies(e -> assertThat(e.getMessage()).contains(words));
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> StorageSource.open(folder).close())
                    .satisfies(e -> assertThat(e.getMessage()).contains(words));
        }
    }

    /** Repairs the log, and starts without what is lost. */
    private static void repaired(Path folder, int hashes) throws Exception {
        Path updates = folder.resolve(DataFolder.UPDATES);
        Files.createDirectories(updates);
        long storage = FolderView.storageId(folder);
        long revision;
        try (var view = FolderView.of(folder)) {
            revision = view.revision();
        }
        LogRepair repair = LogRepair.ofStore(updates, storage, revision, LogClaim.NOTHING,
                LogEndFile.of(folder, storage));
        assertThat(repair.plan().isNeeded()).isTrue();
        Path kept = repair.run(LogLimits.DEFAULT, CLOCK);
        assertThat(kept).exists();
        checkSound(folder, hashes);
    }

    private static void deleteSegments(Path folder) throws IOException {
        for (Path segment : segments(folder)) {
            Files.delete(segment);
        }
    }

    private static List<Path> segments(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(DataFolder.UPDATES))) {
            return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
        }
    }

    @Test
    void startsAfterAKill() throws Exception {
        checkSound(killed, ALL);
    }

    @Test
    void refusesAfterAKillWithoutItsSegments() throws Exception {
        deleteSegments(killed);
        refused(killed, "updates lacks updates 21 to 50");
        repaired(killed, STORED);
    }

    @Test
    void refusesAfterAKillWithoutAnyFileOfItsLog() throws Exception {
        Folders.delete(killed.resolve(DataFolder.UPDATES));
        refused(killed, "updates lacks updates 21 to 50");
        repaired(killed, STORED);
    }

    /** A crash of the machine may leave an older note, which tells that the log was open. */
    @Test
    void refusesWithoutItsLogAlthoughItsEndIsUnknown() throws Exception {
        Folders.delete(killed.resolve(DataFolder.UPDATES));
        long storage = FolderView.storageId(killed);
        LogEndFile note = LogEndFile.of(killed, storage);
        note.write(new LogEnd(3, Long.MAX_VALUE, 0, OptionalLong.empty()));
        refused(killed, "updates lacks what was learned from update 21 on, if anything");
        repaired(killed, STORED);
    }

    @Test
    void refusesWithNeitherALogNorANote() throws Exception {
        Folders.delete(killed.resolve(DataFolder.UPDATES));
        Files.delete(killed.resolve(DataFolder.LOG_END));
        refused(killed, "updates lacks what was learned from update 21 on, if anything");
        repaired(killed, STORED);
    }

    @Test
    void refusesWithoutItsLastSegmentAndItsMark() throws Exception {
        try (StorageEngine engine = start(killed)) {
            learn(engine, ALL, ALL + 1);
        }
        // The stop wrote a checkpoint. An older store needs the log.
        Folders.delete(data.resolve(DataFolder.UPDATES));
        Path fresh = scratch.resolve("again");
        Folders.copy(killed, fresh);
        try (StorageEngine engine = start(fresh)) {
            learn(engine, ALL + 1, ALL + 5);
            engine.saveTime();
            Path copy = scratch.resolve("copy");
            Folders.copy(fresh, copy);
            List<Path> segments = segments(copy);
            Files.delete(segments.getLast());
            Files.delete(copy.resolve(DataFolder.UPDATES).resolve("forced"));
            refused(copy, "updates 52 to 55");
        }
    }

    @Test
    void goesOnWithoutTheHistoryAfterAStop() throws Exception {
        // The fixture stopped the storage in this folder.
        Folders.delete(data.resolve(DataFolder.UPDATES));
        assertThat(Verification.of(data).damages()).isEmpty();
        checkSound(data, ALL);
    }

    /** Replaces the log of a folder by an older copy. */
    private static void putBack(Path old, Path now) throws IOException {
        Folders.delete(now.resolve(DataFolder.UPDATES));
        Folders.copy(old.resolve(DataFolder.UPDATES), now.resolve(DataFolder.UPDATES));
    }

    @Test
    void refusesAnOlderCopyOfTheLog() throws Exception {
        Path old = scratch.resolve("old");
        Folders.copy(data, old);
        Path now = scratch.resolve("now");
        try (StorageEngine engine = start(data)) {
            learn(engine, ALL, ALL + 20);
            engine.sync().join();
            learn(engine, ALL + 20, ALL + 30);
            Folders.copy(data, now);
        }
        putBack(old, now);
        refused(now, "updates 71 to 80");
        repaired(now, ALL + 20);
    }

    /** Each sync of the log updates its note, although only a kill, and no crash of the machine, leaves that. */
    @Test
    void refusesAnOlderCopyOfTheLogFromTheSameRun() throws Exception {
        Path old = scratch.resolve("old");
        Path now = scratch.resolve("now");
        try (StorageEngine engine = start(data)) {
            learn(engine, ALL, ALL + 20);
            Folders.copy(data, old);
            learn(engine, ALL + 20, ALL + 30);
            Folders.copy(data, now);
        }
        putBack(old, now);
        refused(now, "updates 71 to 80");
        repaired(now, ALL + 20);
        // The older copy of the whole folder is an older storage.
        checkSound(old, ALL + 20);
    }

    /** A crash of the machine may bring back the note from before the last updates, but the mark is of another run. */
    @Test
    void refusesTheLogOfAnEarlierRunAfterACrashWithinAMinute() throws Exception {
        Path old = scratch.resolve("old");
        Folders.copy(data, old);
        Path now = scratch.resolve("now");
        try (StorageEngine engine = start(data)) {
            Path note = data.resolve(DataFolder.LOG_END);
            byte[] durable = Files.readAllBytes(note);
            learn(engine, ALL, ALL + 20);
            assertThat(Files.readAllBytes(note)).isNotEqualTo(durable);
            Folders.copy(data, now);
            Files.write(now.resolve(DataFolder.LOG_END), durable);
        }
        putBack(old, now);
        refused(now, "lacks what was learned from update 51 on, if anything");
        repaired(now, ALL);
    }

    @Test
    void refusesAnOlderStoreBesideALogThatNoLongerReachesBack() throws Exception {
        Path old = scratch.resolve("old");
        Folders.copy(killed, old);
        LogLimits none = new LogLimits(1 << 20, 256 << 20, 0, Duration.ZERO, 0, Duration.ZERO);
        for (int run = 0; run < 2; run++) {
            try (StorageEngine engine = StorageEngine.start(EngineConfig.of(Duration.ZERO, Duration.ofSeconds(5),
                    Acknowledge.DURABLE, none, CLOCK), EngineFolder.open(killed))) {
                learn(engine, ALL + run, ALL + run + 1);
            }
        }
        Folders.delete(killed.resolve(DataFolder.STORE));
        Folders.copy(old.resolve(DataFolder.STORE), killed.resolve(DataFolder.STORE));
        refused(killed, "updates 21 to ");
    }

    @Test
    void goesOnWithAnOlderStoreThatTheLogCompletes() throws Exception {
        Path old = scratch.resolve("old");
        Folders.copy(killed, old);
        try (StorageEngine engine = start(killed)) {
            learn(engine, ALL, ALL + 1);
        }
        Folders.delete(killed.resolve(DataFolder.STORE));
        Folders.copy(old.resolve(DataFolder.STORE), killed.resolve(DataFolder.STORE));
        checkSound(killed, ALL + 1);
    }

    /** An empty storage would give its numbers to other updates and its hashes would be gone. */
    @Test
    void beginsNoEmptyStorageBesideALogOrANote() throws Exception {
        Folders.delete(killed.resolve(DataFolder.STORE));
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> start(killed).close())
                .withMessageContaining("manifest is missing").withMessageContaining("log in updates");
        Folders.delete(killed.resolve(DataFolder.UPDATES));
        for (int i = 0; i < 2; i++) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> start(killed).close())
                    .withMessageContaining("manifest is missing").withMessageContaining("log-end");
        }
    }

    @Test
    void aDamagedNoteIsKeptAndChangesNothing() throws Exception {
        Path note = killed.resolve(DataFolder.LOG_END);
        byte[] content = Files.readAllBytes(note);
        content[content.length - 1] ^= 4;
        Files.write(note, content);
        try (StorageEngine engine = start(killed)) {
            assertThat(engine.stats().hashes()).isEqualTo(ALL);
            assertThat(engine.stats().troubles()).singleElement().asString().contains(DataFolder.LOG_END);
        }
        try (Stream<Path> aside = Files.list(killed.resolve(DataFolder.ASIDE))) {
            assertThat(aside.map(file -> file.getFileName().toString())).singleElement().asString()
                    .startsWith(DataFolder.LOG_END);
        }
    }

    @Test
    void aNoteThatIsDeletedWhileTheStorageRunsComesBack() throws Exception {
        try (StorageEngine engine = start(killed)) {
            learn(engine, ALL, ALL + 1);
            Files.delete(killed.resolve(DataFolder.LOG_END));
            learn(engine, ALL + 1, ALL + 2);
            engine.saveTime();
            assertThat(LogEndFile.readOnly(killed, FolderView.storageId(killed)).read().orElseThrow().least())
                    .isEqualTo(ALL + 2);
        }
    }

    @Test
    void aDamagedMarkIsKeptAndChangesNothing() throws Exception {
        Path mark = killed.resolve(DataFolder.UPDATES).resolve("forced");
        try (FileChannel file = FileChannel.open(mark, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[]{1, 2, 3}), 33);
        }
        byte[] damaged = Files.readAllBytes(mark);
        checkSound(killed, ALL);
        try (Stream<Path> files = Files.list(killed.resolve(DataFolder.UPDATES))) {
            Path kept = files.filter(file -> file.getFileName().toString().startsWith("damaged-forced")).findFirst()
                    .orElseThrow();
            assertThat(kept).hasBinaryContent(damaged);
        }
    }

    @Test
    void aBackupHasItsNote() throws Exception {
        Path backup = scratch.resolve("backup");
        Backup.make(killed, backup, CLOCK);
        Files.copy(backup.resolve(DataFolder.LOG_END), scratch.resolve("note"), StandardCopyOption.REPLACE_EXISTING);
        Folders.delete(backup.resolve(DataFolder.UPDATES));
        checkSound(backup, ALL);
    }
}
