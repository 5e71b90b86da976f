package dev.weir.load.stream;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import dev.weir.load.Preload;
import dev.weir.load.population.Population;
import dev.weir.load.query.Mix;
import dev.weir.load.query.Queries;
import dev.weir.load.query.QueryKind;
import dev.weir.load.query.QuerySource;
import dev.weir.load.query.Rule;
import dev.weir.load.socket.QuerySocket;
import dev.weir.testkit.EchoPeer;
import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.key.KeyPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests of the generator against a storage that answers rightly, wrongly, twice or not at all. Every answer must be
 * accounted for.
 */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class GeneratorTest {
    private static final Population POPULATION = new Population(7, 50);
    private static final Mix ALL = Mix.parse("miss=4,exact=3,fuzzy17=2,fuzzy20=2,fuzzy16=2,fuzzy31=2,learn=1");
    private static final LoadTiming SHORT = new LoadTiming(Duration.ofMillis(50), Duration.ofMillis(200),
            Duration.ofSeconds(2));
    /** Long enough for an answer of each kind on a machine that stalls. */
    private static final LoadTiming LONGER = new LoadTiming(Duration.ofMillis(50), Duration.ofSeconds(1),
            Duration.ofSeconds(2));

    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final SecureRandom random = new SecureRandom();
    private final KeyPair key = KeyPair.generate(random);

    private static Queries queries(Mix mix, Rule rule) {
        return new Queries(POPULATION, mix, rule, true, 3);
    }

    private List<StreamResult> run(LoadTiming timing, QueryStream... streams) throws IOException {
        return run(result -> result.sent() > 0, timing, streams);
    }

    /** Runs the load again with more time as long as the machine was too busy to measure enough. */
    private List<StreamResult> run(Predicate<StreamResult> enough, LoadTiming timing, QueryStream... streams)
            throws IOException {
        try {
            LoadTiming next = timing;
            while (true) {
                List<StreamResult> results = new Generator(List.of(streams), next).run();
                if (results.stream().allMatch(enough) || next.measured().compareTo(LONGEST) > 0) {
                    return results;
                }
                next = new LoadTiming(next.warmUp(), next.measured().multipliedBy(2), next.patience());
            }
        } finally {
            for (QueryStream stream : streams) {
                stream.sockets().forEach(QuerySocket::close);
            }
        }
    }

    private StreamResult run(FakeStorage storage, QuerySource source, Pace pace, LoadTiming timing) throws IOException {
        QueryStream stream = new QueryStream("test", source,
                List.of(QuerySocket.udp(storage.udp(), null, source.maxBytes())), pace);
        return run(timing, stream).getFirst();
    }

    private static void assertAllRight(StreamResult result) {
        assertThat(result.answered()).isPositive().isEqualTo(result.sent());
        assertThat(result.examples()).isEmpty();
        assertThat(List.of(result.wrong(), result.refused(), result.missing(), result.duplicates(), result.strays()))
                .containsOnly(0L);
        assertThat(result.latency().getTotalCount()).isEqualTo(result.sent());
    }

    @Test
    void answersToEveryKindAreRight() throws Exception {
        try (FakeStorage storage = new FakeStorage(POPULATION, key, UnaryOperator.identity())) {
            QuerySource source = QuerySource.plain(queries(ALL, Rule.COUNT));
            StreamResult result = run(
                    so -> so.rate() > 0 && so.kinds().stream().allMatch(kind -> kind.answered() > 0), SHORT,
                    new QueryStream("test", source, List.of(QuerySocket.udp(storage.udp(), null, source.maxBytes())),
                            new Pace.Closed(16)))
                    .getFirst();
            assertAllRight(result);
            assertThat(result.rate()).isPositive();
            assertThat(result.kinds()).hasSize(7).allMatch(kind -> kind.answered() > 0);
            assertThat(storage.size()).as("something was learned").isGreaterThan(50);
        }
    }

    @Test
    void anOpenLoopSendsWhatIsDue() throws Exception {
        try (FakeStorage storage = new FakeStorage(POPULATION, key, UnaryOperator.identity())) {
            StreamResult result = run(storage, QuerySource.plain(queries(ALL, Rule.COUNT)), new Pace.Open(5_000),
                    SHORT);
            assertAllRight(result);
            assertThat(result.sent()).isBetween(999L, 1_001L);
        }
    }

    /** A generator that sends a hundred queries a second uses less than half of a processor. */
    @Test
    void aSlowOpenLoopLeavesTheProcessorToOthers() throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        try (FakeStorage storage = new FakeStorage(POPULATION, key, UnaryOperator.identity())) {
            long before = threads.getCurrentThreadCpuTime();
            StreamResult result = run(storage, QuerySource.plain(queries(ALL, Rule.COUNT)), new Pace.Open(100),
                    LONGER);
            assertAllRight(result);
            assertThat(result.sent()).isBetween(99L, 101L);
            assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - before))
                    .isLessThan(LONGER.measured().dividedBy(2));
        }
    }

    @Test
    void decryptsAnswersOfManyClients() throws Exception {
        try (FakeStorage storage = new FakeStorage(POPULATION, key, UnaryOperator.identity())) {
            List<ClientSession> sessions = IntStream.range(0, 5)
                    .mapToObj(i -> ClientSession.of(KeyPair.generate(random), key.publicKey()).orElseThrow()).toList();
            QuerySource source = QuerySource.sealed(queries(ALL, Rule.COUNT), sessions, 256, random);
            assertAllRight(run(storage, source, new Pace.Closed(16), SHORT));
            assertThat(storage.boxesRefused()).isZero();
        }
    }

    @Test
    void splitsAStreamIntoFrames() throws Exception {
        try (FakeStorage storage = new FakeStorage(POPULATION, key, UnaryOperator.identity())) {
            QuerySource source = QuerySource.plain(queries(ALL, Rule.COUNT));
            assertAllRight(run(SHORT,
                    new QueryStream("tcp", source, List.of(QuerySocket.tcp(storage.tcp(), source.maxBytes())),
                            new Pace.Closed(100)))
                    .getFirst());
        }
    }

    @Test
    void usesSeveralSocketsAndSourceAddresses() throws Exception {
        try (FakeStorage storage = new FakeStorage(POPULATION, key, UnaryOperator.identity())) {
            QuerySource source = QuerySource.plain(queries(ALL, Rule.COUNT));
            List<QuerySocket> sockets = new ArrayList<>();
            for (int i = 1; i <= 4; i++) {
                sockets.add(QuerySocket.udp(storage.udp(), InetAddress.ofLiteral("127.0.7." + i), source.maxBytes()));
            }
            assertAllRight(run(SHORT, new QueryStream("many", source, sockets, new Pace.Closed(64))).getFirst());
        }
    }

    @Test
    void socketsTakeTurnsAfterAGivenNumberOfQueries() throws Exception {
        try (DatagramSocket storage = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            QuerySource source = QuerySource.plain(queries(ALL, Rule.COUNT));
            List<QuerySocket> sockets = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                sockets.add(
                        QuerySocket.udp((InetSocketAddress) storage.getLocalSocketAddress(), null, source.maxBytes()));
            }
            // Nothing answers, so every query that may wait is sent once.
            LoadTiming once = new LoadTiming(Duration.ZERO, Duration.ofMillis(50), Duration.ofSeconds(1));
            run(once, new QueryStream("turns", source, sockets, 2, new Pace.Closed(8)));
            List<Integer> ports = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                DatagramPacket packet = new DatagramPacket(new byte[source.maxBytes()], source.maxBytes());
                storage.receive(packet);
                ports.add(packet.getPort());
            }
            assertThat(Set.copyOf(ports)).hasSize(3);
            int first = ports.get(0);
            int second = ports.get(2);
            int third = ports.get(4);
            assertThat(ports).containsExactly(first, first, second, second, third, third, first, first);
        }
    }

    @Test
    void wrongAnswersAreCountedWithExamples() throws Exception {
        try (FakeStorage storage = new FakeStorage(POPULATION, key, answers -> {
            answers.forEach(answer -> answer[0] ^= 1);
            return answers;
        })) {
            StreamResult result = run(storage, QuerySource.plain(queries(Mix.of(QueryKind.EXACT), Rule.COUNT)),
                    new Pace.Closed(4), SHORT);
            assertThat(result.wrong()).isPositive().isEqualTo(result.answered());
            assertThat(result.examples()).isNotEmpty().first().asString().startsWith("exact: expected hash ");
            StreamResult misses = run(storage, QuerySource.plain(queries(Mix.of(QueryKind.MISS), Rule.COUNT)),
                    new Pace.Closed(4), SHORT);
            assertThat(misses.refused()).as("an error code").isPositive().isEqualTo(misses.answered());
        }
    }

    @Test
    void anotherRuleMakesNearHitsWrong() throws Exception {
        try (FakeStorage storage = new FakeStorage(POPULATION, key, UnaryOperator.identity())) {
            StreamResult result = run(storage,
                    QuerySource.plain(queries(Mix.parse("miss,fuzzy17,fuzzy20"), Rule.RSPAMD_SQLITE)),
                    new Pace.Closed(4),
                    LONGER);
            assertThat(result.kinds().get(0).wrong()).isZero();
            assertThat(result.kinds().get(1).wrong()).isPositive().isEqualTo(result.kinds().get(1).answered());
            assertThat(result.kinds().get(2).wrong()).isPositive().isEqualTo(result.kinds().get(2).answered());
        }
    }

    @Test
    void countsLostAndRepeatedAnswers() throws Exception {
        AtomicInteger count = new AtomicInteger();
        // Long enough for a busy machine, because a late answer would count as missing.
        LoadTiming timing = new LoadTiming(Duration.ZERO, Duration.ofMillis(200), Duration.ofSeconds(3));
        try (FakeStorage storage = new FakeStorage(POPULATION, key, answers -> switch (count.incrementAndGet() % 10) {
            case 0 -> List.of();
            case 1, 2 -> List.of(answers.getFirst(), answers.getFirst());
            default -> answers;
        })) {
            StreamResult result = run(storage, QuerySource.plain(queries(ALL, Rule.COUNT)), new Pace.Open(2_000),
                    timing);
            assertThat(result.sent()).isBetween(399L, 401L);
            assertThat(result.missing()).isBetween(39L, 41L).isEqualTo(result.sent() - result.answered());
            // The last answers may arrive when nothing listens anymore.
            assertThat(result.duplicates()).isBetween(70L, 82L);
            assertThat(result.wrong()).isZero();
            assertThat(result.latency().getMaxValue()).as("waiting counts").isGreaterThan(2_990_000_000L);
        }
    }

    @Test
    void aClosedLoopContinuesAfterALoss() throws Exception {
        AtomicInteger count = new AtomicInteger();
        // A busy machine can stand still for half a second.
        LoadTiming timing = new LoadTiming(Duration.ZERO, Duration.ofSeconds(2), Duration.ofMillis(20));
        try (FakeStorage storage = new FakeStorage(POPULATION, key,
                answers -> count.incrementAndGet() % 100 == 0 ? List.of() : answers)) {
            StreamResult result = run(storage, QuerySource.plain(queries(ALL, Rule.COUNT)), new Pace.Closed(8), timing);
            assertThat(result.missing()).isPositive();
            assertThat(result.answered()).isGreaterThan(300);
        }
    }

    @Test
    void endsIfNoStorageAnswers() throws Exception {
        InetSocketAddress closed;
        try (FakeStorage storage = new FakeStorage(POPULATION, key, UnaryOperator.identity())) {
            closed = storage.udp();
        }
        QuerySource source = QuerySource.plain(queries(ALL, Rule.COUNT));
        LoadTiming timing = new LoadTiming(Duration.ZERO, Duration.ofMillis(50), Duration.ofMillis(50));
        StreamResult result = run(timing, new QueryStream("nobody", source,
                List.of(QuerySocket.udp(closed, null, source.maxBytes())), new Pace.Closed(4))).getFirst();
        assertThat(result.answered()).isZero();
        assertThat(result.missing()).isPositive().isEqualTo(result.sent());
    }

    @Test
    void sendsNewKeysBesideKnownClients() throws Exception {
        try (FakeStorage storage = new FakeStorage(POPULATION, key, UnaryOperator.identity())) {
            QuerySource known = QuerySource.sealed(queries(ALL, Rule.COUNT),
                    List.of(ClientSession.of(KeyPair.generate(random), key.publicKey()).orElseThrow()), 256, random);
            QuerySource flood = QuerySource.newKeys(key.publicKey(), 5);
            List<StreamResult> results = run(SHORT,
                    new QueryStream("known", known, List.of(QuerySocket.udp(storage.udp(), null, known.maxBytes())),
                            new Pace.Open(1_000)),
                    new QueryStream("flood", flood, List.of(QuerySocket.udp(storage.udp(), null, flood.maxBytes())),
                            new Pace.Open(500)));
            assertAllRight(results.get(0));
            assertThat(results.get(1).sent()).isBetween(99L, 101L);
            // The storage first processes earlier queries.
            run(storage, QuerySource.plain(queries(ALL, Rule.COUNT)), new Pace.Closed(1), SHORT);
            assertThat(storage.boxesRefused()).as("each went through the key agreement").isBetween(120, 126);
        }
    }

    @Test
    void aPreloadStoresThePopulationDespiteLostAnswers() throws Exception {
        AtomicInteger count = new AtomicInteger();
        for (boolean sealed : new boolean[]{false, true}) {
            try (FakeStorage storage = new FakeStorage(new Population(1, 0), key,
                    answers -> count.incrementAndGet() % 20 == 0 ? List.of() : answers);
                    QuerySocket socket = QuerySocket.udp(storage.udp(), null, Preload.MAX_BYTES)) {
                Preload preload = new Preload(POPULATION, true,
                        sealed ? ClientSession.of(KeyPair.generate(random), key.publicKey()) : Optional.empty(),
                        sealed ? Optional.of(new Box(random, 1)) : Optional.empty());
                Preload.Result result = preload.run(socket, 8, Duration.ofMillis(50), _ -> {});
                assertThat(result.learned()).isEqualTo(50);
                assertThat(result.repeated()).isPositive();
                assertThat(storage.size()).isEqualTo(50);
                byte[] digest = new byte[Protocol.DIGEST];
                POPULATION.digest(49, digest, 0);
                assertThat(storage.value(digest)).contains(POPULATION.value(49));
            }
        }
    }

    @Test
    void aRequestIsNotAnAnswer() throws Exception {
        LoadTiming timing = new LoadTiming(Duration.ZERO, Duration.ofMillis(100), Duration.ofMillis(50));
        ClientSession session = ClientSession.of(KeyPair.generate(random), key.publicKey()).orElseThrow();
        try (EchoPeer echo = EchoPeer.start()) {
            for (boolean sealed : new boolean[]{false, true}) {
                QuerySource source = sealed
                        ? QuerySource.sealed(queries(ALL, Rule.COUNT), List.of(session), 256, random)
                        : QuerySource.plain(queries(ALL, Rule.COUNT));
                for (QuerySocket socket : List.of(QuerySocket.udp(echo.address(), null, source.maxBytes()),
                        QuerySocket.tcp(echo.address(), source.maxBytes()))) {
                    StreamResult result = run(so -> so.sent() > 0 && so.strays() > 0, timing,
                            new QueryStream("echo", source, List.of(socket), new Pace.Closed(4)))
                            .getFirst();
                    assertThat(result.strays()).isPositive();
                    assertThat(result.answered()).isZero();
                    assertThat(result.missing()).isEqualTo(result.sent());
                }
                Preload preload = new Preload(POPULATION, true, sealed ? Optional.of(session) : Optional.empty(),
                        sealed ? Optional.of(new Box(random, 1)) : Optional.empty());
                try (QuerySocket socket = QuerySocket.udp(echo.address(), null, Preload.MAX_BYTES)) {
                    assertThatThrownBy(() -> preload.run(socket, 8, Duration.ofMillis(1), _ -> {}))
                            .isInstanceOf(IOException.class).hasMessageContaining("has acknowledged 0 learns");
                }
            }
        }
    }

    @Test
    void rejectsImpossibleLoads() {
        assertThatThrownBy(() -> Mix.parse("miss=1,near=2")).hasMessageContaining("\"near\" is not a kind of query");
        assertThatThrownBy(() -> Mix.parse("miss=x")).hasMessageContaining("not a weight of miss");
        assertThatThrownBy(() -> Mix.parse("miss,miss=2")).hasMessageContaining("twice");
        assertThatThrownBy(() -> Mix.parse("fuzzy33")).hasMessageContaining("fuzzy1 to fuzzy32");
        assertThatThrownBy(() -> Mix.parse("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Pace.Closed(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Pace.Open(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Queries(new Population(1, 0), ALL, Rule.COUNT, true, 1))
                .hasMessageContaining("none are stored");
        assertThat(Mix.parse(ALL.toString())).isEqualTo(ALL);
    }
}
