package dev.weir.scan;

import java.io.IOException;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.weir.net.HostPort;
import dev.weir.scan.client.Question;
import dev.weir.testkit.DatagramPeer;
import dev.weir.testkit.EchoPeer;
import dev.weir.wire.Generation;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.Parse;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import dev.weir.wire.reply.Reply;
import dev.weir.wire.reply.ReplyWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests the client against a scripted peer: lost packets, old peers, foreign tags. */
class StorageClientTest {
    /** For tests that withhold replies. */
    private static final Duration FAST = Duration.ofMillis(200);

    /** For tests that count packets: the client must not retransmit on a busy machine. */
    private static final Duration PATIENT = Duration.ofSeconds(20);

    private final List<Integer> versionsSeen = new CopyOnWriteArrayList<>();
    private final Command command = new Command(EnumSet.of(Generation.V3, Generation.V4, Generation.MULTI_FLAG));
    private final DatagramPeer peer;
    private volatile Script script = (command, number) -> true;
    private int number;

    StorageClientTest() throws IOException {
        peer = DatagramPeer.start(this::answer);
    }

    /** Decides whether to answer a request, given the command and its number since the start, from 1. */
    private interface Script {
        boolean answers(Command command, int number);
    }

    @AfterEach
    void stop() {
        peer.close();
    }

    private void answer(DatagramPeer self, byte[] request, SocketAddress from) throws IOException {
        number++;
        if (command.wrap(request, 0, request.length) != Parse.OK) {
            return;
        }
        versionsSeen.add(command.version());
        if (script.answers(command, number)) {
            byte[] out = new byte[256];
            int length = new ReplyWriter().begin(command, out, 0).result(command.value(), command.flag(), 1).end();
            self.send(Arrays.copyOf(out, length), from);
        }
    }

    private StorageClient client(Duration timeout) throws UpstreamException {
        return StorageClient.open(new HostPort("127.0.0.1", peer.port()), Optional.empty(), timeout, 3);
    }

    private static Question write(int value) {
        return Question.write(new byte[64], new long[0], 1, value);
    }

    private static Question check() {
        return new Question(CommandCode.CHECK, 1, 7, new byte[64], new long[32], 0, List.of());
    }

    @Test
    void retransmitsLostRequests() throws UpstreamException {
        script = (command, number) -> number > 2;
        try (StorageClient client = client(FAST)) {
            assertThat(client.exchange(List.of(write(5))).getFirst().value()).isEqualTo(5);
        }
        assertThat(versionsSeen).hasSizeGreaterThanOrEqualTo(3);
    }

    @Test
    void matchesRepliesToRequests() throws UpstreamException {
        List<Question> requests = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            requests.add(write(i));
        }
        // Every second packet is lost the first time, so the replies arrive out of order.
        script = (command, number) -> number > 50 || number % 2 == 0;
        try (StorageClient client = client(FAST)) {
            List<Reply> replies = client.exchange(requests);
            for (int i = 0; i < 50; i++) {
                assertThat(replies.get(i).value()).isEqualTo(i);
            }
        }
        assertThat(versionsSeen).hasSizeGreaterThanOrEqualTo(75);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void echoedRequestIsNotAnAnswer(boolean encrypted) throws Exception {
        Optional<PublicKey> key = encrypted
                ? Optional.of(KeyPair.generate(new SecureRandom()).publicKey())
                : Optional.empty();
        try (EchoPeer echo = EchoPeer.start();
                StorageClient client = StorageClient.open(new HostPort("127.0.0.1", echo.port()), key,
                        Duration.ofMillis(50), 0)) {
            for (Question request : List.of(check(), write(3), Question.count())) {
                assertThatThrownBy(() -> client.exchange(List.of(request))).isInstanceOf(UpstreamException.class)
                        .hasMessageContaining(encrypted ? "returns requests unchanged" : "no answer");
            }
        }
    }

    /** A storage answers in the form of the request. A reply in another form is not an answer to it. */
    @Test
    void ignoresRepliesInAnotherForm() throws Exception {
        try (DatagramPeer other = DatagramPeer.start((self, request, from) -> {
            for (int length : new int[]{16, 144}) {
                byte[] out = new byte[length];
                System.arraycopy(request, 8, out, 8, 4);
                self.send(out, from);
            }
        });
                StorageClient client = StorageClient.open(new HostPort("127.0.0.1", other.port()), Optional.empty(),
                        Duration.ofMillis(200), 0)) {
            assertThatThrownBy(() -> client.exchange(List.of(write(1)))).hasMessageContaining("no answer");
        }
    }

    @Test
    void givesUpAfterAllAttempts() throws UpstreamException {
        script = (command, number) -> false;
        try (StorageClient client = client(FAST)) {
            assertThatThrownBy(() -> client.exchange(List.of(write(1)))).isInstanceOf(UpstreamException.class)
                    .hasMessageContaining("no answer")
                    .hasMessageContaining("4 tries");
        }
        assertThat(versionsSeen).hasSize(4);
    }

    @Test
    void versionDetectionNeverDuplicatesAnUpdate() throws UpstreamException {
        try (StorageClient client = client(PATIENT)) {
            client.exchange(List.of(write(1)));
            assertThat(versionsSeen).containsExactly(0x04);
        }
    }

    @Test
    void asksForAllFlagsOnceTheVersionIsKnown() throws UpstreamException {
        try (StorageClient client = client(PATIENT)) {
            client.exchange(List.of(check()));
            client.exchange(List.of(check()));
            client.exchange(List.of(write(1)));
            // The peer reads in order, so the first two packets are both forms of the first check.
            assertThat(versionsSeen).containsExactly(0x14, 0x04, 0x14, 0x14);
        }
    }

    @Test
    void usesTheOlderFormWithAnOldStorage() throws UpstreamException {
        script = (command, number) -> command.version() == 0x04;
        try (StorageClient client = client(PATIENT)) {
            assertThat(client.exchange(List.of(check())).getFirst().value()).isEqualTo(7);
            client.exchange(List.of(check()));
            assertThat(versionsSeen).containsExactly(0x14, 0x04, 0x04);
        }
    }

    @Test
    void doesNotPingAnOldStorage() throws UpstreamException {
        List<Integer> commands = new CopyOnWriteArrayList<>();
        script = (command, number) -> {
            commands.add(command.code());
            return command.version() == 0x04;
        };
        try (StorageClient client = client(PATIENT)) {
            assertThat(client.ping()).isPositive();
        }
        assertThat(commands).containsOnly(CommandCode.STAT);
    }

    @Test
    void reportsWhySendingFailed() throws UpstreamException {
        // The system rejects broadcasts from a socket without that option at once.
        try (StorageClient client = StorageClient.open(new HostPort("255.255.255.255", 11335), Optional.empty(),
                Duration.ofMillis(50), 0)) {
            assertThatThrownBy(() -> client.exchange(List.of(check()))).isInstanceOf(UpstreamException.class)
                    .hasMessageStartingWith("cannot send to 255.255.255.255:11335: ");
        }
    }
}
