package dev.weir.storage.maintenance;

import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import dev.weir.model.FlagValue;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.access.gate.SkipList;
import dev.weir.storage.checkpoint.CheckpointRepair;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.database.sqlite.ReadOnly;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.database.sqlite.Writable;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.folder.FolderView;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.LogEndNote;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.LogRepair;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.state.StateFormat;
import dev.weir.storage.view.StorageView;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Verification and backups of a store. */
class StoreMaintenanceTest {
    private static final int STORED = 500;
    private static final int LOGGED = 40;
    private static final long SECONDS = 1_800_000_000L;
    private static final InstantSource CLOCK = () -> Instant.ofEpochSecond(SECONDS);

    @TempDir
    private Path place = Path.of("");

    private Path folder = Path.of("");

    @BeforeEach
    void folder() {
        folder = place.resolve("data");
    }

    private static StorageEngine start(Path folder) throws StorageException {
        EngineConfig config = EngineConfig.of(Duration.ZERO, Duration.ofSeconds(5), Acknowledge.DURABLE,
                LogLimits.DEFAULT, CLOCK);
        return StorageEngine.start(config, EngineFolder.open(folder));
    }

    /** Digest n gets the value n + 1. */
    private static void learn(StorageEngine engine, int from, int to) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int n = from; n < to; n++) {
            all.add(engine.apply(Samples.write(n, 1, n + 1, SECONDS, n % 4 == 0 ? null : Samples.signature(n))));
        }
        all.forEach(CompletableFuture::join);
    }

    /** Starts an engine whose store has {@link #STORED} hashes, and whose log has {@link #LOGGED} more. */
    private StorageEngine startWithLog() throws StorageException {
        StorageEngine engine = start(folder);
        learn(engine, 0, STORED);
        engine.sync().join();
        learn(engine, STORED, STORED + LOGGED);
        return engine;
    }

    private static void expectAll(StorageEngine engine) {
        assertThat(engine.stats().hashes()).isEqualTo(STORED + LOGGED);
        for (int n = 0; n < STORED + LOGGED; n++) {
            assertThat(engine.find(Samples.digest(n))).containsExactly(new FlagValue(1, n + 1, SECONDS));
        }
    }

    private static void flip(Path file, long position) throws Exception {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(position);
            int old = bytes.read();
            bytes.seek(position);
            bytes.write(old ^ 0x10);
        }
    }

    private Path image() throws Exception {
        try (Stream<Path> files = Files.list(folder.resolve(DataFolder.STORE))) {
            return files.filter(file -> file.getFileName().toString().startsWith("image-")).findFirst().orElseThrow();
        }
    }

    @Test
    void verifiesARunningStore() throws Exception {
        try (StorageEngine engine = startWithLog()) {
            Verification running = Verification.of(folder);
            assertThat(running.damages()).isEmpty();
            assertThat(running.hashes()).isEqualTo(STORED);
            assertThat(running.revision()).isEqualTo(STORED);
            assertThat(running.pending()).isEqualTo(LOGGED);
            expectAll(engine);
        }
        Verification stopped = Verification.of(folder);
        assertThat(stopped.damages()).isEmpty();
        assertThat(stopped.hashes()).isEqualTo(STORED + LOGGED);
        assertThat(stopped.pending()).isZero();
    }

    @Test
    void verificationNamesEachDamagedSlot() throws Exception {
        startWithLog().close();
        flip(folder.resolve(DataFolder.STORE).resolve("signed.slots"), 336 * 3 + 100);
        flip(folder.resolve(DataFolder.STORE).resolve("plain.slots"), 76 * 5 + 66);
        assertThat(Verification.of(folder).damages()).satisfiesExactlyInAnyOrder(
                damage -> assertThat(damage).contains("signed.slots is damaged at byte 1008", "is lost"),
                damage -> assertThat(damage).contains("plain.slots is damaged at byte 380",
                        Samples.digest(16).hex(), "is lost"));
    }

    @Test
    void verificationReportsADamagedImage() throws Exception {
        startWithLog().close();
        flip(image(), 50);
        assertThat(Verification.of(folder).damages()).singleElement().asString().contains("image-",
                "is damaged at byte 0");
    }

    /** The revisions stay, because pages of the image may name them. */
    @Test
    void aRepairOfTheLogKeepsTheRevisions() throws Exception {
        Path copy = place.resolve("copy");
        try (StorageEngine engine = startWithLog()) {
            // The files as a kill leaves them.
            copy(folder.resolve(DataFolder.STORE), copy.resolve(DataFolder.STORE));
            copy(folder.resolve(DataFolder.UPDATES), copy.resolve(DataFolder.UPDATES));
            expectAll(engine);
        }
        Path log = copy.resolve(DataFolder.UPDATES);
        flip(log.resolve(segment(log)), position(log, STORED + 5));
        assertThat(Verification.of(copy).damages()).isNotEmpty();
        CheckpointRepair store = CheckpointRepair.of(copy.resolve(DataFolder.STORE));
        assertThat(store.isNeeded()).isFalse();
        LogRepair repair = LogRepair.ofStore(log, store.storageId(), store.revision(),
                LogClaim.NOTHING, LogEndNote.NONE);
        assertThat(repair.plan().lost()).isEqualTo(1);
        assertThat(repair.plan().kept()).isEqualTo(LOGGED - 1);
        LogRepair forEngine = LogRepair.ofStore(log, store.storageId(), store.revision(), 10, LogEndNote.NONE);
        assertThat(forEngine.plan().lost()).isEqualTo(1);
        assertThat(forEngine.plan().kept()).as("what the shared Redis lacks, too").isEqualTo(STORED - 10 + LOGGED - 1);
        LogRepair former = LogRepair.ofStore(log, store.storageId(), store.revision(), -10, LogEndNote.NONE);
        assertThat(former.plan()).as("the log does not reach back so far").isEqualTo(repair.plan());
        forEngine.run(LogLimits.DEFAULT, CLOCK);
        assertThat(segment(log)).as("the first update of the new log, which clients may repeat").matches("0*1\\D.*");
        assertThat(Verification.of(copy).damages()).isEmpty();
        try (StorageEngine repaired = start(copy)) {
            assertThat(repaired.stats().revision()).isEqualTo(STORED + LOGGED);
            assertThat(repaired.stats().hashes()).isEqualTo(STORED + LOGGED - 1);
            assertThat(repaired.find(Samples.digest(STORED + 4))).isEmpty();
            assertThat(repaired.find(Samples.digest(STORED + 5)))
                    .containsExactly(new FlagValue(1, STORED + 6L, SECONDS));
        }
    }

    private static void copy(Path from, Path to) throws Exception {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName().toString()));
            }
        }
    }

    private static String segment(Path log) throws Exception {
        try (Stream<Path> files = Files.list(log)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".log")).findFirst()
                    .orElseThrow();
        }
    }

    /** Returns a byte of the record of a revision. */
    private static long position(Path log, long revision) throws Exception {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(log.resolve(segment(log))))
                .order(ByteOrder.LITTLE_ENDIAN);
        int at = 64;
        while (bytes.getLong(at + 8) != revision) {
            at += bytes.getInt(at);
        }
        return at + 70L;
    }

    @Test
    void backsUpARunningStoreWithItsLog() throws Exception {
        Path target = place.resolve("backup");
        try (StorageEngine engine = startWithLog()) {
            Backup backup = Backup.make(folder, target, CLOCK);
            assertThat(backup.hashes()).isEqualTo(STORED + LOGGED);
            assertThat(backup.revision()).isEqualTo(STORED + LOGGED);
            assertThat(backup.fromLog()).isEqualTo(LOGGED);
            assertThat(backup.bytes()).isGreaterThan(STORED * 3 / 4 * 336);
            // The storage goes on.
            learn(engine, STORED + LOGGED, STORED + LOGGED + 1);
            engine.sync().join();
        }
        assertThat(Verification.of(target).damages()).isEmpty();
        assertThat(Verification.of(target).pending()).isZero();
        try (StorageEngine restored = start(target)) {
            expectAll(restored);
        }
    }

    /** With the log, what the database lacks must not become unknown. */
    @Test
    void anAdoptionCountsWhatTheDatabaseLacksWithoutTheLog() throws Exception {
        long storage;
        try (StorageEngine engine = startWithLog()) {
            storage = engine.storageId();
        }
        try (HashDatabase database = new SqliteFile(folder.resolve(DataFolder.DATABASE)).open()) {
            database.adopt(storage);
        }
        assertThat(new Adoption(folder).plan().lacking()).hasValue(STORED + LOGGED);
        try (Stream<Path> files = Files.list(folder.resolve(DataFolder.UPDATES))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        assertThat(new Adoption(folder).plan().lacking()).as("by the store").hasValue(STORED + LOGGED);
        Files.write(folder.resolve(DataFolder.STORE).resolve("manifest"), new byte[6_144]);
        assertThat(new Adoption(folder).plan().lacking()).as("by the note").hasValue(STORED + LOGGED);
    }

    @Test
    void verifyNamesEachDamagedSmallFile() throws Exception {
        long storage;
        try (StorageEngine engine = startWithLog()) {
            storage = engine.storageId();
        }
        StateFiles files = new StateFiles(folder, CLOCK);
        List<String> names = List.of(DataFolder.SKIPS, DataFolder.RATE_LIMITS, DataFolder.HITS, DataFolder.SAMPLES,
                DataFolder.MIRRORED, DataFolder.IMPORTS, DataFolder.PUSHES, DataFolder.PUSHED_BATCH, DataFolder.NODE,
                DataFolder.FOLLOWERS, DataFolder.SHARED);
        for (String name : names) {
            files.write(new StateFormat(name, 1, 100), storage, "content\n".getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(Verification.of(folder).damages()).isEmpty();
        List<String> all = new ArrayList<>(names);
        all.add(DataFolder.CLOCK);
        all.add(DataFolder.LOG_END);
        for (String name : all) {
            flip(folder.resolve(name), Files.size(folder.resolve(name)) - 1);
            assertThat(Verification.of(folder).damages()).as(name).singleElement().asString()
                    .contains(folder.resolve(name).toString(), "checksum is wrong", "keeps it aside");
            flip(folder.resolve(name), Files.size(folder.resolve(name)) - 1);
        }
        files.write(new StateFormat(DataFolder.SKIPS, 1, 100), storage + 1, new byte[1]);
        assertThat(Verification.of(folder).damages()).singleElement().asString().contains("another storage");
    }

    /** While their owners write to them. */
    @Test
    void aBackupHasTheSkipListAndTheCampaignsOfTraps() throws Exception {
        Path target = place.resolve("backup");
        SkipList.Entry silenced = new SkipList.Entry(Samples.digest(7), "the newsletter of the shop", Long.MAX_VALUE);
        try (StorageEngine engine = startWithLog();
                Connection traps = Writable.open(folder.resolve("traps.db"));
                Statement statement = traps.createStatement()) {
            SkipList skips = new SkipList();
            skips.load(new StateFiles(folder, CLOCK).file(SkipList.FORMAT, engine.storageId()));
            skips.add(silenced);
            new StateFiles(folder, CLOCK).write(new StateFormat(DataFolder.IMPORTS, 1, 100), engine.storageId(),
                    "lost\n".getBytes(StandardCharsets.US_ASCII));
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("CREATE TABLE votes (id)");
            statement.execute("INSERT INTO votes VALUES (42)");
            statement.execute("BEGIN IMMEDIATE");
            statement.execute("INSERT INTO votes VALUES (43)");
            Backup.make(folder, target, CLOCK);
            assertThat(engine.stats().hashes()).isEqualTo(STORED + LOGGED);
        }
        SkipList copied = new SkipList();
        copied.load(new StateFiles(target, CLOCK).file(SkipList.FORMAT, FolderView.storageId(target)));
        assertThat(copied.entries()).containsExactly(silenced);
        assertThat(target.resolve(DataFolder.IMPORTS)).hasSameBinaryContentAs(folder.resolve(DataFolder.IMPORTS));
        try (Connection traps = ReadOnly.open(target.resolve(DataFolder.TRAPS));
                Statement statement = traps.createStatement();
                ResultSet votes = statement.executeQuery("SELECT group_concat(id) FROM votes")) {
            assertThat(votes.getString(1)).isEqualTo("42");
        }
        assertThat(Files.getPosixFilePermissions(target.resolve(DataFolder.TRAPS)))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        try (StorageEngine restored = start(target)) {
            expectAll(restored);
        }
    }

    @Test
    void refusesABackupOfADamagedStore() throws Exception {
        startWithLog().close();
        flip(folder.resolve(DataFolder.STORE).resolve("signed.slots"), 336 * 3 + 100);
        Path target = place.resolve("backup");
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> Backup.make(folder, target, CLOCK))
                .withMessageContaining("the copy is damaged");
        assertThat(target.resolve(DataFolder.STORE)).doesNotExist();
        // What the attempt left does not prevent the next one.
        flip(folder.resolve(DataFolder.STORE).resolve("signed.slots"), 336 * 3 + 100);
        assertThat(Backup.make(folder, target, CLOCK).hashes()).isEqualTo(STORED + LOGGED);
    }

    @Test
    void refusesABackupIntoAFolderThatIsNotEmpty() throws Exception {
        try (StorageEngine engine = startWithLog()) {
            assertThat(engine.stats().pending()).isEqualTo(LOGGED);
            Path target = Files.createDirectory(place.resolve("backup"));
            Files.createFile(target.resolve("other"));
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> Backup.make(folder, target, CLOCK))
                    .withMessageContaining("is not empty");
        }
    }

    @Test
    void checkpointsWaitForAReader() throws Exception {
        try (StorageEngine engine = startWithLog()) {
            CompletableFuture<Long> checkpoint;
            try (StorageView view = FolderView.of(folder)) {
                checkpoint = engine.sync();
                assertThatExceptionOfType(TimeoutException.class)
                        .isThrownBy(() -> checkpoint.get(300, TimeUnit.MILLISECONDS));
                assertThat(view.damages()).isEmpty();
                assertThat(view.revision()).isEqualTo(STORED);
            }
            assertThat(checkpoint.get(30, TimeUnit.SECONDS)).isEqualTo(STORED + LOGGED);
        }
    }

    @Test
    void aReaderReportsThatAStopReplacedItsCheckpoint() throws Exception {
        StorageEngine engine = startWithLog();
        try (StorageView view = FolderView.of(folder)) {
            engine.close();
            Path target = Files.createDirectory(place.resolve("copy")).resolve("store");
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> view.copyTo(target));
            assertThat(view.damages()).singleElement().asString().contains("had to write a checkpoint");
        }
    }
}
