package dev.weir.storage.server.request;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

import com.sun.management.ThreadMXBean;
import dev.weir.model.Digest;
import dev.weir.model.Networks;
import dev.weir.storage.Samples;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.Delay;
import dev.weir.storage.access.DigestSet;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.Limits;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.access.RateLimit;
import dev.weir.storage.access.ReplyRules;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.index.FlagThresholds;
import dev.weir.storage.server.stats.Counter;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.ProtocolVersion;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static java.lang.management.ManagementFactory.getThreadMXBean;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests the visible flags of a hash with many flags under rules that withhold some. */
class CheckAnswersTest {
    private static final long NOW = 100_000;
    private static final Instant MOMENT = Instant.ofEpochSecond(NOW);
    private static final long DIGEST = 50;

    private static byte[] request(Generation generation, int code, long number, long @Nullable [] shingles) {
        byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
        CommandWriter writer = new CommandWriter().begin(bytes, 0, generation, code).tag(1)
                .digest(Samples.digest(number).toBytes(), 0);
        if (shingles != null) {
            writer.shingles(shingles);
        }
        return Arrays.copyOf(bytes, writer.end());
    }

    private static HandlerFixture fixture(ReplyRules answers) {
        return new HandlerFixture(8, () -> MOMENT, Access.DEFAULT.withAnswers(answers));
    }

    private static Reply check(HandlerFixture fixture, Generation generation) {
        byte[] reply = fixture.exchange(request(generation, CommandCode.CHECK, DIGEST, null), false).orElseThrow();
        return Reply.decode(reply, 0, reply.length).orElseThrow();
    }

    private static List<Integer> flags(Reply reply) {
        return Stream.concat(Stream.of(reply.flag()), reply.extras().stream().map(Reply.Extra::flag)).toList();
    }

    /** Creates a hash with flags 10..21 and values 100..111, learned at seconds 1000..1011. */
    private static HandlerFixture twelve(ReplyRules answers) {
        HandlerFixture fixture = fixture(answers);
        for (int i = 0; i < 12; i++) {
            fixture.index.apply(Samples.write(DIGEST, 10 + i, 100 + i, 1_000 + i, null));
        }
        return fixture;
    }

    @Test
    void flagsWithTheHighestValuesComeFirst() {
        assertThat(flags(check(twelve(ReplyRules.ALL), Generation.MULTI_FLAG)))
                .containsExactly(21, 20, 19, 18, 17, 16, 15, 14);
    }

    @Test
    void weakFlagsNeverDisplaceStrongOnes() {
        HandlerFixture fixture = twelve(ReplyRules.ALL.withWeak(FlagSet.of(21, 20, 19, 18, 17)));
        assertThat(flags(check(fixture, Generation.MULTI_FLAG))).containsExactly(16, 15, 14, 13, 12, 11, 10, 21);
        assertThat(flags(check(fixture, Generation.V4))).containsExactly(16);
        assertThat(flags(check(twelve(ReplyRules.ALL.withWeak(FlagSet.of(21))), Generation.V3))).containsExactly(20);
    }

    @Test
    void hiddenFlagsMakeRoomForOthers() {
        HandlerFixture fixture = twelve(ReplyRules.ALL.withForbidden(FlagSet.of(21, 19, 300)));
        Reply reply = check(fixture, Generation.MULTI_FLAG);
        assertThat(flags(reply)).containsExactly(20, 18, 17, 16, 15, 14, 13, 12);
        assertThat(reply.value()).isEqualTo(110);
        assertThat(reply.matched()).isTrue();
        assertThat(check(fixture, Generation.V4).value()).isZero();
        assertThat(fixture.count(Counter.HIDDEN)).isEqualTo(1);
    }

    @Test
    void withholdsAFlagUntilItIsOldEnough() {
        Delay delay = new Delay(Duration.ofMinutes(10), Networks.NONE);
        HandlerFixture fixture = twelve(ReplyRules.ALL.withDelay(delay));
        // Later flags with high values: one just learned, and one past the longest possible delay.
        fixture.index.apply(Samples.write(DIGEST, 30, 1_000, NOW - 599, null));
        fixture.index.apply(Samples.write(DIGEST, 31, 900, NOW - 901, null));
        assertThat(flags(check(fixture, Generation.MULTI_FLAG)).subList(0, 2)).containsExactly(31, 21);

        HandlerFixture young = fixture(ReplyRules.ALL.withDelay(delay));
        young.index.apply(Samples.write(DIGEST, 30, 1_000, NOW - 599, null));
        Reply reply = check(young, Generation.V4);
        assertThat(reply.value()).isZero();
        assertThat(reply.flag()).isEqualTo(30);
        assertThat(reply.time()).isZero();
        assertThat(reply.probability()).isZero();
        assertThat(reply.matched()).isFalse();
        assertThat(young.count(Counter.DELAYED)).isEqualTo(1);
    }

    @Test
    void endOfADelayIsRandom() {
        HandlerFixture fixture = fixture(ReplyRules.ALL.withDelay(new Delay(Duration.ofMinutes(10), Networks.NONE)));
        fixture.index.apply(Samples.write(DIGEST, 30, 1_000, NOW - 750, null));
        long seen = Stream.generate(() -> check(fixture, Generation.V4)).limit(200).filter(Reply::isMatch).count();
        // About half; results outside of this range are practically impossible.
        assertThat(seen).isBetween(50L, 150L);
    }

