package dev.weir.storage.transfer.carry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Folders;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.UpdateBatch;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.StartProgress;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.maintenance.Adoption;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.transfer.Hashes;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.mirror.MirrorComparison;
import dev.weir.storage.transfer.mirror.MirrorTarget;
import dev.weir.storage.transfer.sqlite.RspamdFileTarget;
import dev.weir.storage.transfer.sqlite.SqliteSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CarryOverTest {
    private static final InstantSource CLOCK = InstantSource.system();
    private static final long NOW = CLOCK.millis() / 1_000;
    private static final int HASHES = 1_000;
    private static final int CHECKPOINT = 100;

    /** The time between two transactions of a database that gets none before the test ends. */
    private static final Duration NEVER = Duration.ofHours(1);

    @TempDir
    private Path scratch;

    /** Hashes with and without signatures, which share shingles with others, and with one, two or unusual flags. */
    private static List<StoredHash> hashes(int from, int to) {
        List<StoredHash> hashes = new ArrayList<>();
        for (int n = from; n < to; n++) {
            List<FlagValue> flags = new ArrayList<>(List.of(new FlagValue(1 + n % 3, 10 + n, NOW - n)));
            if (n % 5 == 0) {
                flags.add(new FlagValue(n % 2 == 0 ? 7 : 3_000_000, -5, NOW));
            }
            hashes.add(new StoredHash(Samples.digest(n), flags, signature(n), n % 7 == 0 ? NOW : 0));
        }
        return hashes;
    }

    private static @Nullable Signature signature(int n) {
        return switch (n % 4) {
            case 0 -> null;
            case 1 -> Hashes.partial(n, 0xffff_0fff);
            case 2 -> Hashes.near(n, n / 10, Signature.ALL_SLOTS);
            default -> Samples.signature(n);
        };
    }

    /** Makes a folder of an earlier version, whose hashes are in the database alone. */
    private Path weirs(List<StoredHash> hashes) throws Exception {
        Path folder = Files.createDirectory(scratch.resolve("data"));
        Moves.run(Moves.of(hashes), MirrorTarget.create(folder.resolve(DataFolder.DATABASE), 5, 0, CLOCK, () -> false),
                Merge.MAX);
        return folder;
    }

    /** The database that follows the store of a folder for Rspamd. */
    private static Optional<Path> following(Path folder) {
        return Optional.of(folder.resolve(DataFolder.DATABASE));
    }

    /** Leaves a folder as an earlier version did, without a store. */
    private static void removeStore(Path folder) throws IOException {
        Folders.delete(folder.resolve(DataFolder.STORE));
        Files.deleteIfExists(folder.resolve(DataFolder.MIRRORED));
    }

    private static EngineConfig config(Duration sync) {
        return EngineConfig.of(Duration.ofDays(90), sync, Acknowledge.DURABLE, LogLimits.DEFAULT, CLOCK);
    }

    private static StorageEngine start(Path folder, Optional<Path> mirror) throws StorageException {
        return StorageEngine.start(config(Duration.ofSeconds(1)), CarryOver.open(folder, mirror, StartProgress.NONE));
    }

    /** Starts a storage that learns, and stops it. */
    private static void learnInARun(Path folder, Optional<Path> mirror, int from, int to) throws StorageException {
        try (StorageEngine engine = start(folder, mirror)) {
            learn(engine, from, to);
        }
    }

    private static void check(StorageEngine engine, List<StoredHash> hashes) {
        assertThat(engine.stats().hashes()).isEqualTo(hashes.size());
        for (StoredHash hash : hashes) {
            assertThat(engine.find(hash.digest())).containsExactlyInAnyOrderElementsOf(hash.flags());
        }
    }

    @Test
    void takesEveryHashOfADatabaseOfWeir() throws Exception {
        List<StoredHash> hashes = hashes(0, HASHES);
        Path folder = weirs(hashes);
        for (int run = 0; run < 2; run++) {
            try (StorageEngine engine = start(folder, Optional.empty())) {
                check(engine, hashes);
            }
        }
        // The database has what it had.
        assertThat(Moves.all(SqliteSource.open(folder.resolve(DataFolder.DATABASE)), new Omissions()))
                .containsExactlyInAnyOrderElementsOf(hashes);
        assertThat(folder.resolve("store.unfinished")).doesNotExist();
    }

    @Test
    void takesEveryHashOfADatabaseOfRspamd() throws Exception {
        List<StoredHash> hashes = Hashes.inRspamdsTables(hashes(0, HASHES));
        Path folder = Files.createDirectory(scratch.resolve("rspamd"));
        Path database = folder.resolve(DataFolder.DATABASE);
        Moves.run(Moves.of(hashes), RspamdFileTarget.create(database, false, CLOCK), Merge.MAX);
        byte[] before = Files.readAllBytes(database);
        try (StorageEngine engine = start(folder, Optional.empty())) {
            check(engine, hashes);
        }
        assertThat(Files.readAllBytes(database)).isEqualTo(before);
    }

    @Test
    void appliesTheUpdatesThatTheDatabaseLacks() throws Exception {
        Path folder = scratch.resolve("data");
        Path killed = scratch.resolve("killed");
        try (StorageEngine engine = StorageEngine.start(config(NEVER),
                CarryOver.open(folder, following(folder), StartProgress.NONE))) {
            learn(engine, 0, 50);
            engine.sync().join();
            learn(engine, 50, 120);
            Folders.copy(folder, killed);
        }
        removeStore(killed);
        for (Optional<Path> mirror : List.of(following(killed), Optional.<Path>empty())) {
            try (StorageEngine engine = start(killed, mirror)) {
                assertThat(engine.stats().hashes()).isEqualTo(120);
                assertThat(engine.stats().revision()).isEqualTo(120);
                assertThat(engine.find(Samples.digest(119))).containsExactly(new FlagValue(1, 120, NOW));
            }
        }
        assertThat(MirrorComparison.run(killed, killed.resolve(DataFolder.DATABASE))).isEmpty();
    }

    /** What Rspamd does to the database of a stopped storage: a learn, a weight and a removal. */
    private static void changeAsRspamd(Path database) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement();
                PreparedStatement learn = connection.prepareStatement(
                        "INSERT INTO digests(flag, digest, value, time) VALUES (3, CAST(? AS TEXT), 77, ?)");
                PreparedStatement add = connection
                        .prepareStatement("UPDATE digests SET value = value + 1000 WHERE digest = CAST(? AS TEXT)");
                PreparedStatement remove = connection
                        .prepareStatement("DELETE FROM digests WHERE digest = CAST(? AS TEXT)")) {
            statement.execute("PRAGMA foreign_keys = ON");
            learn.setBytes(1, Samples.digest(9_999).toBytes());
            learn.setLong(2, NOW);
            learn.executeUpdate();
            add.setBytes(1, Samples.digest(1).toBytes());
            add.executeUpdate();
            remove.setBytes(1, Samples.digest(2).toBytes());
            remove.executeUpdate();
            statement.execute("UPDATE sources SET version = version + 1 WHERE name = 'local'");
        }
    }

    private static void checkChanges(StorageEngine engine, int hashes) {
        assertThat(engine.stats().hashes()).isEqualTo(hashes);
        assertThat(engine.find(Samples.digest(9_999))).containsExactly(new FlagValue(3, 77, NOW));
        assertThat(engine.find(Samples.digest(1))).containsExactly(new FlagValue(1, 1_002, NOW));
        assertThat(engine.find(Samples.digest(2))).isEmpty();
    }

    @Test
    void takesOverAgainWhatRspamdChangedAfterAStop() throws Exception {
        Path folder = scratch.resolve("data");
        Path database = folder.resolve(DataFolder.DATABASE);
        learnInARun(folder, following(folder), 0, 50);
        changeAsRspamd(database);
        for (int run = 0; run < 2; run++) {
            try (StorageEngine engine = start(folder, following(folder))) {
                checkChanges(engine, 50 + run);
                engine.apply(Samples.write(500, 1, 1, NOW, Samples.signature(500))).join();
            }
            assertThat(MirrorComparison.run(folder, database)).isEmpty();
        }
    }

    /** A kill leaves a database that is behind. It is taken over again only if Rspamd has changed it. */
    @Test
    void takesOverAgainWhatRspamdChangedAfterAKill() throws Exception {
        Path folder = scratch.resolve("data");
        Path killed = scratch.resolve("killed");
        try (StorageEngine engine = StorageEngine.start(config(NEVER),
                CarryOver.open(folder, following(folder), StartProgress.NONE))) {
            learn(engine, 0, 50);
            engine.sync().join();
            learn(engine, 50, 120);
            Folders.copy(folder, killed);
        }
        Path changed = scratch.resolve("changed");
        Folders.copy(killed, changed);
        Stopping watched = new Stopping(Long.MAX_VALUE);
        try (StorageEngine engine = StorageEngine.start(config(NEVER),
                CarryOver.open(killed, following(killed), watched))) {
            assertThat(engine.stats().hashes()).isEqualTo(120);
            assertThat(watched.left).isEqualTo(-1);
        }
        assertThat(MirrorComparison.run(killed, killed.resolve(DataFolder.DATABASE))).isEmpty();
        changeAsRspamd(changed.resolve(DataFolder.DATABASE));
        try (StorageEngine engine = start(changed, following(changed))) {
            checkChanges(engine, 120);
        }
        assertThat(MirrorComparison.run(changed, changed.resolve(DataFolder.DATABASE))).isEmpty();
    }

    /** Database and log have everything that the old store had, so nothing of it is worth its space. */
    @Test
    void keepsNoOldStoreThatDatabaseAndLogComplete() throws Exception {
        Path folder = scratch.resolve("data");
        learnInARun(folder, following(folder), 0, 50);
        learnInARun(folder, Optional.empty(), 50, 120);
        changeAsRspamd(folder.resolve(DataFolder.DATABASE));
        Path damaged = scratch.resolve("damaged");
        Folders.copy(folder, damaged);
        try (StorageEngine engine = start(folder, following(folder))) {
            checkChanges(engine, 120);
        }
        assertThat(folder.resolve(DataFolder.ASIDE)).doesNotExist();
        assertThat(folder.resolve("store.replaced")).doesNotExist();

        // What only the store has is not given up.
        Path segment = secondSegment(damaged.resolve(DataFolder.UPDATES));
        byte[] bytes = Files.readAllBytes(segment);
        for (int at = 64; at < bytes.length; at += 64) {
            bytes[at + 8] ^= 1;
        }
        Files.write(segment, bytes);
        refusesToTakeOver(damaged, "lacks updates that only the store beside it has");
        Files.delete(damaged.resolve(DataFolder.DATABASE));
        try (StorageEngine engine = start(damaged, following(damaged))) {
            assertThat(engine.stats().hashes()).isEqualTo(120);
        }
    }

    @Test
    void anInterruptedTakeOverOfChangesContinues() throws Exception {
        Path folder = scratch.resolve("data");
        Path database = folder.resolve(DataFolder.DATABASE);
        learnInARun(folder, following(folder), 0, 2_000);
        changeAsRspamd(database);
        assertThatExceptionOfType(StoppedException.class).isThrownBy(
                () -> CarryOver.open(folder, following(folder), new Stopping(500), CHECKPOINT, CHECKPOINT));
        Stopping watched = new Stopping(Long.MAX_VALUE);
        try (StorageEngine engine = StorageEngine.start(config(NEVER),
                CarryOver.open(folder, following(folder), watched, CHECKPOINT, CHECKPOINT))) {
            checkChanges(engine, 2_000);
        }
        assertThat(watched.left).isBetween(1L, 1_900L);
        assertThat(MirrorComparison.run(folder, database)).isEmpty();
    }

    /** The log no longer has what would bring the changed database up to date, so the store stays. */
    @Test
    void refusesAChangedDatabaseThatLacksUpdates() throws Exception {
        Path folder = scratch.resolve("data");
        Path database = folder.resolve(DataFolder.DATABASE);
        EngineConfig forgetful = EngineConfig.of(Duration.ofDays(90), Duration.ofSeconds(1), Acknowledge.DURABLE,
                new LogLimits(16 << 10, 256 << 10, 0, Duration.ZERO, 0, LogLimits.REPEATS), CLOCK);
        try (StorageEngine engine = StorageEngine.start(forgetful,
                CarryOver.open(folder, following(folder), StartProgress.NONE))) {
            learn(engine, 0, 50);
        }
        Path old = scratch.resolve("old.db");
        Files.copy(database, old);
        try (StorageEngine engine = StorageEngine.start(forgetful,
                CarryOver.open(folder, following(folder), StartProgress.NONE))) {
            for (int n = 50; n < 500; n += 50) {
                learn(engine, n, n + 50);
                // With the next one, the log gives up what store and database have.
                engine.sync().join();
            }
        }
        Files.copy(old, database, StandardCopyOption.REPLACE_EXISTING);
        refusesToTakeOver(folder, "move the database away");
        Files.delete(database);
        try (StorageEngine engine = start(folder, following(folder))) {
            assertThat(engine.stats().hashes()).isEqualTo(500);
        }
        assertThat(MirrorComparison.run(folder, database)).isEmpty();
    }

    /** An old copy took the place of store and log, which then got other updates than the database. */
    @Test
    void refusesAChangedDatabaseWithOtherUpdates() throws Exception {
        Path folder = scratch.resolve("data");
        Path database = folder.resolve(DataFolder.DATABASE);
        learnInARun(folder, following(folder), 0, 50);
        Path old = scratch.resolve("old");
        Folders.copy(folder, old);
        learnInARun(folder, following(folder), 50, 70);
        changeAsRspamd(database);
        for (String part : List.of(DataFolder.STORE, DataFolder.UPDATES)) {
            Folders.delete(folder.resolve(part));
            Folders.copy(old.resolve(part), folder.resolve(part));
        }
        Files.copy(old.resolve(DataFolder.LOG_END), folder.resolve(DataFolder.LOG_END),
                StandardCopyOption.REPLACE_EXISTING);
        refusesToTakeOver(folder, "updates that the store beside it has lost");
        learnInARun(folder, Optional.empty(), 100, 150);
        refusesToTakeOver(folder, "other updates than the store beside it");
        new Adoption(folder).run(CLOCK);
        try (StorageEngine engine = start(folder, following(folder))) {
            checkChanges(engine, 70);
        }
        assertThat(MirrorComparison.run(folder, database)).isEmpty();
    }

    /** Returns the segment of the second run. */
    private static Path secondSegment(Path updates) throws IOException {
        try (Stream<Path> files = Files.list(updates)) {
            return files.filter(file -> file.toString().endsWith("51.log")).findFirst().orElseThrow();
        }
    }

    private static void refusesToTakeOver(Path folder, String why) {
        for (int i = 0; i < 2; i++) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> CarryOver.open(folder, following(folder), StartProgress.NONE))
                    .withMessageContaining(why).withMessageContaining("weir adopt");
        }
    }

    /** Otherwise nodes that follow this one would not get what Rspamd changed, because no update says it. */
    @Test
    void changesOfRspamdBeginAnotherHistory() throws Exception {
        Path folder = scratch.resolve("data");
        UpdateLog.Tip before;
        try (StorageEngine engine = start(folder, following(folder))) {
            learn(engine, 0, 50);
            before = engine.log().tip();
        }
        changeAsRspamd(folder.resolve(DataFolder.DATABASE));
        try (StorageEngine engine = start(folder, following(folder))) {
            assertThat(engine.log().tip().revision()).isEqualTo(before.revision());
            assertThat(engine.log().tip().checksum()).isNotEqualTo(before.checksum());
            assertThat(engine.log().tip().epoch().fresh()).isTrue();
        }
    }

    @Test
    void refusesAForeignDatabaseBesideAStore() throws Exception {
        Path folder = weirs(hashes(0, 10));
        start(folder, following(folder)).close();
        Path database = folder.resolve(DataFolder.DATABASE);
        Files.delete(database);
        Moves.run(Moves.of(hashes(0, 20)), MirrorTarget.create(database, 6, 0, CLOCK, () -> false), Merge.MAX);
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> CarryOver.open(folder, following(folder), StartProgress.NONE))
                .withMessageContaining("another storage").withMessageContaining("weir adopt");
        new Adoption(folder).run(CLOCK);
        try (StorageEngine engine = start(folder, following(folder))) {
            assertThat(engine.stats().hashes()).isEqualTo(20);
        }
    }

    @Test
    void theDatabaseThatWasCarriedOverFollows() throws Exception {
        List<StoredHash> hashes = hashes(0, HASHES);
        Path folder = weirs(hashes);
        try (StorageEngine engine = start(folder, following(folder))) {
            check(engine, hashes);
            learn(engine, HASHES, HASHES + 20);
        }
        assertThat(MirrorComparison.run(folder, folder.resolve(DataFolder.DATABASE))).isEmpty();
        assertThat(Moves.all(SqliteSource.open(folder.resolve(DataFolder.DATABASE)), new Omissions()))
                .hasSize(HASHES + 20);
    }

    private static void learn(StorageEngine engine, int from, int to) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int n = from; n < to; n++) {
            all.add(engine.apply(Samples.write(n, 1, n + 1, NOW, Samples.signature(n))));
        }
        all.forEach(CompletableFuture::join);
    }

    /** The death of the process, for this test. */
    private static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Stops a carry-over after a part of the hashes, and records the number of hashes that were left at the start. */
    private static final class Stopping implements StartProgress {
        private final long at;
        private long left = -1;

        Stopping(long at) {
            this.at = at;
        }

        @Override
        public void loading(long hashes, long of) {
            // Only a carry-over counts.
        }

        @Override
        public void carrying(long hashes, long of) {
            if (left < 0) {
                left = of;
            }
            if (hashes >= at) {
                throw new StoppedException();
            }
        }
    }

    private static void interrupt(Path folder, long at) {
        assertThatExceptionOfType(StoppedException.class).isThrownBy(
                () -> CarryOver.open(folder, Optional.empty(), new Stopping(at), CHECKPOINT, CHECKPOINT));
        assertThat(folder.resolve(DataFolder.STORE)).doesNotExist();
    }

    @Test
    void continuesAfterAnInterruption() throws Exception {
        List<StoredHash> hashes = hashes(0, 5 * HASHES);
        Path folder = weirs(hashes);
        interrupt(folder, 2 * HASHES);
        Stopping watched = new Stopping(Long.MAX_VALUE);
        try (StorageEngine engine = StorageEngine.start(config(NEVER),
                CarryOver.open(folder, Optional.empty(), watched, CHECKPOINT, CHECKPOINT))) {
            check(engine, hashes);
        }
        assertThat(watched.left).isBetween(1L, 4L * HASHES);
    }

    @Test
    void startsOverWhenTheDatabaseHasChanged() throws Exception {
        List<StoredHash> hashes = hashes(0, 5 * HASHES);
        Path folder = weirs(hashes);
        interrupt(folder, 2 * HASHES);
        try (HashDatabase database = new SqliteFile(folder.resolve(DataFolder.DATABASE)).open()) {
            database.apply(new UpdateBatch(1, NOW, List.of(Samples.write(0, 1, 1_000, NOW, null))));
        }
        try (StorageEngine engine = start(folder, Optional.empty())) {
            assertThat(engine.stats().hashes()).isEqualTo(hashes.size());
            assertThat(engine.find(Samples.digest(0))).contains(new FlagValue(1, 1_010, NOW));
        }
    }

    @Test
    void aDamagedPositionStartsOver() throws Exception {
        List<StoredHash> hashes = hashes(0, 5 * HASHES);
        Path folder = weirs(hashes);
        interrupt(folder, 2 * HASHES);
        Files.writeString(folder.resolve("store.unfinished").resolve("carry-over"), "x");
        try (StorageEngine engine = start(folder, Optional.empty())) {
            check(engine, hashes);
        }
    }

    @Test
    void refusesAForeignDatabaseAndReleasesTheFolder() throws Exception {
        Path folder = Files.createDirectory(scratch.resolve("data"));
        Files.writeString(folder.resolve(DataFolder.DATABASE), "no database");
        for (int i = 0; i < 2; i++) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> CarryOver.open(folder, Optional.empty(), StartProgress.NONE))
                    .withMessageContaining(DataFolder.DATABASE);
        }
    }

    @Test
    void otherwiseTheFolderMustFit() throws Exception {
        Path folder = weirs(hashes(0, 10));
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> EngineFolder.open(folder)).withMessageContaining("weir serve");
    }
}
