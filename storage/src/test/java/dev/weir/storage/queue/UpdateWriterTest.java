package dev.weir.storage.queue;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

import dev.weir.storage.Samples;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.KeyedHash;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.Origin;
import dev.weir.storage.log.UpdateLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class UpdateWriterTest {
    private static final LogLimits LIMITS = new LogLimits(1 << 20, 64 << 20, 0, Duration.ZERO, 0);

    @TempDir
    private Path folder;

    @Test
    void aTurnTellsHowManyUpdatesItTook() throws Exception {
        try (UpdateLog log = UpdateLog.open(FolderDisk.of(folder), LIMITS, 1, 0, InstantSource.system(), Runnable::run,
                _ -> {})) {
            UpdateQueue queue = new UpdateQueue(256);
            UpdateWriter writer = new UpdateWriter(queue, log, new HashIndex(new KeyedHash(1, 2)),
                    UpdateWriter.Acknowledge.DURABLE, new Timing(Duration.ZERO, Duration.ofSeconds(1)),
                    InstantSource.system(), () -> {});
            for (int i = 0; i < 3; i++) {
                queue.offer(new PendingUpdate(Samples.write(i, 1, 1, 1, null), Origin.STORAGE,
                        PendingUpdate.Outcome.NOBODY));
            }
            assertThat(List.of(writer.turn(0), writer.turn(0))).containsExactly(3, 0);
        }
    }
}
