package dev.weir.storage.transfer.sqlite;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;

import dev.weir.model.Digest;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.sqlite.SqliteDatabase;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Omissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A storage whose log has more than its database, as a stop after a burst leaves it. */
class FolderSourceTest {
    private static final InstantSource CLOCK = InstantSource.system();
    private static final int UPDATES = 40;

    @TempDir
    private Path folder;

    @BeforeEach
    void makeStorage() throws Exception {
        try (DataFolder data = DataFolder.open(folder);
                SqliteDatabase backend = SqliteDatabase.open(data.file(DataFolder.DATABASE));
                UpdateLog log = UpdateLog.open(FolderDisk.of(data.folder(DataFolder.UPDATES)), LogLimits.DEFAULT,
                        backend.storageId(), backend.revision(), CLOCK, Runnable::run, update -> {})) {
            for (int i = 1; i <= UPDATES; i++) {
                log.add(UpdateOrigin.STORAGE, Samples.write(i, 1, i, 1_800_000_000L, Samples.signature(i)));
            }
            log.force();
        }
    }

    private Map<Digest, Long> read(int limit) throws StorageException {
        Map<Digest, Long> values = new HashMap<>();
        try (HashSource source = FolderSource.open(folder, limit)) {
            source.prepare(done -> {});
            source.read(HashSource.START,
                    (position, hash) -> values.put(hash.digest(), hash.flags().getFirst().value()), new Omissions());
        }
        return values;
    }

    private static Map<Digest, Long> all() {
        Map<Digest, Long> values = new HashMap<>();
        for (int i = 1; i <= UPDATES; i++) {
            values.put(Samples.digest(i), (long) i);
        }
        return values;
    }

    private long revision() throws StorageException {
        try (SqliteDatabase backend = SqliteDatabase.open(folder.resolve(DataFolder.DATABASE))) {
            return backend.revision();
        }
    }

    @Test
    void keepsFewUpdatesInMemory() throws Exception {
        assertThat(read(UPDATES)).isEqualTo(all());
        assertThat(revision()).isZero();
    }

    @Test
    void writesManyPendingUpdatesToTheDatabaseFirst() throws Exception {
        assertThat(read(UPDATES - 1)).isEqualTo(all());
        assertThat(revision()).isEqualTo(UPDATES);
    }

    @Test
    void refusesARunningStorageWithManyPendingUpdates() throws Exception {
        try (DataFolder running = DataFolder.open(folder)) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> read(UPDATES - 1))
                    .withMessageContaining("another weir is using").withMessageContaining("weir control fuzzysync");
            assertThat(read(UPDATES)).isEqualTo(all());
            assertThat(running).isNotNull();
        }
    }
}
