package dev.weir.storage.access.gate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import dev.weir.model.KeyedHash;
import dev.weir.model.Network;
import dev.weir.model.Networks;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.access.RateLimit;
import dev.weir.storage.access.gate.NetworkBuckets.Verdict;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import static org.assertj.core.api.Assertions.assertThat;

class NetworkBucketsPropertyTest {
    /** A simple reference implementation of docs/reference/storage.md#limits-of-networks for one network. */
    private static final class Plain {
        private double level = 1;
        private long last;
        private final long created;

        Plain(long now) {
            this.last = now;
            this.created = now;
        }

        boolean isGone(long ttl, long now) {
            return now - created >= ttl;
        }

        boolean pass(RateLimit limit, long now) {
            if (Double.isNaN(level)) {
                return false;
            }
            level = Math.max(0, level - limit.rate() * ((now - last) / 1000.0));
            last = now;
            if (level >= limit.burst()) {
                level = Double.NaN;
                return false;
            }
            level++;
            return true;
        }
    }

    @Property(seed = "20260303", tries = 300)
    void tableWithRoomFollowsTheReferenceRule(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        RateLimit limit = new RateLimit(1 + random.nextInt(20), 0.5 + random.nextInt(8));
        long ttl = 1_000L + random.nextInt(60_000);
        NetworkBuckets buckets = new NetworkBuckets(1_000, new KeyedHash(seed, 2));
        Map<Long, Plain> plain = new HashMap<>();
        long now = random.nextLong(1L << 40);
        for (int i = 0; i < 400; i++) {
            now += random.nextInt(10) == 0 ? random.nextInt(20_000) : random.nextInt(200);
            long network = random.nextInt(4);
            boolean pass = buckets.add(7, network, limit, ttl, now) == Verdict.PASS;
            Plain model = plain.get(network);
            boolean expected = true;
            if (model == null || model.isGone(ttl, now)) {
                plain.put(network, new Plain(now));
            } else {
                expected = model.pass(limit, now);
            }
            assertThat(pass).as("request %d", i).isEqualTo(expected);
        }
    }

    @Property(seed = "20260304", tries = 100)
    void refusesRequestsAfterTheBurstUntilTheTimeToLiveEnds(@ForAll @IntRange(min = 1, max = 50) int burst,
            @ForAll @IntRange(min = 1, max = 100_000) int ttl) {
        NetworkBuckets buckets = new NetworkBuckets(1, new KeyedHash(1, 2));
        RateLimit limit = new RateLimit(burst, 1e-9);
        for (int i = 0; i < burst; i++) {
            assertThat(buckets.add(0, 9, limit, ttl, 5_000)).isEqualTo(Verdict.PASS);
        }
        assertThat(buckets.add(0, 9, limit, ttl, 5_000)).isEqualTo(Verdict.FIRST_OVER);
        assertThat(buckets.add(0, 9, limit, ttl, 5_000 + ttl - 1)).isEqualTo(Verdict.OVER);
        assertThat(buckets.add(0, 9, limit, ttl, 5_000 + ttl)).isEqualTo(Verdict.PASS);
    }

    @Property(seed = "20260305", tries = 50)
    void floodOfNetworksIsBoundedAndEvictsTheOldest(@ForAll @IntRange(min = 1, max = 300) int room,
            @ForAll long seed) {
        NetworkBuckets buckets = new NetworkBuckets(room, new KeyedHash(seed, 2));
        RateLimit limit = new RateLimit(1, 1e-9);
        SplittableRandom random = new SplittableRandom(seed);
        // One network over its limit, then many within theirs.
        buckets.add(1, 1, limit, 1_000_000, 1);
        buckets.add(1, 1, limit, 1_000_000, 1);
        long latest = 0;
        int flood = 8 * buckets.capacity();
        for (int i = 0; i < flood; i++) {
            latest = random.nextLong();
            assertThat(buckets.add(2, latest, limit, 1_000_000, 10 + i)).isEqualTo(Verdict.PASS);
        }
        List<NetworkBuckets.Entry> entries = new ArrayList<>();
        buckets.forEach(entries::add);
        assertThat(entries).hasSizeLessThanOrEqualTo(buckets.capacity());
        assertThat(buckets.capacity()).isGreaterThanOrEqualTo(room);
        assertThat(buckets.add(1, 1, limit, 1_000_000, 10 + flood)).isEqualTo(Verdict.OVER);
        // Nothing leaks out within the same millisecond.
        assertThat(buckets.add(2, latest, limit, 1_000_000, 10 + flood - 1)).isEqualTo(Verdict.FIRST_OVER);
    }