    @Test
    void skippedDigestIsNotMatchedBySimilarityEither() {
        HandlerFixture fixture = fixture(ReplyRules.ALL.withSkipped(DigestSet.of(List.of(Samples.digest(1)))));
        byte[] near = request(Generation.V4, CommandCode.CHECK, 9,
                Samples.changed(Samples.shingles(1), 3, new SplittableRandom(4)));
        byte[] bytes = fixture.exchange(near, false).orElseThrow();
        Reply reply = Reply.decode(bytes, 0, bytes.length).orElseThrow();
        assertThat(reply.value()).isEqualTo(401);
        assertThat(reply.flag()).isEqualTo(3);
        assertThat(reply.time()).isEqualTo(100);
        assertThat(reply.isMatch()).isFalse();
        assertThat(Digest.read(reply.digest(), 0)).isEqualTo(Samples.digest(1));
        assertThat(fixture.count(Counter.MATCHES_SKIPPED)).isEqualTo(1);
    }

    @Test
    void aFlagWithALowerThresholdMatchesBelowOneHalf() {
        long[] near = Samples.changed(Samples.shingles(1), 17, new SplittableRandom(4));
        HandlerFixture usual = fixture(ReplyRules.ALL);
        assertThat(usual.exchange(request(Generation.V4, CommandCode.CHECK, 9, near), false))
                .hasValueSatisfying(bytes -> assertThat(
                        Reply.decode(bytes, 0, bytes.length).orElseThrow().probability()).isZero());
        HandlerFixture fixture = fixture(ReplyRules.ALL.withThresholds(FlagThresholds.of(Map.of(3, 14))));
        byte[] bytes = fixture.exchange(request(Generation.V4, CommandCode.CHECK, 9, near), false).orElseThrow();
        Reply reply = Reply.decode(bytes, 0, bytes.length).orElseThrow();
        assertThat(reply.flag()).isEqualTo(3);
        assertThat(reply.probability()).isEqualTo(15 / 32f);
        assertThat(reply.isMatch()).isFalse();
        assertThat(reply.isMatch(14)).isTrue();
        assertThat(reply.isMatch(16)).isFalse();
    }

    @Test
    void countsPlainDatagramsWithLongerReplies() {
        HandlerFixture fixture = fixture(ReplyRules.ALL);
        for (Generation generation : Generation.current()) {
            fixture.exchange(request(generation, CommandCode.CHECK, 1, null), false);
            fixture.exchange(request(generation, CommandCode.CHECK, 1, Samples.shingles(1)), false);
        }
        // Without shingles, versions 4 and 5 get replies of 96 and 144 bytes to requests of 76 bytes.
        assertThat(fixture.count(Counter.AMPLIFIED)).isEqualTo(2);
        fixture.from("192.0.2.1", true).exchange(request(Generation.V4, CommandCode.CHECK, 1, null), false);
        assertThat(fixture.count(Counter.AMPLIFIED)).isEqualTo(2);
        assertThat(fixture.statistics.generations().get(ProtocolVersion.V0_9)).satisfies(counts -> {
            assertThat(counts.checked()).isEqualTo(2);
            assertThat(counts.shingles()).isEqualTo(1);
            assertThat(counts.found()).isEqualTo(2);
        });
    }

    @Test
    void combinationOfAllRulesAllocatesNothing() {
        RateLimit limit = new RateLimit(1e12, 1);
        Access access = Access.DEFAULT
                .withBlocked(Networks.perFamily("203.0.113.0/24", "2001:db8::/32")).withEncryptedOnly(true)
                .withUpdateSources(Networks.perFamily("192.0.2.0/24"))
                .withAnswers(new ReplyRules(FlagSet.of(10, 12), FlagSet.of(20),
                        DigestSet.of(List.of(Samples.digest(77))), new Delay(Duration.ofSeconds(60), Networks.NONE),
                        FlagThresholds.of(Map.of(3, 10))))
                .withLimits(new Limits(NetworkLimit.of(limit), false))
                .withKeys(List.of(new ServerKey(HandlerFixture.SERVER,
                        KeyRules.DEFAULT.withLimit(limit).withForbidden(FlagSet.of(11)))));
        HandlerFixture fixture = new HandlerFixture(1, () -> MOMENT, access).from("192.0.2.1", false);
        fixture.index.apply(Samples.write(1, 11, 500, 1_000, null));
        byte[] request = fixture.boxed(request(Generation.MULTI_FLAG, CommandCode.CHECK, 1, Samples.shingles(1)));
        byte[] datagram = new byte[Protocol.MAX_DATAGRAM];
        ThreadMXBean threads = (ThreadMXBean) getThreadMXBean();
        long least = Long.MAX_VALUE;
        int rounds = 10_000;
        for (int attempt = 0; attempt < 6; attempt++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            int sum = 0;
            for (int i = 0; i < rounds; i++) {
                System.arraycopy(request, 0, datagram, 0, request.length);
                sum += fixture.handle(datagram, request.length);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            assertThat(sum).isEqualTo(rounds * 184);
        }
        assertThat(fixture.count(Counter.EXACT_HITS)).isEqualTo(6L * rounds);
        assertThat(least).isLessThan(4_096);
    }
}
