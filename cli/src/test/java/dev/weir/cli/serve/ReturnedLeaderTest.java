package dev.weir.cli.serve;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import dev.weir.cli.Run;
import dev.weir.cli.serve.ServeProcess.Node;
import dev.weir.model.Digest;
import dev.weir.testkit.FreePort;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.key.KeyPair;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * A leader whose folder was lost, or replaced by an older backup, with separate processes and the commands that
 * docs/operate/nodes.md#when-a-follower-refuses-to-follow tells the operator.
 */
@Tag("slow")
class ReturnedLeaderTest {
    private static final String REFUSAL = "does not follow its leader";

    @TempDir
    private Path folder = Path.of("");

    private Node first;
    private Node second;
    private int http;

    @BeforeEach
    void nodes() throws IOException {
        SecureRandom random = new SecureRandom();
        first = Node.in(folder.resolve("first"), KeyPair.generate(random));
        second = Node.in(folder.resolve("second"), KeyPair.generate(random));
        http = FreePort.find();
        first.configure("", first.followedBy("second", second, ""));
        second.configure("", Node.following(first));
    }

    private static Digest digest(int number) {
        long[] words = new long[Digest.WORDS];
        words[0] = number + 1L;
        words[1] = 77;
        return Digest.ofWords(words, 0);
    }

    private static void learn(Node node, int from, int until) throws IOException {
        try (UdpClient client = new UdpClient(node.address(), "127.0.0.1", 20_000)) {
            for (int i = from; i < until; i++) {
                assertThat(client.write(digest(i), 1, 3, null).isMatch()).as("learn %d", i).isTrue();
            }
        }
    }

    /** Checks that exactly some hashes are there, each with the value that it was learned with. */
    private static void check(Node node, int from, int until, boolean there) throws IOException {
        try (UdpClient client = new UdpClient(node.address(), "127.0.0.1", 20_000)) {
            for (int i = from; i < until; i++) {
                assertThat(client.check(digest(i), null).value()).as("hash %d", i).isEqualTo(there ? 3 : 0);
            }
        }
    }

    private HttpResponse<String> health() throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http + "/healthz"))
                    .timeout(Duration.ofSeconds(60)).build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    private static void delete(Path path) throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void weir(String... arguments) {
        Run run = Run.weir(arguments);
        assertThat(run.status()).as(run.out() + run.err()).isZero();
    }

    private void awaitRefusal(ServeProcess standby) throws Exception {
        standby.await("refusing", status -> status.path("troubles").toString().contains(REFUSAL));
        HttpResponse<String> sick = health();
        assertThat(sick.statusCode()).isEqualTo(503);
        assertThat(sick.body()).contains(REFUSAL);
    }

    private static void crash(ServeProcess node) throws Exception {
        node.kill();
        assertThat(node.awaitEnd(Duration.ofMinutes(1))).isNotZero();
    }

    /** The leader loses 30 hashes, which the standby has, and learns five others. */
    private void comeBackEmpty(ServeProcess leader, ServeProcess standby) throws Exception {
        standby.awaitFollowing(0);
        learn(first, 0, 30);
        standby.awaitFollowing(30);
        crash(leader);
        delete(first.data());
        leader.restart();
        leader.awaitReady();
        learn(first, 100, 105);
    }

    private List<Path> replaced() throws IOException {
        try (Stream<Path> kept = Files.list(second.data().resolve("kept-aside"))) {
            return kept.filter(path -> path.getFileName().toString().startsWith("replaced-")).toList();
        }
    }

    @Test
    void anEmptyOneIsRefusedUntilTheOperatorDiscardsAndWhatWasKeptIsImported() throws Exception {
        try (ServeProcess leader = ServeProcess.start(first);
                ServeProcess standby = ServeProcess.withHttp(second, http)) {
            comeBackEmpty(leader, standby);
            awaitRefusal(standby);
            check(second, 0, 30, true);

            weir("control", "follow", "--discard", "--data", second.data().toString());
            standby.await("a copy of the leader", status -> status.path("hashes").asLong(-1) == 5
                    && !status.path("troubles").toString().contains(REFUSAL));
            check(second, 100, 105, true);
            check(second, 0, 30, false);
            assertThat(replaced()).hasSize(1);
            crash(leader);
            weir("import", "--data", first.data().toString(), replaced().getFirst().toString());
            leader.restart();
            leader.awaitReady();
            standby.await("what was kept", status -> status.path("hashes").asLong(-1) == 35
                    && !status.path("troubles").toString().contains("leader"));
            for (Node node : List.of(first, second)) {
                check(node, 0, 30, true);
                check(node, 100, 105, true);
            }
            await().atMost(Duration.ofMinutes(1)).until(() -> health().statusCode() == 200);
        }
    }

    /** To put a copy in place, a follower runs again in the same process. */
    @Test
    void aFollowerKeepsTheConfigurationInForceWhenItPutsACopyInPlace() throws Exception {
        try (ServeProcess leader = ServeProcess.start(first); ServeProcess standby = ServeProcess.start(second)) {
            comeBackEmpty(leader, standby);
            standby.await("refusing", status -> status.path("troubles").toString().contains(REFUSAL));

            second.configure("blocked = [\"127.0.0.1\"];", Node.following(first));
            weir("control", "reload", "--data", second.data().toString());
            weir("control", "follow", "--discard", "--data", second.data().toString());
            standby.await("a copy of the leader", status -> status.path("hashes").asLong(-1) == 5
                    && !status.path("troubles").toString().contains(REFUSAL));
            assertThat(replaced()).hasSize(1);
            try (UdpClient client = new UdpClient(second.address(), "127.0.0.1", 2_000)) {
                assertThatThrownBy(() -> client.check(digest(100), null)).isInstanceOf(SocketTimeoutException.class);
            }
        }
    }

    @Test
    void anOlderBackupIsRefusedAndThePromotedFollowerKeepsEverything() throws Exception {
        Path backup = folder.resolve("backup");
        try (ServeProcess leader = ServeProcess.start(first);
                ServeProcess standby = ServeProcess.withHttp(second, http)) {
            standby.awaitFollowing(0);
            learn(first, 0, 20);
            weir("backup", "--data", first.data().toString(), backup.toString());
            learn(first, 20, 30);
            standby.awaitFollowing(30);
            crash(leader);
            delete(first.data());
            Files.move(backup, first.data());
            leader.restart();
            leader.awaitReady();
            check(first, 20, 30, false);
            awaitRefusal(standby);
            weir("control", "promote", "--data", second.data().toString());
            check(second, 0, 30, true);
            assertThat(standby.ask("/status").path("part").asString("")).isEqualTo("leader");
        }
    }
}
