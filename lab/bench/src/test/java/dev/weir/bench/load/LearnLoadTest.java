package dev.weir.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;

import dev.weir.load.population.Population;
import dev.weir.testkit.DatagramPeer;
import dev.weir.wire.ReplyLayout;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LearnLoadTest {
    private static final Population POPULATION = new Population(1, 10);
    private static final Duration SOON = Duration.ofMillis(50);
    private static final Duration LATE = Duration.ofSeconds(30);

    /** What a server does with a datagram, if it does not answer with an error of that number. */
    private static final int YES = 0;
    private static final int SILENCE = -1;

    /** A server with a script: the number of times that it has received the very same bytes decides its answer. */
    private static final class Server implements AutoCloseable {
        private final Map<String, Integer> seen = new ConcurrentHashMap<>();
        private final DatagramPeer peer;

        private Server(ToIntFunction<Integer> answer) throws IOException {
            peer = DatagramPeer.start((self, request, from) -> {
                int value = answer.applyAsInt(seen.merge(HexFormat.of().formatHex(request), 1, Integer::sum));
                if (value != SILENCE) {
                    ByteBuffer out = ByteBuffer.allocate(ReplyLayout.LONG.size()).order(ByteOrder.LITTLE_ENDIAN);
                    out.putInt(0, value).put(8, request, 8, Integer.BYTES).putFloat(12, value == YES ? 1 : 0);
                    self.send(out.array(), from);
                }
            });
        }

        static Server start(ToIntFunction<Integer> answer) throws IOException {
            return new Server(answer);
        }

        InetSocketAddress address() {
            return peer.address();
        }

        int different() {
            return seen.size();
        }

        @Override
        public void close() {
            peer.close();
        }
    }

    private static LearnResult run(Server server, LearnLoad.Plan plan, int learns) throws IOException {
        return LearnLoad.run(server.address(), plan, POPULATION, 100,
                new LearnLoad.Extent.Count(learns, -1, () -> {}));
    }

    @Test
    void everyLearnIsSentOnceToAServerThatAnswers() throws Exception {
        try (Server server = Server.start(_ -> YES)) {
            AtomicInteger milestones = new AtomicInteger();
            LearnResult result = LearnLoad.run(server.address(), new LearnLoad.Plan(20, LATE, 0), POPULATION,
                    100, new LearnLoad.Extent.Count(500, 250, milestones::incrementAndGet));
            assertThat(result.sent()).isEqualTo(500);
            assertThat(result.measured()).isEqualTo(500);
            assertThat(result.acknowledged().cardinality()).isEqualTo(500);
            assertThat(result.acknowledged().nextSetBit(0)).isEqualTo(100);
            assertThat(result.latency().getTotalCount()).isEqualTo(500);
            assertThat(result.retransmits()).isZero();
            assertThat(result.unsure()).isZero();
            assertThat(server.different()).isEqualTo(500);
            assertThat(milestones).hasValue(1);
        }
    }

    @Test
    void aLostDatagramIsSentAgainAsItWas() throws Exception {
        try (Server server = Server.start(times -> times < 3 ? SILENCE : YES)) {
            LearnResult result = run(server, new LearnLoad.Plan(4, SOON, 5), 8);
            assertThat(result.acknowledged().cardinality()).isEqualTo(8);
            assertThat(result.retransmits()).isGreaterThanOrEqualTo(16);
            assertThat(result.repeated().cardinality()).isEqualTo(8);
            assertThat(server.different()).as("the same bytes each time").isEqualTo(8);
            assertThat(result.silence()).isGreaterThanOrEqualTo(2 * SOON.toNanos());
        }
    }

    @Test
    void whatIsNeverAnsweredIsGivenUp() throws Exception {
        try (Server server = Server.start(_ -> SILENCE)) {
            LearnResult result = run(server, new LearnLoad.Plan(3, SOON, 1), 5);
            assertThat(result.unanswered().cardinality()).isEqualTo(5);
            assertThat(result.acknowledged().cardinality()).isZero();
            assertThat(result.retransmits()).isEqualTo(5);
            assertThat(result.unsure()).isEqualTo(5);
        }
    }

    @Test
    void anErrorIsARefusal() throws Exception {
        try (Server server = Server.start(_ -> 503)) {
            LearnResult result = run(server, new LearnLoad.Plan(3, LATE, 1), 5);
            assertThat(result.refused().cardinality()).isEqualTo(5);
            assertThat(result.acknowledged().cardinality()).isZero();
            assertThat(result.unsure()).as("sent once and refused: surely not stored").isZero();
        }
    }

    @Test
    void aRateIsKept() throws Exception {
        try (Server server = Server.start(_ -> YES)) {
            LearnResult result = run(server, new LearnLoad.Plan(8, LATE, 0, true, 200), 41);
            assertThat(result.acknowledged().cardinality()).isEqualTo(41);
            assertThat(result.elapsed()).as("the last one is due after 40 periods").isGreaterThanOrEqualTo(0.2);
            assertThat(server.different()).isEqualTo(41);
        }
    }

    @Test
    void withARateAnUpdateThatWaitsForAClientIsLate() throws Exception {
        try (Server server = Server.start(times -> times < 2 ? SILENCE : YES)) {
            LearnResult result = run(server, new LearnLoad.Plan(1, SOON, 5, true, 10_000), 5);
            assertThat(result.acknowledged().cardinality()).isEqualTo(5);
            assertThat(result.latency().getMaxValue()).as("five timeouts").isGreaterThan(4 * SOON.toNanos());
        }
    }

    @Test
    void theWarmUpIsTheFirstPartOfOneLoad() throws Exception {
        try (Server server = Server.start(_ -> YES)) {
            WarmUp warmUp = WarmUp.start(LATE);
            LearnResult result = LearnLoad.run(server.address(), new LearnLoad.Plan(1, LATE, 0), POPULATION, 100,
                    new LearnLoad.Extent.Within(41, LATE, warmUp));
            assertThat(result.early().getTotalCount()).as("at most half").isEqualTo(20);
            assertThat(result.latency().getTotalCount()).isEqualTo(21);
            assertThat(result.acknowledged().cardinality()).isEqualTo(41);
            assertThat(result.perSecond()).as("the rate of both parts").isEqualTo(41 / result.elapsed());
            assertThat(warmUp.length()).isPositive().isLessThan(LATE);
        }
    }

    @Test
    void whatIsDueInTheWarmUpIsPartOfItAlsoIfSentLater() throws Exception {
        try (Server server = Server.start(times -> times < 2 ? SILENCE : YES)) {
            LearnResult result = LearnLoad.run(server.address(), new LearnLoad.Plan(1, SOON, 5, true, 10_000),
                    POPULATION, 100, new LearnLoad.Extent.Within(10, LATE, WarmUp.start(LATE)));
            assertThat(result.early().getTotalCount()).isEqualTo(5);
            assertThat(result.early().getMaxValue()).as("five timeouts").isGreaterThan(4 * SOON.toNanos());
            assertThat(result.latency().getTotalCount()).isEqualTo(5);
            assertThat(result.latency().getMinValue()).as("no fresh start after the warm-up")
                    .isGreaterThan(5 * SOON.toNanos());
        }
    }

    @Test
    void aTimeIsKept() throws Exception {
        try (Echo echo = Echo.start(requests -> {})) {
            LearnResult result = LearnLoad.run(echo.address(), new LearnLoad.Plan(4, LATE, 0), POPULATION, 0,
                    new LearnLoad.Extent.Time(Duration.ofMillis(50), Duration.ofMillis(200)));
            assertThat(result.seconds()).isEqualTo(0.2);
            assertThat(result.measured()).isPositive().isLessThan(result.acknowledged().cardinality());
            assertThat(result.acknowledged().cardinality()).isEqualTo(result.sent());
        }
    }

    @Test
    void checksAreCountedFromWhenTheyAreDue() throws Exception {
        try (Server server = Server.start(_ -> SILENCE)) {
            CheckLoad load = CheckLoad.start(server.address(), new CheckLoad.Plan(POPULATION, 100),
                    new LearnLoad.Extent.Time(Duration.ofMillis(50), Duration.ofMillis(200)));
            CheckLoad.Result result = load.finish();
            assertThat(result.sent()).isEqualTo(20);
            assertThat(result.unanswered()).isEqualTo(20);
            assertThat(load.early().sent()).as("due in the warm-up").isEqualTo(5);
            assertThat(load.early().unanswered()).isEqualTo(5);
            assertThat(load.early().latency().getTotalCount()).isEqualTo(5);
            assertThat(result.latency().getMinValue()).as("waited for until given up")
                    .isGreaterThan(Duration.ofSeconds(1).toNanos());
        }
    }

    @Test
    void wrongAnswersToChecksAreCounted() throws Exception {
        try (Echo yesToAll = Echo.start(requests -> {})) {
            CheckLoad.Result result = CheckLoad
                    .start(yesToAll.address(), new CheckLoad.Plan(POPULATION, 100),
                            new LearnLoad.Extent.Time(Duration.ZERO, Duration.ofMillis(200)))
                    .finish();
            assertThat(result.unanswered()).isZero();
            assertThat(result.wrong()).as("an echo knows neither values nor digests").isEqualTo(20);
        }
    }
}
