package dev.weir.storage.replication;

import java.nio.file.Path;

import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.StorageEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class FollowerTest {
    @Test
    void itsDistanceIsUnknownBeforeTheLeaderAnswers(@TempDir Path folder) throws Exception {
        try (StorageEngine engine = StorageEngine.start(EngineConfig.DEFAULT, EngineFolder.open(folder))) {
            Follower follower = new Follower(engine.log(), 1, System::nanoTime, () -> false);
            assertThat(follower.behind()).isEqualTo(-1);
            assertThat(follower.lagSeconds()).isEmpty();
            follower.failed("it cannot be reached");
            assertThat(follower.behind()).isEqualTo(-1);
        }
    }
}
