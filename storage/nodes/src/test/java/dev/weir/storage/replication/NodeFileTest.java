package dev.weir.storage.replication;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.queue.Role;
import dev.weir.storage.state.StateFiles;
import dev.weir.wire.key.KeyPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Who takes updates of clients after a promotion that the end of the process cut off: the epoch in the log decides. */
class NodeFileTest {
    private static final int BRANCH = 0x5eed;
    private static final long STORAGE = 7;

    @TempDir
    private Path folder = Path.of("");

    private static ReplicationSettings settings(boolean follows) {
        KeyPair pair = KeyPair.generate(new SecureRandom());
        return new ReplicationSettings(pair, List.of(), List.of(),
                follows ? new ReplicationSettings.Upstream("127.0.0.1", 9, pair.publicKey()) : null, true, 0,
                Duration.ofSeconds(5), Duration.ofMinutes(1));
    }

    private Role.Part after(LeaderEpoch log, boolean follows) throws Exception {
        StateFiles files = new StateFiles(folder, InstantSource.system());
        ReplicationSettings settings = settings(follows);
        new NodeFile(NodeFile.State.PROMOTING, NodeFile.nameOf(settings), 1, BRANCH).write(files, STORAGE);
        Role.Part part = NodeFile.part(NodeFile.read(files, settings, STORAGE, log), settings);
        assertThat(NodeFile.part(NodeFile.read(files, settings, STORAGE, log), settings)).as("also at the next start")
                .isEqualTo(part);
        return part;
    }

    @Test
    void aPromotionThatTheLogHasCounts() throws Exception {
        LeaderEpoch begun = new LeaderEpoch(2, BRANCH, 9, false);
        assertThat(after(begun, true)).isEqualTo(Role.Part.LEADER);
        assertThat(after(begun, false)).isEqualTo(Role.Part.LEADER);
    }

    @Test
    void aPromotionThatTheLogLacksDoesNot() throws Exception {
        for (LeaderEpoch log : List.of(new LeaderEpoch(1, BRANCH + 1, 9, false), LeaderEpoch.NONE,
                new LeaderEpoch(2, BRANCH, 9, true))) {
            assertThat(after(log, true)).as("%s", log).isEqualTo(Role.Part.FOLLOWER);
            assertThat(after(log, false)).as("%s", log).isEqualTo(Role.Part.FENCED);
        }
    }
}
