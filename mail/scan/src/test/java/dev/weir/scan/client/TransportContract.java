package dev.weir.scan.client;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import dev.weir.scan.rule.TcpOptions;
import dev.weir.scan.upstream.SystemResolver;
import dev.weir.scan.upstream.UpstreamList;
import dev.weir.testkit.EchoPeer;
import dev.weir.testkit.ScriptedStorage;
import dev.weir.wire.reply.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of the handlers that the event loop calls when a socket is ready: {@link Link} for UDP and
 * {@link Stream} for TCP.
 */
abstract class TransportContract {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);
    private static final byte[] DIGEST = HexFormat.of().parseHex("ab".repeat(64));
    private static final Question CHECK = Question.check(DIGEST);

    private final List<AutoCloseable> opened = new ArrayList<>();
    private ScriptedStorage storage;
    private FuzzyClient client;

    /** Returns the name of the transport in test peers. */
    abstract String name();

    /** Returns when the client uses the transport. */
    abstract TcpOptions tcp();

    @BeforeEach
    void open() throws Exception {
        client = FuzzyClient.open(new SystemResolver(), 4, Duration.ofSeconds(1));
        opened.add(client);
        storage = ScriptedStorage.start().withTcp();
        opened.add(storage);
        storage.values.put(HexFormat.of().formatHex(DIGEST), 7);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
    }

    private ServerGroup group(int port) {
        ServerGroup group = client.group(
                new UpstreamList(UpstreamList.Selection.ROUND_ROBIN,
                        List.of(new UpstreamList.Host(InetAddress.getLoopbackAddress().getHostAddress(), port, 1))),
                Optional.empty(), new GroupOptions(Duration.ofMillis(300), 3, Optional.empty(), tcp()));
        group.ready().join();
        return group;
    }

    private Outcome ask(ServerGroup group) {
        return client.ask(group, List.of(CHECK)).join().getFirst();
    }

    private void assertAnswered(Outcome outcome) {
        assertThat(outcome.reply()).as(outcome.trouble()).extracting(Reply::value).isEqualTo(7);
    }

    /** Asks until a question went over the transport. A connection needs a moment to open. */
    private ServerGroup connected() {
        ServerGroup group = group(storage.port());
        long deadline = System.nanoTime() + PATIENCE;
        do {
            assertThat(System.nanoTime()).as("nothing went over " + name()).isLessThan(deadline);
            assertAnswered(ask(group));
        } while (!storage.transports.contains(name()));
        return group;
    }

    @Test
    void carriesQuestionsAndAnswers() {
        ServerGroup group = connected();
        storage.transports.clear();
        assertAnswered(ask(group));
        assertThat(storage.transports.getLast()).isEqualTo(name());
    }

    @Test
    void dropsPacketsThatAreNotAnswers() throws Exception {
        EchoPeer echo = EchoPeer.start();
        opened.add(echo);
        ServerGroup group = group(echo.port());
        long deadline = System.nanoTime() + PATIENCE;
        do {
            assertThat(System.nanoTime()).as("nothing went over " + name()).isLessThan(deadline);
            assertThat(ask(group).reply()).isNull();
        } while (!echo.transports.contains(name()));
    }

    @Test
    void loopSurvivesTheLossOfThePeer() throws Exception {
        ServerGroup group = connected();
        int port = storage.port();
        storage.close();
        assertThat(ask(group).reply()).isNull();
        storage = ScriptedStorage.start(port, null).withTcp();
        opened.add(storage);
        storage.values.put(HexFormat.of().formatHex(DIGEST), 7);
        long deadline = System.nanoTime() + PATIENCE;
        Outcome outcome = ask(group);
        while (outcome.reply() == null) {
            assertThat(System.nanoTime()).as(outcome.trouble()).isLessThan(deadline);
            outcome = ask(group);
        }
        assertAnswered(outcome);
    }
}
