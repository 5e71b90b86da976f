package dev.weir.storage.shared;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.HtmlSides;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;

/** Nodes come to the same shingles and side hashes, whatever each of them learned. */
@Tag("peers")
@Timeout(120)
class SharedSignaturesTest {
    private static final long NOW = InstantSource.system().millis() / 1_000;

    @TempDir
    private Path scratch;

    private static SharedSettings settings(RedisProcess redis, SharedLayout layout) {
        SharedSettings plain = SharedSettingsBuilder.at(redis.address()).reconcile(Duration.ofMillis(1)).build();
        return layout == SharedLayout.RSPAMD
                ? plain
                : SharedSettingsBuilder.of(plain).layout(SharedLayout.WEIR, 1).build();
    }

    private static Update write(int digest, @Nullable Signature signature) {
        return Samples.write(digest, 1, 5, NOW, signature);
    }

    private static Signature withSides(int signature, int sides) {
        return Samples.signature(signature).withSides(Samples.sides(sides));
    }

    private static HashIndex.KnownHash known(StorageEngine node, int digest) {
        return Objects.requireNonNull(node.hashes().known(Samples.digest(digest), new Lookup()));
    }

    /** What a node knows of a digest: which signature of two, and side hashes. */
    private static String signature(StorageEngine node, int digest) {
        HashIndex index = node.hashes().index();
        var found = index.signature(Samples.digest(digest));
        if (found == null) {
            return "none";
        }
        HtmlSides sides = known(node, digest).sides();
        for (int n = 1; n <= 2; n++) {
            if (found.equalSlots(index.signature(Samples.signature(n))) == Signature.SLOTS) {
                return n + " " + sides;
            }
        }
        return "mixed " + sides;
    }

