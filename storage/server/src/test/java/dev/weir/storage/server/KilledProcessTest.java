package dev.weir.storage.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;

import dev.weir.model.FlagValue;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.engine.LogEndFile;
import dev.weir.storage.folder.FolderView;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.LogRepair;
import dev.weir.storage.maintenance.Verification;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.Generation;
import dev.weir.wire.command.CommandCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

/** Storages in real processes that are killed (SIGKILL), and what their next start makes of a client or of a loss. */
class KilledProcessTest {
    private static final int REPLY_MILLIS = 60_000;

    /** Less than the time for which a storage recognizes a repetition. */
    private static final Duration REMEMBERED = Duration.ofSeconds(28);

    @TempDir
    private Path folder = Path.of("");

    private Path data = Path.of("");

    @BeforeEach
    void data() {
        data = folder.resolve("data");
    }

    /** Segments of a few updates and a store that follows at once: the log is short after each start. */
    private CrashingServer server() throws Exception {
        return CrashingServer.start(List.of(), data, 1, 8_192, Acknowledge.DURABLE, BackendKind.STORE);
    }

    private StorageServer restarted() {
        return new StorageServer(StorageConfig.of(data).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0)));
    }

    /**
     * A client repeats its request after each of two kills. On a machine that needs longer for the starts than a
     * storage remembers requests, the repetition counts, so that the test is skipped there.
     */
    @Test
    void aRepeatedRequestCountsOnceAcrossKills() throws Exception {
        CrashingServer first = server();
        try (UdpClient client = new UdpClient(first.address(), "127.0.0.1", REPLY_MILLIS)) {
            long begun = System.nanoTime();
            byte[] request = client.request(Generation.V4, CommandCode.WRITE, Samples.digest(1), 1, 7,
                    Samples.shingles(1));
            try (first) {
                client.sendRaw(request);
                assertThat(client.receive().orElseThrow().isMatch()).isTrue();
            }
            for (int kill = 0; kill < 2; kill++) {
                try (CrashingServer next = server();
                        UdpClient other = new UdpClient(next.address(), "127.0.0.1", REPLY_MILLIS)) {
                    client.turnTo(next.address());
                    client.sendRaw(request);
                    assertThat(client.receive().orElseThrow().isMatch()).isTrue();
                    assumeThat(System.nanoTime() - begun).as("time of the starts").isLessThan(REMEMBERED.toNanos());
                    assertThat(other.check(Samples.digest(1), null).value()).as("after kill %d", kill).isEqualTo(7);
                    // Other updates fill segments, so that the store no longer needs the one with the request.
                    for (int n = 10; n < 40; n++) {
                        other.write(Samples.digest(n), 1, 1, Samples.shingles(n));
                    }
                }
            }
        }
    }

    @Test
    void aLostLogIsRefusedAndRepairedOnlyOnRequest() throws Exception {
        try (CrashingServer server = server();
                UdpClient client = new UdpClient(server.address(), "127.0.0.1", REPLY_MILLIS)) {
            for (int n = 0; n < 20; n++) {
                client.write(Samples.digest(n), 1, 3, Samples.shingles(n));
            }
        }
        Path updates = data.resolve(DataFolder.UPDATES);
        try (Stream<Path> files = Files.list(updates)) {
            for (Path segment : files.filter(file -> file.toString().endsWith(".log")).toList()) {
                Files.delete(segment);
            }
        }
        assertThat(Verification.of(data).damages()).singleElement().asString().contains("lacks ");
        try (StorageServer server = restarted()) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(server::start)
                    .withMessageContaining("lacks ").withMessageContaining("weir repair");
        }
        long storage = FolderView.storageId(data);
        long revision;
        try (var view = FolderView.of(data)) {
            revision = view.revision();
        }
        LogRepair.ofStore(updates, storage, revision, LogClaim.NOTHING, LogEndFile.of(data, storage))
                .run(LogLimits.DEFAULT, InstantSource.system());
        try (StorageServer server = restarted()) {
            server.start();
            assertThat(server.find(Samples.digest(0)).stream().map(FlagValue::value)).allMatch(value -> value == 3);
        }
        assertThat(Verification.of(data).damages()).isEmpty();
    }
}
