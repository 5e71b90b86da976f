package dev.weir.storage.mirror;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.UpdateBatch;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.log.ConsumerHealth;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.log.UpdateOrigin;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class MirrorTransactionsTest {
    private static final int UPDATES = 5_000;
    private static final LogLimits LIMITS = new LogLimits(1 << 20, 16 << 20, 0, Duration.ZERO, 0, LogLimits.REPEATS);

    private final AtomicLong nanos = new AtomicLong();
    private final Slow backend = new Slow();

    @TempDir
    Path folder;

    /** A backend that takes a second for each transaction, and requests a stop during the first one. */
    private final class Slow implements HashDatabase {
        private Runnable first = () -> {};
        private long revision;
        private OptionalLong history = OptionalLong.empty();
        private int transactions;
        private boolean compacted;

        @Override
        public long storageId() {
            return 1;
        }

        @Override
        public void adopt(long storageId) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void renumber() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long count() {
            return revision;
        }

        @Override
        public double signedShare() {
            return 0;
        }

        @Override
        public long revision() {
            return revision;
        }

        @Override
        public OptionalLong history() {
            return history;
        }

        @Override
        public void keepHistory(long checksum) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void load(Consumer<StoredHash> hashes, LongConsumer progress) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void apply(UpdateBatch batch) {
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            revision = batch.last();
            history = batch.history();
            if (transactions++ == 0) {
                first.run();
            }
        }

        @Override
        public boolean compact(long spare) {
            compacted = true;
            return true;
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    private @Nullable ConsumerHealth health;

    private UpdateLog filled() throws Exception {
        UpdateLog log = UpdateLog.open(FolderDisk.of(folder), LIMITS, 1, 0, InstantSource.system(), Runnable::run,
                _ -> {});
        add(log, 0);
        return log;
    }

    private static void add(UpdateLog log, int first) throws Exception {
        for (int i = first; i < first + UPDATES; i++) {
            log.add(UpdateOrigin.STORAGE, Samples.write(i, 1, 1, 1, null));
            if (log.room() == 0 || i == first + UPDATES - 1) {
                log.force();
            }
        }
    }

    private static void release(UpdateLog log, long revision) {
        log.store().moveTo(revision);
        log.trim(Long.MAX_VALUE, false);
    }

    private ConsumerHealth health(UpdateLog log) {
        if (health == null) {
            health = new ConsumerHealth(log, log.store(), 0,
                    new ConsumerHealth.Words("the database", "cannot be written", "can be written"), nanos::get);
        }
        return health;
    }

    private MirrorTransactions feeder(UpdateLog log) {
        return new MirrorTransactions(log,
                new MirrorTransactions.Fed("the database", backend, log.applied(), OptionalLong.empty(),
                        revision -> release(log, revision)),
                health(log), InstantSource.system(), nanos::get);
    }

    /** The log may delete what a mirror lacks. This is no damage, and nothing is lost. */
    @Test
    void saysThatTheLogNoLongerHasWhatTheBackendLacks() throws Exception {
        try (UpdateLog log = filled()) {
            MirrorTransactions feeder = feeder(log);
            add(log, UPDATES);
            // The store has everything, so the log keeps only the last segment.
            release(log, log.durable());
            assertThat(log.has(1)).isFalse();
            assertThat(feeder.feed(false)).isFalse();
            assertThat(feeder.isCutOff()).isTrue();
            assertThat(health(log).failure()).isEqualTo(MirrorTransactions.BEHIND);
        }
    }

    /** A stop in the middle of a long queue must not wait until all of it has gone to the database. */
    @Test
    void theDeadlineOfAStopAppliesToAnUpdateInProgress() throws Exception {
        try (UpdateLog log = filled()) {
            MirrorTransactions feeder = feeder(log);
            backend.first = () -> {
                feeder.finish(Duration.ofSeconds(2));
                nanos.addAndGet(Duration.ofHours(2).toNanos());
            };
            assertThat(feeder.feed(false)).isTrue();
            assertThat(backend.transactions).isOne();
            assertThat(log.applied()).isEqualTo(backend.revision).isPositive().isLessThan(UPDATES);
            feeder.compactIfDue();
            assertThat(backend.compacted).isFalse();
        }
    }

    @Test
    void appliesEverythingWithinTheDeadline() throws Exception {
        try (UpdateLog log = filled()) {
            MirrorTransactions feeder = feeder(log);
            backend.first = () -> feeder.finish(Duration.ofMinutes(1));
            assertThat(feeder.feed(false)).isTrue();
            assertThat(log.applied()).isEqualTo(UPDATES);
            assertThat(backend.revision).isEqualTo(UPDATES);
            assertThat(backend.history).isEqualTo(log.checksumAt(UPDATES)).isPresent();
        }
    }
}