    /** With multiplicative mixing, addresses whose halves cancel out would share a set for any seed. */
    @Property(seed = "20261125", tries = 50)
    void chosenNetworksDoNotShareASet(@ForAll long key) {
        NetworkBuckets buckets = new NetworkBuckets(1_000, new KeyedHash(key, 2));
        RateLimit limit = new RateLimit(100, 1e-9);
        long victim = 0x1234_5678_9abcL;
        buckets.add(1, victim, limit, 1_000_000, 1);
        for (long i = 1; i <= 64; i++) {
            long halves = i << 13;
            buckets.add(1, victim ^ (halves << 32 | halves), limit, 1_000_000, 1 + i);
        }
        List<NetworkBuckets.Entry> entries = new ArrayList<>();
        buckets.forEach(entries::add);
        assertThat(entries).hasSize(65);
    }

    @Property(seed = "20260306", tries = 100)
    void settingTheClockBackRefusesNoNetworkForLonger(@ForAll @IntRange(min = 1, max = 1_000_000) int back) {
        NetworkBuckets buckets = new NetworkBuckets(1, new KeyedHash(1, 2));
        RateLimit limit = new RateLimit(1, 1e-9);
        long now = 10_000_000;
        buckets.add(0, 9, limit, 1_000, now);
        buckets.add(0, 9, limit, 1_000, now);
        long earlier = now - back;
        assertThat(buckets.add(0, 9, limit, 1_000, earlier)).isEqualTo(Verdict.OVER);
        assertThat(buckets.add(0, 9, limit, 1_000, earlier + 1_000)).isEqualTo(Verdict.PASS);
    }

    @Property(seed = "20260307", tries = 200)
    void fileContentSurvivesARoundTripAndDamageIsDetected(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        NetworkLimit limit = new NetworkLimit(new RateLimit(3, 0.01), Networks.NONE, 100, random.nextInt(33),
                NetworkLimit.DEFAULT_TTL);
        NetworkBuckets buckets = new NetworkBuckets(100, new KeyedHash(seed, 2));
        for (int i = 0; i < 60; i++) {
            boolean v4 = random.nextBoolean();
            int bits = limit.bits(v4);
            long low = v4 ? 0xffff00000000L | random.nextInt(10) << 24 : random.nextLong();
            long high = v4 ? 0 : 1 + random.nextLong(1L << 62);
            buckets.add(high & Network.highMask(bits), low & Network.lowMask(bits), limit.limit(), 100_000,
                    1_000 + random.nextInt(900));
        }
        List<LimitFile.NetworkEntry> entries = new ArrayList<>();
        buckets.forEach(entry -> entries.add(LimitFile.entry(entry, limit)));
        String text = LimitFile.encode(new LimitFile.Content(entries, Map.of()));
        assertThat(LimitFile.decode(text).orElseThrow().networks()).isEqualTo(entries);
    }

    @Property(seed = "20260308", tries = 100)
    void bucketOfAKeyDrainsWhileRequestsAreRefused(@ForAll @IntRange(min = 1, max = 20) int burst) {
        Bucket bucket = new Bucket();
        RateLimit limit = new RateLimit(burst, 1);
        long now = 1_000_000;
        for (int i = 0; i < burst; i++) {
            assertThat(bucket.add(limit, now)).isTrue();
        }
        for (int i = 0; i < 9; i++) {
            assertThat(bucket.add(limit, now)).isFalse();
        }
        assertThat(bucket.add(limit, now + 1)).isTrue();
        assertThat(bucket.add(limit, now + 500)).isFalse();
        assertThat(bucket.add(limit, now + 1_001)).isTrue();
    }
}
