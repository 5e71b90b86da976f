package dev.weir.storage.maintenance;

import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Stream;

import dev.weir.model.Digest;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.database.sqlite.SqliteDatabase;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogDamage;
import dev.weir.storage.log.LogDamagedException;
import dev.weir.storage.log.LogEndNote;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.LogRepair;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.storage.StorageSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class MaintenanceTest {
    private static final int UPDATES = 40;
    private static final InstantSource CLOCK = () -> Instant.ofEpochSecond(1_800_000_000L);
    private static final UpdateOrigin CLIENT = new UpdateOrigin(InetAddress.ofLiteral("192.0.2.7"), 4_711, 99,
            new byte[32]);

    @TempDir
    private @Nullable Path given;

    private Path folder = Path.of("");

    @BeforeEach
    void place() {
        folder = Objects.requireNonNull(given).resolve("data");
    }

    private StorageConfig config() {
        return StorageConfig.of(folder).withClock(CLOCK)
                .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
    }

    /**
     * Creates a storage whose process ended when its log had updates that the database lacks. Digest n has the value n.
     */
    private long makeStorageWithLog() throws Exception {
        return makeStorageWithLog(LogLimits.DEFAULT);
    }

    private long makeStorageWithLog(LogLimits limits) throws Exception {
        try (DataFolder data = DataFolder.open(folder);
                SqliteDatabase backend = SqliteDatabase.open(data.file(DataFolder.DATABASE));
                UpdateLog log = UpdateLog.open(FolderDisk.of(data.folder(DataFolder.UPDATES)), limits,
                        backend.storageId(), 0, CLOCK, Runnable::run, update -> {})) {
            for (int i = 1; i <= UPDATES; i++) {
                log.add(CLIENT, Samples.write(i, 1, i, 1_800_000_000L, i % 2 == 0 ? Samples.signature(i) : null));
                log.force();
            }
            return backend.storageId();
        }
    }

    private Path segment() throws Exception {
        try (Stream<Path> files = Files.list(folder.resolve(DataFolder.UPDATES))) {
            return files.filter(file -> file.toString().endsWith(".log")).sorted().findFirst().orElseThrow();
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

    private static Map<Digest, StoredHash> read(Path database) throws StorageException {
        Map<Digest, StoredHash> hashes = new HashMap<>();
        try (SqliteDatabase backend = SqliteDatabase.open(database)) {
            backend.load(hash -> hashes.put(hash.digest(), hash), done -> {});
        }
        return hashes;
    }

    private static void expectValues(Map<Digest, StoredHash> hashes, int... missing) {
        Map<Digest, Long> expected = new HashMap<>();
        for (int i = 1; i <= UPDATES; i++) {
            expected.put(Samples.digest(i), (long) i);
        }
        for (int gone : missing) {
            expected.remove(Samples.digest(gone));
        }
        Map<Digest, Long> values = new HashMap<>();
        hashes.forEach((digest, hash) -> values.put(digest, hash.flags().getFirst().value()));
        assertThat(values).isEqualTo(expected);
    }

    @Test
    void bringsTheDatabaseUpToDateOnce() throws Exception {
        makeStorageWithLog();
        try (DataFolder data = DataFolder.open(folder)) {
            assertThat(CaughtUp.bringUp(data, LogLimits.DEFAULT, CLOCK)).isEqualTo(UPDATES);
            assertThat(CaughtUp.bringUp(data, LogLimits.DEFAULT, CLOCK)).isZero();
        }
        expectValues(read(folder.resolve(DataFolder.DATABASE)));
    }

    @Test
    void aDamagedAuditTrailIsNotSound() throws Exception {
        makeStorageWithLog();
        try (DataFolder data = DataFolder.open(folder)) {
            CaughtUp.bringUp(data, LogLimits.DEFAULT, CLOCK);
        }
        Verification sound = Verification.of(folder);
        assertThat(sound.damages()).isEmpty();
        flip(segment(), 64 + 10 * (160 + 416) + 70);
        Verification verification = Verification.of(folder);
        assertThat(verification.damages()).singleElement().asString().contains("update 21 cannot be read",
                "the audit trail");
        assertThat(verification.isSound()).isFalse();
        assertThat(verification.hashes()).isEqualTo(UPDATES);
        assertThat(verification.pending()).isZero();
    }

    @Test
    void aBackupIncludesUpdatesOfTheLogAndIsAStorage() throws Exception {
        makeStorageWithLog();
        Path target = folder.resolveSibling("backup");
        Backup backup = Backup.make(folder, target, CLOCK);
        assertThat(backup.hashes()).isEqualTo(UPDATES);
        assertThat(backup.fromLog()).isEqualTo(UPDATES);
        assertThat(backup.revision()).isEqualTo(UPDATES);
        try (Stream<Path> files = Files.list(target)) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactly(DataFolder.DATABASE);
        }
        expectValues(read(target.resolve(DataFolder.DATABASE)));
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> Backup.make(folder, target, CLOCK))
                .withMessageContaining("is not empty");
        // The original is as it was.
        assertThat(Verification.of(folder).pending()).isEqualTo(UPDATES);
    }

    @Test
    void backsUpAndVerifiesARunningStorage() throws Exception {
        makeStorageWithLog();
        try (StorageServer server = new StorageServer(config())) {
            server.start();
            Path target = folder.resolveSibling("backup");
            assertThat(Backup.make(folder, target, CLOCK).hashes()).isEqualTo(UPDATES);
            Map<Digest, StoredHash> copied = new HashMap<>();
            Moves.all(StorageSource.open(target), new Omissions()).forEach(hash -> copied.put(hash.digest(), hash));
            expectValues(copied);
            Verification verification = Verification.of(folder);
            assertThat(verification.damages()).isEmpty();
            assertThat(verification.hashes() + verification.pending()).isGreaterThanOrEqualTo(UPDATES);
        }
    }

    @Test
    void aCorruptedRecordStopsTheStartAndRepairDropsItAlone() throws Exception {
        long id = makeStorageWithLog();
        // Update 20 has no signature: 128 bytes, address and key. 10 pairs of 160 and 416 bytes go before 21.
        long position = 64 + 10 * (160 + 416);
        flip(segment(), position + 70);
        try (StorageServer server = new StorageServer(config())) {
            assertThatExceptionOfType(LogDamagedException.class).isThrownBy(server::start)
                    .withMessageContaining(segment().toString()).withMessageContaining("byte " + position)
                    .withMessageContaining("update 21").withMessageContaining("weir repair");
        }
        assertThat(Verification.of(folder).damages()).singleElement().asString().contains("update 21");
        Path log = folder.resolve(DataFolder.UPDATES);
        LogRepair repair = new LogRepair(log, id, 0);
        LogRepair.Plan plan = repair.plan();
        assertThat(plan.damages()).containsExactly(new LogDamage(segment().toString(), position, 21, 21));
        assertThat(plan.kept()).isEqualTo(UPDATES - 1);
        Path kept = repair.run(LogLimits.DEFAULT, CLOCK);
        assertThat(kept).isDirectory();
        try (StorageServer server = new StorageServer(config())) {
            server.start();
            assertThat(server.stats().engine().revision()).isEqualTo(UPDATES - 1);
        }
        expectValues(read(folder.resolve(DataFolder.DATABASE)), 21);
    }

    @Test
    void finishesARepairInterruptedBetweenTheRenames() throws Exception {
        long id = makeStorageWithLog();
        flip(segment(), 64 + 70);
        Path log = folder.resolve(DataFolder.UPDATES);
        new LogRepair(log, id, 0).run(LogLimits.DEFAULT, CLOCK);
        Files.move(log, folder.resolve(DataFolder.UPDATES + ".repair"));
        try (StorageServer server = new StorageServer(config())) {
            server.start();
            assertThat(server.stats().engine().hashes()).isEqualTo(UPDATES - 1);
        }
    }

    @Test
    void leavesOutATornLastRecordAndReportsADamagedHeader() throws Exception {
        makeStorageWithLog();
        // The last record as the power left it: nothing confirms it.
        long last = 64 + 20 * (160 + 416) - 416;
        flip(segment(), last + 300);
        assertThat(Verification.of(folder).pending()).isEqualTo(UPDATES - 1);
        flip(segment(), 20);
        try (StorageServer server = new StorageServer(config())) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(server::start)
                    .withMessageContaining("its header cannot be read");
        }
    }

    @Test
    void noticesADatabaseOlderThanItsLog() throws Exception {
        LogLimits forgetful = new LogLimits(4_096, 1 << 20, 0, Duration.ZERO, 0, Duration.ZERO);
        makeStorageWithLog(forgetful);
        Path database = folder.resolve(DataFolder.DATABASE);
        Path old = folder.resolveSibling("old.db");
        Files.copy(database, old);
        try (DataFolder data = DataFolder.open(folder)) {
            CaughtUp.bringUp(data, forgetful, CLOCK);
        }
        Files.copy(old, database, StandardCopyOption.REPLACE_EXISTING);
        try (StorageServer server = new StorageServer(config())) {
            assertThatExceptionOfType(LogDamagedException.class).isThrownBy(server::start)
                    .withMessageContaining("updates 1 to ");
        }
    }

    /** SQLite's {@code .restore} of a master's database into a storage that has its own log. */
    @Test
    void aDatabaseFromElsewhereNeverMeetsTheEarlierLog() throws Exception {
        Path master = folder.resolveSibling("master.db");
        makeStorageWithLog();
        try (DataFolder data = DataFolder.open(folder)) {
            CaughtUp.bringUp(data, LogLimits.DEFAULT, CLOCK);
        }
        Files.copy(folder.resolve(DataFolder.DATABASE), master);
        Path slave = folder.resolveSibling("slave");
        Path database = slave.resolve(DataFolder.DATABASE);
        Files.createDirectory(slave);
        Files.copy(master, database);
        assertThat(new Adoption(slave).run(CLOCK)).isEmpty();
        StorageConfig config = StorageConfig.of(slave).withClock(CLOCK)
                .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
        try (StorageServer server = new StorageServer(config)) {
            server.start();
            assertThat(server.stats().engine().hashes()).isEqualTo(UPDATES);
        }
        // An adopted copy is a storage of its own: the number of the master does not fit its log.
        Files.copy(master, database, StandardCopyOption.REPLACE_EXISTING);
        try (StorageServer server = new StorageServer(config)) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(server::start)
                    .withMessageContaining("weir adopt");
        }
        Adoption adoption = new Adoption(slave);
        assertThat(adoption.plan()).isEqualTo(new Adoption.Plan(UPDATES, true, true, OptionalLong.empty()));
        List<Path> aside = adoption.run(CLOCK);
        assertThat(aside).hasSize(2);
        assertThat(aside.getFirst()).isDirectoryContaining("glob:**.log");
        assertThat(aside.getLast()).isDirectoryContaining("glob:**manifest");
        assertThat(adoption.plan()).isEqualTo(new Adoption.Plan(UPDATES, false, false, OptionalLong.of(0)));
        try (StorageServer server = new StorageServer(config)) {
            server.start();
            assertThat(server.stats().engine().hashes()).isEqualTo(UPDATES);
        }
    }

    @Test
    void anAdoptionNamesWhatOnlyTheLogHas() throws Exception {
        makeStorageWithLog();
        assertThat(new Adoption(folder).plan()).isEqualTo(new Adoption.Plan(0, false, true, OptionalLong.of(UPDATES)));
        assertThat(new Adoption(folder).run(CLOCK)).hasSize(1);
        try (StorageServer server = new StorageServer(config())) {
            server.start();
            assertThat(server.stats().engine().hashes()).isZero();
        }
    }

    @Test
    void aDamagedPageIsFound() throws Exception {
        makeStorageWithLog();
        try (DataFolder data = DataFolder.open(folder)) {
            CaughtUp.bringUp(data, LogLimits.DEFAULT, CLOCK);
        }
        Path database = folder.resolve(DataFolder.DATABASE);
        for (int i = 0; i < 2_000; i++) {
            flip(database, 8_192 + i);
        }
        assertThat(Verification.of(folder).isSound()).isFalse();
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> Backup.make(folder, folder.resolveSibling("backup"), CLOCK));
        assertThat(folder.resolveSibling("backup").resolve(DataFolder.DATABASE)).doesNotExist();
    }

    @Test
    void theLogRecordsAuthorAndTime() throws Exception {
        long id = makeStorageWithLog();
        try (LogHistory history = LogHistory.open(folder.resolve(DataFolder.UPDATES), id, LogEndNote.NONE)) {
            List<Long> revisions = new ArrayList<>();
            assertThat(history.read(-1, update -> {
                assertThat(update.origin()).isEqualTo(CLIENT);
                assertThat(update.millis()).isEqualTo(CLOCK.millis());
                assertThat(update.update().digest()).isEqualTo(Samples.digest(update.revision()));
                revisions.add(update.revision());
            })).isEmpty();
            assertThat(revisions).hasSize(UPDATES);
        }
    }
}
