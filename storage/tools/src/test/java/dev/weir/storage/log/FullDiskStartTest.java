package dev.weir.storage.log;

import java.time.Duration;
import java.util.List;

import dev.weir.model.KeyedHash;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.checkpoint.CheckpointLock;
import dev.weir.storage.checkpoint.CheckpointSettings;
import dev.weir.storage.engine.CheckpointPlace;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineTurns;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FullDiskStartTest {
    private static final int UPDATES = 25;

    /** Each of 8 buffers has room for one slot, so 25 new hashes need the disk. */
    private static final CheckpointSettings FEW_BUFFERS = new CheckpointSettings(336, 8, 4, 1 << 20,
            Duration.ofHours(1));

    private final LogFixture fixture = new LogFixture();
    private final SimulatedDisk files = new LogFixture(2).disk;
    private final SimulatedStore store = new SimulatedStore(
            new CheckpointPlace(files, FEW_BUFFERS, () -> LogFixture.ID, CheckpointLock.NONE),
            fixture.disk, List.of());

    @Test
    void aStartWithoutRoomForTheUpdatesOfTheLogSaysSo() throws Exception {
        open().close();
        try (UpdateLog log = fixture.open(0)) {
            for (int n = 1; n <= UPDATES; n++) {
                log.add(UpdateOrigin.STORAGE, Samples.write(n, 1, 1, 1_000, Samples.signature(n)));
                log.force();
            }
        }
        files.capacity(files.used(), true);
        assertThatExceptionOfType(StorageException.class).isThrownBy(this::open)
                .withMessageContaining("the store cannot be written: DISK_FULL")
                .withMessageContaining("free or repair the disk")
                .withMessageNotContaining("memory");
        files.capacity(Long.MAX_VALUE, true);
        EngineTurns engine = open();
        assertThat(engine.index().revision()).isEqualTo(UPDATES);
        engine.close();
    }

    private EngineTurns open() throws StorageException {
        return EngineTurns.open(
                new EngineConfig(Duration.ofDays(90), Duration.ofSeconds(1), Acknowledge.DURABLE, LogFixture.SMALL,
                        fixture.clock, fixture.clock::nanos, () -> new KeyedHash(1, 2), Runnable::run,
                        EngineConfig.Replication.ALONE),
                store, _ -> {}, _ -> {});
    }
}
