package dev.weir.storage.shared;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.engine.StorageEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

import static dev.weir.storage.shared.SharedCluster.troubles;
import static dev.weir.storage.shared.SharedLossTest.EXPIRE;
import static dev.weir.storage.shared.SharedLossTest.HASHES;
import static dev.weir.storage.shared.SharedLossTest.all;
import static dev.weir.storage.shared.SharedLossTest.assertValues;
import static dev.weir.storage.shared.SharedLossTest.settings;
import static dev.weir.storage.shared.SharedLossTest.writes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The folder or a setting of a node or of its Redis is not what the nodes know: it is refused, or counts once. */
@Tag("peers")
@Timeout(120)
class SharedIdentityTest {
    @TempDir
    private Path scratch;

    /** A node that does not know which of its updates Redis has must not send them as additions. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aDamagedPositionDoublesNothing(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout))) {
            StorageEngine one = cluster.add();
            cluster.add();
            SharedCluster.learn(one, writes(0, HASHES, 10));
            assertValues(cluster.converge(all()), HASHES, 10);
            one.close();
            Path file = cluster.folder(0).resolve(DataFolder.SHARED);
            byte[] bytes = Files.readAllBytes(file);
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            bytes[text.indexOf("node ") + "node ".length()] ^= 1;
            Files.write(file, bytes);
            StorageEngine again = cluster.reopen(0);
            assertThat(again.stats().troubles()).extracting(Trouble::reason).contains(
                    "this node lost its position in the shared Redis");
            assertValues(cluster.converge(all()), HASHES, 10);
            SharedCluster.learn(again, writes(0, HASHES, 1));
            assertValues(cluster.converge(all()), HASHES, 11);
        }
    }

    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void twoNodesFromOneFolderAreNoticedWhileTheyRun(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout))) {
            StorageEngine one = cluster.add();
            SharedCluster.learn(one, writes(0, 10, 10));
            cluster.converge(all());
            one.close();
            copy(cluster.folder(0), cluster.folder(1));
            StorageEngine first = cluster.reopen(0);
            cluster.converge(all());
            // The copy takes over the name, and the first node notices.
            StorageEngine second = SharedCluster.open(cluster.folder(1), settings(redis, layout), EXPIRE);
            try {
                SharedCluster.await("one of the two is refused", () -> {
                    SharedCluster.learn(first, writes(20, 21, 1));
                    SharedCluster.learn(second, writes(21, 22, 1));
                    return refused(first) != refused(second);
                });
                StorageEngine good = refused(first) ? second : first;
                SharedCluster.await("the other one goes on",
                        () -> good.attached(SharedNode.class).orElseThrow().isSettled());
                assertThat(troubles(refused(first) ? first : second)).contains("two nodes have the name")
                        .contains("begin with an empty folder");
            } finally {
                second.close();
            }
        }
    }

    private static boolean refused(StorageEngine node) {
        return node.attached(SharedNode.class).orElseThrow().sendingFailure().contains("two nodes have the name");
    }

    private static void copy(Path from, Path to) throws Exception {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void nodesWithAnotherAgeOfExpiryAreRefused(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout), EXPIRE)) {
            StorageEngine one = cluster.add();
            SharedCluster.learn(one, writes(0, HASHES, 10));
            cluster.converge(all());
            try (StorageEngine two = SharedCluster.open(scratch.resolve("other"), settings(redis, layout),
                    Duration.ofDays(30)); Jedis client = redis.client()) {
                SharedCluster.await("refused", () -> troubles(two).contains("this one has expire=2592000 s, and the "
                        + "shared Redis has expire=7776000 s"));
                // Meanwhile, it would have compared its hashes with those of Redis as well.
                SharedComparisonTest.awaitScans(client, 10);
                assertThat(two.hashes().size()).isZero();
            }
            SharedLayout other = layout == SharedLayout.WEIR ? SharedLayout.RSPAMD : SharedLayout.WEIR;
            try (StorageEngine three = SharedCluster.open(scratch.resolve("third"), settings(redis, other), EXPIRE)) {
                SharedCluster.await("refused", () -> troubles(three).contains("this one has " + other + ",shards=")
                        && troubles(three).contains("the shared Redis has " + layout + ",shards="));
            }
        }
    }

    @Test
    void aNodeThatMovesToAnotherPrefixIsRefused() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, SharedLayout.WEIR))) {
            StorageEngine one = cluster.add();
            SharedCluster.learn(one, writes(0, 10, 10));
            cluster.converge(all());
            one.close();
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> SharedCluster.open(cluster.folder(0),
                    SharedSettingsBuilder.of(settings(redis, SharedLayout.WEIR)).layout(SharedLayout.RSPAMD, 1).build(),
                    EXPIRE))
                    .withMessageContaining("shards");
            SharedSettings here = settings(redis, SharedLayout.WEIR);
            SharedSettings moved = new SharedSettings(here.mode(), here.servers(), here.readers(), here.master(),
                    here.login(), here.tls(), here.database(), "other", here.layout(), here.shards(), here.timeout(),
                    here.reconcile(), here.asks(), here.history(), here.confirmation());
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> SharedCluster.open(cluster.folder(0), moved, EXPIRE))
                    .withMessageContaining("the node shared its hashes at").withMessageContaining("prefix=other");
        }
    }

    /** Redis that evicts is refused; if it begins to evict later, the nodes keep and put back what it removes. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aRedisThatEvictsIsRefused(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch, "--maxmemory", "100mb", "--maxmemory-policy",
                "allkeys-lru")) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> SharedCluster.open(scratch.resolve("node"), settings(redis, layout), EXPIRE))
                    .withMessageContaining("maxmemory-policy allkeys-lru").withMessageContaining("noeviction");
        }
    }
}
