package dev.weir.storage.server;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

import com.sun.management.ThreadMXBean;
import dev.weir.model.Digest;
import dev.weir.net.Packets;
import dev.weir.net.UdpOptions;
import dev.weir.net.UdpSocket;
import dev.weir.storage.Samples;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.StorageStats;
import dev.weir.storage.waves.WaveSettings;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.Generation;
import dev.weir.wire.LittleEndian;
import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.command.Extension;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Measures the allocations of a receiver thread for checks, from socket to socket, as reported by the JVM. */
@EnabledOnOs(OS.LINUX)
@Tag("compiled")
class ReceiverAllocationTest {
    private static final int BATCH = 32;
    private static final int CHECKS = 30_000;
    private static final int STORED = 50;

    @TempDir
    private @Nullable Path folder;

    private final SecureRandom random = new SecureRandom();
    private final KeyPair key = KeyPair.generate(random);

    private static byte[] request(Digest digest, long @Nullable [] shingles) {
        byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
        CommandWriter writer = new CommandWriter().begin(bytes, 0, Generation.MULTI_FLAG, CommandCode.CHECK).flag(0)
                .value(0).tag(77).digest(digest.toBytes(), 0);
        if (shingles != null) {
            writer.shingles(shingles);
        }
        return Arrays.copyOf(bytes, writer.end());
    }

    /** A check as of Rspamd 4, which says who sent the mail. */
    private static byte[] withSender(Digest digest, long[] shingles) {
        byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
        return Arrays.copyOf(bytes, new CommandWriter().begin(bytes, 0, Generation.MULTI_FLAG, CommandCode.CHECK)
                .tag(79).digest(digest.toBytes(), 0).shingles(shingles)
                .extension(new Extension.Domain("news.shop.example"))
                .extension(new Extension.SenderIp(InetAddress.ofLiteral("192.0.2.7")))
                .extension(new Extension.SenderFacts(2 << 6)).end());
    }

    /** Adds side hashes and flags that protect a template. */
    private static byte[] html(byte[] request) {
        byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
        byte[] digest = Arrays.copyOfRange(request, 12, 12 + Protocol.DIGEST);
        long[] shingles = new long[Protocol.SHINGLES];
        for (int i = 0; i < shingles.length; i++) {
            shingles[i] = LittleEndian.getLong(request, Protocol.COMMAND + i * Long.BYTES);
        }
        return Arrays.copyOf(bytes, new CommandWriter().begin(bytes, 0, Generation.MULTI_FLAG, CommandCode.CHECK)
                .tag(78).digest(digest, 0).shingles(shingles).extension(new Extension.Sides(Samples.sides(5)))
                .extension(new Extension.Protectors(List.of(1, 21))).end());
    }

    private List<byte[]> requests() {
        ClientSession session = ClientSession.of(KeyPair.generate(random), key.publicKey()).orElseThrow();
        Box box = new Box(random);
        SplittableRandom choice = new SplittableRandom(5);
        List<byte[]> requests = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            long number = i % STORED;
            byte[] plain = switch (i % 4) {
                case 0 -> request(Samples.digest(number), Samples.shingles(number));
                case 1 ->
                    html(request(Samples.digest(1_000 + i), Samples.changed(Samples.shingles(number), 8, choice)));
                case 2 -> withSender(Samples.digest(1_000 + i), Samples.shingles(1_000 + i));
                default -> request(Samples.digest(number), null);
            };
            if (i % 8 < 4) {
                requests.add(plain);
            } else {
                byte[] boxed = new byte[Protocol.REQUEST_HEADER + plain.length];
                System.arraycopy(plain, 0, boxed, Protocol.REQUEST_HEADER, plain.length);
                box.sealRequest(session, boxed, 0, plain.length);
                requests.add(boxed);
            }
        }
        return requests;
    }

    /** Sends the requests repeatedly and waits for the replies. */
    private static void exchange(UdpSocket client, List<byte[]> requests, int checks) throws IOException {
        Packets out = new Packets(BATCH, Protocol.MAX_DATAGRAM);
        Packets in = new Packets(BATCH, Protocol.MAX_DATAGRAM);
        for (int sent = 0; sent < checks; sent += requests.size()) {
            for (int i = 0; i < requests.size(); i++) {
                out.put(i, requests.get(i), 0, requests.get(i).length);
            }
            assertThat(client.send(out, requests.size())).isEqualTo(requests.size());
            int answered = 0;
            for (int quiet = 0; answered < requests.size(); quiet++) {
                assertThat(quiet).as("receives without an answer").isLessThan(BATCH + 10);
                answered += client.receive(in);
            }
        }
    }

    @Test
    void checkAllocatesNothing() throws Exception {
        measure(null);
    }

    @Test
    void aCheckThatIsCountedAndAnsweredByAWaveAllocatesNothing() throws Exception {
        StorageStats stats = measure(WaveSettings.counting().withTable(1_000, Duration.ofDays(1)).answering(60,
                new WaveSettings.Size(2, 1, Duration.ofHours(1))));
        assertThat(stats.get(Counter.WAVE_HITS)).isPositive();
        assertThat(stats.waves().orElseThrow().checks()).isPositive();
    }

    private StorageStats measure(@Nullable WaveSettings waves) throws Exception {
        StorageConfig config = StorageConfig.of(Objects.requireNonNull(folder).resolve("data"))
                .withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))
                .withAllowUpdate(StorageConfig.loopback()).withKeyPairs(List.of(key)).withWorkers(1)
                .withWaves(waves);
        try (StorageServer server = new StorageServer(config)) {
            InetSocketAddress address = server.start();
            try (UdpClient client = new UdpClient(address)) {
                for (int i = 0; i < STORED; i++) {
                    assertThat(client.write(Samples.digest(i), 1, 5, Samples.shingles(i)).isMatch()).isTrue();
                }
            }
            long thread = Thread.getAllStackTraces().keySet().stream()
                    .filter(candidate -> candidate.getName().equals("weir-receiver-1")).findFirst().orElseThrow()
                    .threadId();
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            List<byte[]> requests = requests();
            long least = Long.MAX_VALUE;
            try (UdpSocket client = UdpSocket.connect(address, new UdpOptions(1 << 20, 1 << 20, false))) {
                do {
                    exchange(client, requests, CHECKS);
                    // The thread that counts waves decides once a second which of them answer.
                } while (waves != null && server.stats().get(Counter.WAVE_HITS) == 0);
                // On a busy machine, the JIT compiler may take a while to eliminate the last allocations.
                for (int attempt = 0; attempt < 20 && least >= CHECKS / 10; attempt++) {
                    long before = threads.getThreadAllocatedBytes(thread);
                    exchange(client, requests, CHECKS);
                    least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
                }
            }
            StorageStats stats = server.stats();
            assertThat(stats.dropped()).isZero();
            assertThat(stats.get(Counter.EXACT_HITS)).isPositive();
            assertThat(stats.get(Counter.SIMILAR_HITS)).isPositive();
            assertThat(stats.get(Counter.ENCRYPTED)).isPositive();
            System.out.printf("allocated by %d checks: %d bytes%n", CHECKS, least);
            // Less than a byte per check: the rest is the JVM's own bookkeeping.
            assertThat(least).isLessThan(CHECKS / 10);
            return stats;
        }
    }
}
