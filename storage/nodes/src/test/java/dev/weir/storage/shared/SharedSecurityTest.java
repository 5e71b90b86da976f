package dev.weir.storage.shared;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.weir.storage.Samples;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;

/** Nodes whose Redis asks for TLS, a certificate, or the password of an ACL user. */
@Tag("peers")
@Timeout(120)
class SharedSecurityTest {
    private static final String SECRET = "do-not-print-me";

    @TempDir
    private Path scratch;

    private SharedSettings plain(RedisProcess redis) {
        return SharedSettingsBuilder.at(redis.address()).reconcile(Duration.ZERO).layout(SharedLayout.WEIR, 2).build();
    }

    private static void exchange(SharedCluster cluster) throws Exception {
        cluster.add();
        cluster.add();
        SharedCluster.learn(cluster.node(0), SharedNodesTest.ones(100));
        assertThat(cluster.converge(SharedNodesTest.digests(100)).lines()).hasSize(100);
    }

    /** Waits until a node says why it does not work. */
    private static String trouble(StorageEngine node) throws InterruptedException {
        SharedCluster.await("the node says what is wrong", () -> node.stats().troubles().size() >= 2);
        String said = node.stats().troubles().toString() + node.stats();
        assertThat(said).doesNotContain(SECRET);
        return said;
    }

    @Test
    void nodesUseTlsWithCertificatesOnBothSides() throws Exception {
        TestCertificates made = TestCertificates.make(Files.createDirectory(scratch.resolve("certificates")));
        int port = FreePort.find();
        try (RedisProcess _ = RedisProcess.start(scratch, "--tls-port", Integer.toString(port),
                "--tls-cert-file", made.file("server.crt"), "--tls-key-file", made.file("server.key"),
                "--tls-ca-cert-file", made.file("ca.crt"), "--tls-auth-clients", "yes")) {
            RedisAddress place = new RedisAddress("127.0.0.1", port);
            SharedSettings base = SharedSettingsBuilder.at(place).reconcile(Duration.ZERO).layout(SharedLayout.WEIR,
                    2).build();
            try (SharedCluster cluster = new SharedCluster(Files.createDirectory(scratch.resolve("good")),
                    SharedSettingsBuilder.of(base)
                            .login(new SharedSettings.Login("", "", ""), new SharedSettings.Tls(made.file("ca.crt"),
                                    made.file("client.crt"), made.file("client.key"), true))
                            .build())) {
                exchange(cluster);
            }
            // The authority of the server is not trusted; the client has no certificate; the server speaks TLS only.
            List<SharedSettings> bad = new ArrayList<>();
            bad.add(SharedSettingsBuilder.of(base).login(new SharedSettings.Login("", "", ""),
                    new SharedSettings.Tls("", made.file("client.crt"), made.file("client.key"), true)).build());
            bad.add(SharedSettingsBuilder.of(base).login(new SharedSettings.Login("", "", ""),
                    new SharedSettings.Tls(made.file("ca.crt"), "", "", true)).build());
            bad.add(base);
            int number = 0;
            for (SharedSettings settings : bad) {
                try (SharedCluster cluster = new SharedCluster(
                        Files.createDirectory(scratch.resolve("bad" + number++)), settings)) {
                    StorageEngine node = cluster.add();
                    trouble(node);
                    // Checks and learns go on.
                    SharedCluster.learn(node, SharedNodesTest.ones(5));
                    assertThat(node.find(Samples.digest(3))).hasSize(1);
                }
            }
        }
    }

    /** The user has exactly the rights that docs/operate/nodes.md#where-redis-is names. */
    @Test
    void aUserWithTheNamedRightsIsEnough() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch, "--save", "", "--requirepass", SECRET)) {
            for (SharedLayout layout : SharedLayout.values()) {
                try (Jedis admin = redis.client()) {
                    admin.auth(SECRET);
                    admin.flushAll();
                    List<String> rights = new ArrayList<>(List.of("reset", "on", ">" + SECRET, "~fuzzy*"));
                    rights.addAll(commands());
                    admin.aclSetUser("weir", rights.toArray(String[]::new));
                }
                SharedSettings settings = layout == SharedLayout.WEIR
                        ? plain(redis)
                        : SharedSettingsBuilder.at(redis.address()).reconcile(Duration.ofSeconds(1)).build();
                try (SharedCluster cluster = new SharedCluster(
                        Files.createDirectory(scratch.resolve(layout.toString())),
                        SharedSettingsBuilder.of(settings).login(new SharedSettings.Login("weir", SECRET, ""), null)
                                .confirmation(
                                        new SharedSettings.Confirmation(true, 0, false, Duration.ofSeconds(30)))
                                .build())) {
                    exchange(cluster);
                    cluster.add();
                    assertThat(cluster.converge(SharedNodesTest.digests(100)).lines()).hasSize(100);
                    assertThat(cluster.node(0).stats().troubles()).isEmpty();
                    assertThat(cluster.node(0).stats().toString()).doesNotContain(SECRET);
                }
                try (Jedis admin = redis.client()) {
                    admin.auth(SECRET);
                    assertThat(admin.aclLog()).as("what Redis refused").allMatch(entry -> entry.getReason() != null
                            && entry.getObject().matches("config.*|info|waitaof"));
                }
            }
        }
    }

    /** The commands that the page names, as rules of an ACL. */
    private static List<String> commands() throws Exception {
        String page = Files.readString(Path.of("..", "..", "docs", "operate", "nodes.md"));
        int begin = page.indexOf("and the commands `PING`");
        String list = page.substring(begin, page.indexOf("for a Cluster", begin));
        return java.util.regex.Pattern.compile("`([A-Z ]+)`").matcher(list).results()
                .map(found -> "+" + found.group(1).toLowerCase(java.util.Locale.ROOT).replace(' ', '|')).toList();
    }

    @Test
    void aWrongPasswordIsReportedAndNotPrinted() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch, "--requirepass", "another");
                SharedCluster cluster = new SharedCluster(scratch,
                        SharedSettingsBuilder.of(plain(redis)).login(new SharedSettings.Login("", SECRET, ""), null)
                                .build())) {
            assertThat(trouble(cluster.add())).contains("WRONGPASS");
        }
    }

    /** A user without the rights gets a sentence that names what is missing. */
    @Test
    void aMissingRightIsReported() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch)) {
            try (Jedis admin = redis.client()) {
                admin.aclSetUser("weir", "on", ">" + SECRET, "~fuzzy*", "+ping", "+select", "+role", "+script|load");
            }
            try (SharedCluster cluster = new SharedCluster(scratch,
                    SharedSettingsBuilder.of(plain(redis)).login(new SharedSettings.Login("weir", SECRET, ""), null)
                            .build())) {
                assertThat(trouble(cluster.add())).contains("NOPERM");
            }
        }
    }
}
