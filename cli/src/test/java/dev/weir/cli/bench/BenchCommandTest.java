package dev.weir.cli.bench;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

import dev.weir.cli.Run;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.wire.key.KeyPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests {@code weir bench} with a storage in the same process. */
class BenchCommandTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String MIX = "miss=4,exact=2,fuzzy17,fuzzy20,fuzzy24,fuzzy31,fuzzy16";

    @TempDir
    Path folder;

    private final KeyPair key = KeyPair.generate(new SecureRandom());

    private StorageServer storage() {
        return new StorageServer(StorageConfig.of(folder.resolve("data")).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withKeyPairs(List.of(key))
                .withAllowUpdate(StorageConfig.loopback()));
    }

    private static Run bench(InetSocketAddress address, String... more) {
        List<String> words = new ArrayList<>(
                List.of("bench", "127.0.0.1:" + address.getPort(), "--warm-up", "0.2", "--duration", "1",
                        "--outstanding",
                        "16", "--timeout", "10"));
        words.addAll(List.of(more));
        return Run.weir(words.toArray(String[]::new));
    }

    @Test
    void everyAnswerIsCorrectAfterAPreload() throws Exception {
        try (StorageServer server = storage()) {
            InetSocketAddress address = server.start();
            Run first = bench(address, "--hashes", "300", "--preload", "--mix", MIX);
            assertThat(first.status()).as(first.out() + first.err()).isZero();
            assertThat(first.out()).contains("queries (miss=4,exact=2", "wrong 0", "p99.9", "fuzzy31");
            Run sealed = bench(address, "--hashes", "300", "--mix", MIX, "--learns", "500", "--new-keys", "100",
                    "--encryption-key", key.publicKey().base32(), "--clients", "3", "--json");
            assertThat(sealed.status()).as(sealed.out() + sealed.err()).isZero();
            JsonNode streams = JSON.readTree(sealed.out()).get("streams");
            assertThat(streams.get(0).get("answered").longValue()).isPositive();
            assertThat(streams.get(0).get("kinds").size()).isEqualTo(7);
            assertThat(streams.get(1).get("sent").longValue()).isEqualTo(500);
            assertThat(streams.get(2).get("sent").longValue()).isEqualTo(100);
        }
    }

    @Test
    void everyAnswerIsCorrectAfterADump() throws Exception {
        Path dump = folder.resolve("hashes.dump");
        assertThat(Run.weir("bench", "--dump", dump.toString(), "--hashes", "500", "--seed", "9").status()).isZero();
        Run taken = Run.weir("import", dump.toString(), "--data", folder.resolve("data").toString());
        assertThat(taken.status()).as(taken.err()).isZero();
        try (StorageServer server = storage()) {
            InetSocketAddress address = server.start();
            assertThat(server.stats().engine().hashes()).isEqualTo(500);
            Run right = bench(address, "--hashes", "500", "--seed", "9", "--mix", "exact,fuzzy20");
            assertThat(right.status()).as(right.out() + right.err()).isZero();
            Run other = bench(address, "--hashes", "500", "--seed", "8", "--mix", "exact");
            assertThat(other.status()).as("the hashes of another seed are not stored").isEqualTo(1);
            assertThat(other.err()).contains("wrong: exact: expected hash ");
        }
    }

    @Test
    void rejectsInvalidOptions() {
        for (String[] words : new String[][]{{"--mix", "near"}, {"--mix", "exact"},
            {"--rate", "5", "--outstanding", "5"}, {"--outstanding", "0"}, {"--clients", "0", "--encryption-key",
                key.publicKey().base32()},
            {"--new-keys", "5"}, {"--hashes", "-1"}, {"--threads", "0"},
            {"192.0.2.1", "--sources", "2"}}) {
            List<String> line = new ArrayList<>(List.of("bench"));
            line.addAll(List.of(words));
            Run run = Run.weir(line.toArray(String[]::new));
            assertThat(run.status()).as(String.join(" ", words) + run.err()).isEqualTo(ExitCode.USAGE);
        }
    }

    @Test
    void reportsThatNoStorageAnswers() throws Exception {
        InetSocketAddress closed;
        try (StorageServer server = storage()) {
            closed = server.start();
        }
        Run run = Run.weir("bench", "127.0.0.1:" + closed.getPort(), "--warm-up", "0.01", "--duration", "0.1",
                "--timeout", "0.1");
        assertThat(run.status()).as(run.out()).isEqualTo(ExitCode.NO_ANSWER);
    }
}
