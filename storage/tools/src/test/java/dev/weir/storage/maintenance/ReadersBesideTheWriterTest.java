package dev.weir.storage.maintenance;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.sqlite.SqliteDatabase;
import dev.weir.storage.log.ConsumerHealth;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogEndNote;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.mirror.MirrorTransactions;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.sqlite.FolderSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of each kind of reader, repeated while a log is written at full speed and its segments come and go. No reader
 * reports damage, and each gets everything that was on disk when it began.
 */
class ReadersBesideTheWriterTest {
    private static final InstantSource CLOCK = InstantSource.system();
    private static final long READING = TimeUnit.MILLISECONDS.toNanos(Integer.getInteger("weir.readers.millis", 2_000));

    /** Segments of a few batches, which the database soon has. */
    private static final LogLimits LIMITS = new LogLimits(1 << 20, 64L << 20, 0, Duration.ZERO, 4 << 20,
            LogLimits.REPEATS);

    /** The number of different digests, which keeps the database small. */
    private static final int DIGESTS = 2_000;

    @TempDir
    private Path given;

    private Path folder;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private DataFolder data;
    private SqliteDatabase backend;
    private UpdateLog log;
    private MirrorTransactions feeder;
    private Future<?> writing;
    private Future<?> feeding;

    @BeforeEach
    void begin() throws Exception {
        folder = given.resolve("data");
        data = DataFolder.open(folder);
        backend = SqliteDatabase.open(data.file(DataFolder.DATABASE));
        log = UpdateLog.open(FolderDisk.of(data.folder(DataFolder.UPDATES)), LIMITS, backend.storageId(),
                backend.revision(), CLOCK, Runnable::run, update -> {});
        feeder = new MirrorTransactions(log,
                new MirrorTransactions.Fed("the database", backend, log.applied(), OptionalLong.empty(),
                        revision -> {
                            log.store().moveTo(revision);
                            log.trim(Long.MAX_VALUE, false);
                        }),
                new ConsumerHealth(log, log.store(), log.applied(),
                        new ConsumerHealth.Words("the database", "cannot be written", "can be written"),
                        System::nanoTime),
                CLOCK, System::nanoTime);
        feeding = threads.submit(() -> {
            while (!ended.get()) {
                feeder.feed(true);
                LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
            }
        });
        writing = threads.submit(() -> {
            for (int n = 0; !ended.get(); n++) {
                int batch = 1 + n * 7919 % Math.min(300, log.room());
                // Never so far ahead that the log is full.
                while (log.durable() - log.applied() > 50_000 && !ended.get()) {
                    LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
                }
                for (int i = 0; i < batch; i++) {
                    log.add(UpdateOrigin.STORAGE, Samples.write((n + i) % DIGESTS, 1, 1, 1_800_000_000L,
                            i % 3 == 0 ? Samples.signature(i) : null));
                }
                log.force();
            }
            return true;
        });
    }

    @AfterEach
    void end() throws Exception {
        ended.set(true);
        writing.get();
        feeding.get();
        feeder.close();
        threads.close();
        log.close();
        backend.close();
        data.close();
    }

    @FunctionalInterface
    private interface Reader {
        /** Returns the revision that the reader reached. */
        long read(int round) throws Exception;
    }

    private void again(Reader reader) throws Exception {
        long from = System.nanoTime();
        int round = 0;
        while (round < 3 || System.nanoTime() - from < READING) {
            assertThat(writing.isDone()).isFalse();
            long durable = log.durable();
            assertThat(reader.read(round)).isGreaterThanOrEqualTo(durable);
            round++;
        }
        assertThat(log.durable()).isGreaterThan(1_000);
    }

    @Test
    void theAuditTrail() throws Exception {
        again(round -> {
            try (LogHistory history = LogHistory.open(folder.resolve(DataFolder.UPDATES), backendId(),
                    LogEndNote.NONE)) {
                long[] last = new long[1];
                assertThat(history.read(-1, update -> {
                    assertThat(last[0] == 0 || update.revision() == last[0] + 1).isTrue();
                    last[0] = update.revision();
                })).isEmpty();
                // A log whose updates the database has all got begins after them.
                return Math.max(last[0], history.first() - 1);
            }
        });
    }

    @Test
    void aVerification() throws Exception {
        again(round -> {
            Verification verification = Verification.of(folder);
            assertThat(verification.damages()).isEmpty();
            return verification.revision() + verification.pending();
        });
    }

    @Test
    void aBackup() throws Exception {
        again(round -> Backup.make(folder, given.resolve("backup" + round), CLOCK).revision());
    }

    /** Each update adds 1 to the weight of a digest, so that the sum of the weights is the revision. */
    @Test
    void anExport() throws Exception {
        again(round -> {
            long[] sum = new long[1];
            try (HashSource source = FolderSource.open(folder)) {
                source.prepare(done -> {});
                source.read(HashSource.START, (position, hash) -> sum[0] += hash.flags().getFirst().value(),
                        new Omissions());
            }
            return sum[0];
        });
    }

    private long backendId() throws StorageException {
        return backend.storageId();
    }
}