    private static void awaitSame(SharedCluster cluster, int digest, int nodes) throws InterruptedException {
        SharedCluster.await("the same signature", () -> {
            String first = signature(cluster.node(0), digest);
            for (int i = 1; i < nodes; i++) {
                if (!signature(cluster.node(i), digest).equals(first)) {
                    return false;
                }
            }
            return true;
        });
    }

    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void nodesThatLearnOneDigestWithOtherSignaturesConverge(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout));
                Jedis client = redis.client()) {
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            cluster.converge(List.of());
            redis.signal("STOP");
            SharedCluster.learn(one, List.of(write(1, withSides(1, 1)), write(2, Samples.signature(1)),
                    write(3, Samples.signature(1))));
            SharedCluster.learn(two, List.of(write(1, withSides(1, 2)), write(2, Samples.signature(2)),
                    write(3, withSides(2, 3))));
            redis.signal("CONT");
            cluster.converge(SharedNodesTest.digests(4));
            cluster.add();
            cluster.converge(SharedNodesTest.digests(4));
            for (int digest = 1; digest <= 3; digest++) {
                awaitSame(cluster, digest, 3);
            }
            assertThat(known(one, 1).sides()).isNotNull().isEqualTo(known(two, 1).sides());
            assertThat(signature(one, 2)).isIn("1 null", "2 null");
            // They leave it at that.
            List<Long> stored = List.of(one.log().durable(), two.log().durable());
            SharedComparisonTest.awaitScans(client, 12);
            assertThat(List.of(one.log().durable(), two.log().durable())).isEqualTo(stored);
        }
    }

    /** Rspamd's layout has the last shingles, as Rspamd; that of Weir keeps the first ones, as a storage alone. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aNewNodeKnowsTheSameSignatureAsTheOthers(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout))) {
            StorageEngine one = cluster.add();
            SharedCluster.learn(one, List.of(write(1, withSides(1, 1))));
            cluster.converge(SharedNodesTest.digests(3));
            SharedCluster.learn(one, List.of(write(1, Samples.signature(1)), write(2, Samples.signature(1))));
            cluster.converge(SharedNodesTest.digests(3));
            // A learn without side hashes says nothing about them.
            assertThat(known(one, 1).sides()).isEqualTo(Samples.sides(1));
            SharedCluster.learn(one, List.of(write(2, Samples.signature(2))));
            cluster.converge(SharedNodesTest.digests(3));
            cluster.add();
            cluster.converge(SharedNodesTest.digests(3));
            awaitSame(cluster, 1, 2);
            awaitSame(cluster, 2, 2);
            assertThat(signature(one, 2)).isEqualTo(layout == SharedLayout.RSPAMD ? "2 null" : "1 null");
            assertThat(known(cluster.node(1), 1).sides()).isEqualTo(Samples.sides(1));
        }
    }

    @Test
    void aHashThatIsLearnedAgainWithoutShinglesHasNoneAnywhere() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, SharedLayout.WEIR))) {
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            SharedCluster.learn(one, List.of(write(1, Samples.signature(1))));
            cluster.converge(SharedNodesTest.digests(2));
            redis.signal("STOP");
            SharedCluster.learn(one, List.of(new Update.DeleteAll(Samples.digest(1)), write(1, null)));
            redis.signal("CONT");
            SharedCluster.await("no signature", () -> signature(two, 1).equals("none"));
            assertThat(known(two, 1).flags()).isEqualTo(known(one, 1).flags());
            assertThat(signature(one, 1)).isEqualTo("none");
        }
    }

    private static @Nullable Signature randomSignature(Random random) {
        long[] values = Samples.shingles(1 + random.nextInt(2));
        int mask = random.nextInt(3) == 0 ? 1 + random.nextInt(7) : Signature.ALL_SLOTS;
        HtmlSides sides = random.nextBoolean() ? null : Samples.sides(1 + random.nextInt(2));
        return random.nextInt(4) == 0 ? null : Signature.partial(values, 0, mask).withSides(sides);
    }

    private static StoredHash randomHash(Random random) {
        List<FlagValue> flags = new ArrayList<>();
        for (int flag = 1; flag <= 3; flag++) {
            if (random.nextBoolean() || (flag == 3 && flags.isEmpty())) {
                flags.add(new FlagValue(flag, 1 + random.nextInt(2), NOW + random.nextInt(3)));
            }
        }
        // The one with the highest value is the first.
        int best = 0;
        for (int i = 1; i < flags.size(); i++) {
            best = flags.get(i).value() > flags.get(best).value() ? i : best;
        }
        Collections.swap(flags, 0, best);
        return new StoredHash(Samples.digest(1), flags, randomSignature(random), random.nextInt(2) * (NOW + 1));
    }

    /** A state that an index took is no difference any more, so comparisons come to an end. */
    @Test
    void whatAnIndexTookIsNoDifference() {
        Random random = new Random(7);
        Lookup lookup = new Lookup();
        HashIndex index = new HashIndex(new KeyedHash(1, 2));
        for (int i = 0; i < 5_000; i++) {
            StoredHash wanted = randomHash(random);
            // The second time, the order of flags with the same value may be another one.
            change(index, wanted, lookup).forEach(index::apply);
            change(index, wanted, lookup).forEach(index::apply);
            assertThat(change(index, wanted, lookup)).as("%s", wanted).isEmpty();
            HashIndex.KnownHash known = Objects.requireNonNull(index.known(wanted.digest(), lookup));
            Signature signature = wanted.signature();
            assertThat(known.slots()).isEqualTo(signature == null ? 0 : signature.mask());
            assertThat(known.sides()).isEqualTo(signature == null ? null : signature.sides());
        }
    }

    private static List<Update> change(HashIndex index, StoredHash wanted, Lookup lookup) {
        Digest digest = wanted.digest();
        HashIndex.KnownHash known = index.known(digest, lookup);
        return StateChange.of(digest, known, wanted,
                known != null && StateChange.hasOtherSignature(index, digest, known, wanted.signature(), lookup));
    }
}
