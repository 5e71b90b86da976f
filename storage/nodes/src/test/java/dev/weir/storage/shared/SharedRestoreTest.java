package dev.weir.storage.shared;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.List;

import dev.weir.storage.DataFolder;
import dev.weir.storage.Folders;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.StorageEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The folder of a node, or a part of it, is that of an earlier time, and Redis has updates of the node that its log
 * lacks: their numbers would be given to other updates, which Redis would take for those that it has.
 */
@Tag("peers")
@Timeout(120)
class SharedRestoreTest {
    private static final long NOW = InstantSource.system().millis() / 1_000;
    private static final int COPIED = 5;

    @TempDir
    private Path scratch;

    private RedisProcess redis;
    private SharedCluster cluster;
    private Path copy;

    /** A node whose folder was copied while it ran, and that has learned more since. */
    @BeforeEach
    void start() throws Exception {
        redis = RedisProcess.start(scratch);
        cluster = new SharedCluster(scratch,
                SharedSettingsBuilder.at(redis.address()).layout(SharedLayout.WEIR, 1).build());
        copy = scratch.resolve("copy");
        StorageEngine node = cluster.add();
        learn(node, 0, COPIED);
        // A position is written about a second later.
        SharedNode shared = node.attached(SharedNode.class).orElseThrow();
        shared.save();
        shared.save();
        Folders.copy(cluster.folder(0), copy);
        learn(node, COPIED, 2 * COPIED);
        node.close();
    }

    @AfterEach
    void end() {
        cluster.close();
        redis.close();
    }

    private static void learn(StorageEngine node, int from, int to) {
        for (int i = from; i < to; i++) {
            SharedCluster.learn(node, List.of(Samples.write(i, 1, 10, NOW, null)));
        }
        SharedCluster.await("sent", () -> node.attached(SharedNode.class).orElseThrow().isSettled());
    }

    @Test
    void anOlderCopyOfTheSameRunSendsNothing() throws Exception {
        Folders.delete(cluster.folder(0));
        Folders.copy(copy, cluster.folder(0));
        StorageEngine node = cluster.reopen(0);
        SharedCluster.await("it is refused", () -> node.attached(SharedNode.class).orElseThrow().sendingFailure()
                .contains("the shared Redis has updates of this node up to 10, and its log ended with 5"));
        assertThat(node.hashes().size()).isEqualTo(COPIED);
    }

    @Test
    void aPositionThatIsNewerThanTheLogIsRefused() throws Exception {
        Files.copy(cluster.folder(0).resolve(DataFolder.SHARED), copy.resolve(DataFolder.SHARED),
                StandardCopyOption.REPLACE_EXISTING);
        Folders.delete(cluster.folder(0));
        Folders.copy(copy, cluster.folder(0));
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> cluster.reopen(0)).withMessageContaining(
                "the shared Redis has updates of this node up to 10, and its log ends with 5");
    }

    /** Hashes without a position are not those of any node, unless a damaged position is kept aside. */
    @Test
    void hashesWithoutAPositionAreRefused() throws Exception {
        Files.delete(cluster.folder(0).resolve(DataFolder.SHARED));
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> cluster.reopen(0))
                .withMessageContaining("the folder has 10 hashes that the other nodes do not know");
    }
}
