package dev.weir.storage.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import dev.weir.model.Digest;
import dev.weir.model.Networks;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.Operation;
import dev.weir.storage.access.RateLimit;
import dev.weir.storage.access.ReplyRules;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.access.gate.AccessReport;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.stats.Counts;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.box.Opened;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.key.Base32;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import dev.weir.wire.key.Secret;
import dev.weir.wire.reply.ErrorCode;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests the access rules of a running storage: replacement, persistence, and statistics. */
class AccessTest {
    /** A limit that admits two requests but not a third; almost nothing leaks out between them. */
    private static final RateLimit TWO = new RateLimit(1.5, 1e-9);

    @TempDir
    private @Nullable Path folder;

    private final SecureRandom random = new SecureRandom();
    private final KeyPair first = KeyPair.generate(random);
    private final KeyPair second = KeyPair.generate(random);

    private StorageConfig config(Access access) {
        return StorageConfig.of(Objects.requireNonNull(folder)).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0)).withAccess(access);
    }

    /** Returns the reply to an encrypted request, or empty if only a ping sent after it is answered. */
    private Optional<Reply> ask(InetSocketAddress server, PublicKey key, int code, int flag) throws IOException {
        ClientSession session = ClientSession.of(KeyPair.generate(random), key).orElseThrow();
        byte[] request = new byte[Protocol.REQUEST_HEADER + Protocol.COMMAND];
        int length = new CommandWriter().begin(request, Protocol.REQUEST_HEADER, Generation.MULTI_FLAG, code)
                .flag(flag).value(7).tag(5).digest(Samples.digest(1).toBytes(), 0).end();
        Box box = new Box(random);
        box.sealRequest(session, request, 0, length);
        try (UdpClient client = new UdpClient(server)) {
            client.sendRaw(request);
            if (code != CommandCode.WRITE) {
                byte[] fence = new byte[Protocol.COMMAND];
                new CommandWriter().begin(fence, 0, Generation.V3, CommandCode.PING).tag(6).end();
                client.sendRaw(fence);
            }
            byte[] reply = client.receiveRaw();
            if (reply.length == 16) {
                return Optional.empty();
            }
            assertThat(box.openReply(session.shared(), reply, 0, reply.length)).isEqualTo(Opened.OK);
            return Reply.decode(reply, box.plainOffset(), box.plainLength());
        } catch (SocketTimeoutException nothing) {
            throw new AssertionError("no reply, not even to the ping sent after the request", nothing);
        }
    }

    private static ServerKey key(KeyPair pair, KeyRules rules) {
        return new ServerKey(pair, rules);
    }

    @Test
    void replacesRulesAndKeysAtRunTime() throws Exception {
        KeyRules all = KeyRules.DEFAULT.withAllowed(Operation.values());
        Access one = Access.DEFAULT.withKeys(List.of(key(first, all)));
        try (StorageServer server = new StorageServer(config(one))) {
            InetSocketAddress address = server.start();
            assertThat(ask(address, first.publicKey(), CommandCode.WRITE, 3).orElseThrow().isMatch()).isTrue();
            // The storage tries its default key, which does not match.
            assertThat(ask(address, second.publicKey(), CommandCode.CHECK, 0)).isEmpty();

            server.reconfigure(one.withDynamicKeys(List.of(key(second, KeyRules.DEFAULT))));
            assertThat(ask(address, second.publicKey(), CommandCode.CHECK, 0).orElseThrow().flag()).isEqualTo(3);
            assertThat(ask(address, second.publicKey(), CommandCode.WRITE, 4).orElseThrow().value())
                    .isEqualTo(ErrorCode.FORBIDDEN);

            server.reconfigure(one.withAnswers(ReplyRules.ALL.withForbidden(FlagSet.of(3))));
            assertThat(ask(address, second.publicKey(), CommandCode.CHECK, 0)).isEmpty();
            assertThat(ask(address, first.publicKey(), CommandCode.CHECK, 0).orElseThrow().isMatch()).isFalse();

            server.reconfigure(one.withBlocked(Networks.perFamily("127.0.0.2")));
            assertThat(server.access().blocked()).isEqualTo(Networks.perFamily("127.0.0.2/32"));
            assertThat(ask(address, first.publicKey(), CommandCode.CHECK, 0).orElseThrow().isMatch()).isTrue();
            assertThat(server.stats().get(Counter.WRITES)).isEqualTo(1);
        }
    }

    /**
     * The reply to a ping repeats the request, and so does the answer 501, except for its value. A sender who forges
     * the address of a storage can make another storage send it an update
     * (docs/operate/access.md#addresses-can-be-forged).
     */
    @Test
    void aStorageIsNoSourceToTrustButByItsKeys() throws Exception {
        Access trusting = Access.DEFAULT.withUpdateSources(Networks.perFamily("127.0.0.0/8"));
        Path other = Objects.requireNonNull(folder).resolve("other");
        try (StorageServer mirror = new StorageServer(config(trusting));
                StorageServer target = new StorageServer(StorageConfig.of(other).withBackend(BackendKind.STORE)
                        .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0)).withAccess(trusting))) {
            InetSocketAddress from = mirror.start();
            InetSocketAddress to = target.start();
            // The end of the reply is the domain of an extension.
            byte[] digest = new byte[Digest.BYTES];
            digest[60] = 'd';
            digest[61] = 66;
            for (int code : new int[]{CommandCode.PING, 99}) {
                byte[] reply;
                try (UdpClient client = new UdpClient(from)) {
                    client.send(Generation.MULTI_FLAG, code, Digest.of(digest), 3, 0x07000105, null);
                    reply = client.receiveRaw();
                }
                assertThat(reply).startsWith(code == 99 ? 0xf5 : 0x05, 1, 0);
                target.reconfigure(trusting);
                try (UdpClient client = new UdpClient(to)) {
                    client.sendRaw(reply);
                    assertThat(client.receive().orElseThrow().isMatch()).as("taken as an update").isTrue();
                    target.reconfigure(trusting.withEncryptedOnly(true).withKeyPairs(List.of(first)));
                    client.sendRaw(reply);
                    assertThat(client.receive().orElseThrow().value()).isEqualTo(ErrorCode.ENCRYPTION_REQUIRED);
                }
            }
        }
    }

    @Test
    void rejectsInvalidRulesAndKeepsTheOldOnes() throws Exception {
        Access good = Access.DEFAULT.withKeyPairs(List.of(first));
        try (StorageServer server = new StorageServer(config(good))) {
            InetSocketAddress address = server.start();
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> server.reconfigure(
                            Access.DEFAULT.withEncryptedOnly(true).withKeyPairs(List.of(second, second))))
                    .withMessageContaining("cannot be used together")
                    .withMessageContaining(second.publicKey().statName());
            assertThat(server.access()).isEqualTo(good);
            assertThat(ask(address, first.publicKey(), CommandCode.CHECK, 0)).isPresent();
        }
    }

    @Test
    void rateLimitsSurviveARestartAndTheRemovalOfAKey() throws Exception {
        Access limited = Access.DEFAULT.withKeys(List.of(key(first, KeyRules.DEFAULT.withLimit(TWO))));
        try (StorageServer server = new StorageServer(config(limited))) {
            InetSocketAddress address = server.start();
            for (int i = 0; i < 2; i++) {
                assertThat(ask(address, first.publicKey(), CommandCode.CHECK, 0).orElseThrow().value()).isZero();
            }
            server.reconfigure(Access.DEFAULT);
            server.reconfigure(limited);
            assertThat(ask(address, first.publicKey(), CommandCode.CHECK, 0).orElseThrow().value())
                    .isEqualTo(ErrorCode.RATE_LIMITED);
        }
        Path file = Objects.requireNonNull(folder).resolve(DataFolder.RATE_LIMITS);
        assertThat(Files.readString(file))
                .containsPattern("key " + first.publicKey().base32() + " (2\\.0|1\\.99999\\d*) ");
        try (StorageServer server = new StorageServer(config(limited))) {
            assertThat(ask(server.start(), first.publicKey(), CommandCode.CHECK, 0).orElseThrow().value())
                    .isEqualTo(ErrorCode.RATE_LIMITED);
        }
        Files.writeString(file, "weir limits 1\nkey ");
        try (StorageServer server = new StorageServer(config(limited))) {
            assertThat(ask(server.start(), first.publicKey(), CommandCode.CHECK, 0).orElseThrow().value()).isZero();
        }
    }

    @Test
    void countsRequestsByClientWithoutSecrets() throws Exception {
        KeyRules all = KeyRules.DEFAULT.withAllowed(Operation.READ, Operation.WRITE).withName("one", "one@example.org");
        InetAddress here = InetAddress.ofLiteral("127.0.0.1");
        try (StorageServer server = new StorageServer(
                config(Access.DEFAULT.withKeys(List.of(ServerKey.of(second), key(first, all.withLimit(TWO))))))) {
            InetSocketAddress address = server.start();
            ask(address, first.publicKey(), CommandCode.WRITE, 3);
            ask(address, first.publicKey(), CommandCode.CHECK, 0);
            ask(address, first.publicKey(), CommandCode.DEL, 3);
            ask(address, first.publicKey(), CommandCode.PING, 3);
            ask(address, first.publicKey(), CommandCode.STAT, 3);
            AccessReport report = server.clients();
            AccessReport.Key key = Objects.requireNonNull(report.keys().get(first.publicKey()));
            Counts expected = new Counts(1, 1, 1, 0, 1);
            assertThat(key.name()).isEqualTo("one");
            assertThat(key.clients().total()).isEqualTo(expected);
            assertThat(key.clients().addresses()).containsExactly(Map.entry(here, expected));
            assertThat(key.clients().flags()).containsExactly(Map.entry(3, new Counts(1, 1, 1, 0, 0)));
            assertThat(Objects.requireNonNull(key.limit()).level()).isEqualTo(1);
            assertThat(Objects.requireNonNull(report.keys().get(second.publicKey())).clients().total())
                    .isEqualTo(Counts.NONE);
            for (KeyPair pair : List.of(first, second)) {
                Secret secret = pair.secret();
                assertThat(report.toString() + server.access())
                        .doesNotContain(Base32.encode(secret.reveal()));
            }
        }
    }
}
