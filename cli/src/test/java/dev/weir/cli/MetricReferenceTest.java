package dev.weir.cli;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import dev.weir.config.Configuration;
import dev.weir.config.option.Problems;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.hash.MailHasher;
import dev.weir.http.HttpService;
import dev.weir.http.controller.Actions;
import dev.weir.http.metrics.Metric;
import dev.weir.http.metrics.MetricsText;
import dev.weir.http.metrics.ScanPoolMetrics;
import dev.weir.http.metrics.StorageMetrics;
import dev.weir.http.push.PushServer;
import dev.weir.http.replication.FeedServer;
import dev.weir.http.server.ListenSockets;
import dev.weir.http.settings.HttpSettings;
import dev.weir.milter.MilterService;
import dev.weir.milter.settings.MilterReader;
import dev.weir.milter.settings.MilterSettings;
import dev.weir.model.Networks;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.FuzzyCheckOptions;
import dev.weir.scan.pool.ScanPool;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.push.PushSettings;
import dev.weir.storage.queue.Role;
import dev.weir.storage.replication.Feed;
import dev.weir.storage.replication.FollowerKey;
import dev.weir.storage.replication.NodeStatus;
import dev.weir.storage.replication.ReplicationSettings;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.server.stats.StorageStats;
import dev.weir.storage.shared.RedisAddress;
import dev.weir.storage.shared.SharedLayout;
import dev.weir.storage.shared.SharedSettings;
import dev.weir.storage.waves.WaveSettings;
import dev.weir.trap.TrapService;
import dev.weir.trap.settings.TrapReader;
import dev.weir.trap.settings.TrapSettings;
import dev.weir.trap.smtp.TrapListeners;
import dev.weir.wire.key.KeyPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Keeps the page of metrics equal to what the services of this program print. */
@Timeout(120)
class MetricReferenceTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /** With {@code -Dweir.docs.write=true}, this test updates the page instead. */
    @Test
    void theReferenceDescribesEveryMetric(@TempDir Path folder) throws Exception {
        String row = "# HELP (\\S+) (.*)\n# TYPE \\S+ (\\S+)\n";
        StringBuilder page = new StringBuilder("""
                # Metrics

                What `/metrics` prints, in the text format of Prometheus or, on request, of OpenMetrics. A test keeps
                this page equal to the program; `mvn test -pl cli -am -Dtest=MetricReferenceTest
                -Dsurefire.failIfNoSpecifiedTests=false -Dweir.docs.write=true` updates it.

                | Metric | Type | Meaning |
                |---|---|---|
                """);
        Pattern.compile(row).matcher(
                scannerMetrics(folder.resolve("scanner")) + nodeMetrics(folder.resolve("node"))
                        + sharedMetrics(folder.resolve("shared")) + pushMetrics(folder.resolve("push")))
                .results()
                .filter(distinct()).sorted(Comparator.comparing(found -> found.group(1)))
                .forEach(found -> page.append("| `").append(found.group(1)).append("` | ").append(found.group(3))
                        .append(" | ").append(found.group(2)).append(" |\n"));
        Path file = Path.of("../docs/reference/metrics.md");
        if (Boolean.getBoolean("weir.docs.write")) {
            Files.writeString(file, page);
        }
        assertThat(Files.readString(file)).isEqualTo(page.toString());
    }

    private static Predicate<MatchResult> distinct() {
        Set<String> seen = new HashSet<>();
        return found -> seen.add(found.group(1));
    }

    /** Returns the metrics of a node that shares a Redis, which it does not reach. */
    private static String sharedMetrics(Path folder) throws Exception {
        try (StorageServer node = new StorageServer(StorageConfig.of(folder)
                .withBind(ANY_PORT)
                .withShared(shared(new RedisAddress("127.0.0.1", 1))))) {
            node.start();
            return MetricsText.write(new StorageMetrics(node::stats).metrics(), MetricsText.Format.PROMETHEUS);
        }
    }

    /** Returns the metrics of a slave and master in the replication of Rspamd 1.3 to 1.9. */
    private static String pushMetrics(Path folder) throws Exception {
        KeyPair pair = KeyPair.generate(new SecureRandom());
        PushSettings settings = new PushSettings(pair, false, Networks.dualStack("192.0.2.1"), null, Map.of(),
                PushSettings.DEFAULT_TIMEOUT, List.of(new PushSettings.Slave("mirror",
                        List.of(new PushSettings.Host("127.0.0.1", 1)), pair.publicKey())));
        try (StorageServer storage = new StorageServer(StorageConfig.of(folder)
                .withBind(ANY_PORT).withPush(settings))) {
            storage.start();
            List<Metric> metrics = new ArrayList<>(new StorageMetrics(storage::stats).metrics());
            try (PushServer door = new PushServer(settings, storage.push().orElseThrow().intake().orElseThrow())) {
                metrics.addAll(door.metrics());
            }
            return MetricsText.write(metrics, MetricsText.Format.PROMETHEUS);
        }
    }

    /** Returns the further metrics of a node that follows another one and has a follower. */
    private static String nodeMetrics(Path folder) throws Exception {
        KeyPair other = KeyPair.generate(new SecureRandom());
        ReplicationSettings settings = new ReplicationSettings(KeyPair.generate(new SecureRandom()), List.of(),
                List.of(new FollowerKey("standby", other.publicKey(), Feed.WHOLE, false, FollowerKey.DEFAULT_HOLD)),
                null, true, 0, Duration.ofSeconds(1), Duration.ofSeconds(1));
        try (StorageServer storage = new StorageServer(StorageConfig.of(folder)
                .withBind(ANY_PORT).withReplication(settings)
                .withWaves(WaveSettings.counting()))) {
            storage.start();
            StorageStats stats = storage.stats();
            NodeStatus leading = stats.replication().orElseThrow();
            NodeStatus following = new NodeStatus(Role.Part.FOLLOWER, leading.epoch(), leading.revision(),
                    new NodeStatus.Above("192.0.2.1:11336", 0, OptionalLong.of(0), "", -1, -1, ""),
                    leading.followers(), 0,
                    -1, leading.counts(), 60, false, List.of());
            List<Metric> metrics = new ArrayList<>(new StorageMetrics(() -> new StorageStats(stats.engine(), 0, 0,
                    stats.counters(), Optional.of(following), Optional.empty(), Optional.empty(), stats.waves(),
                    List.of()))
                    .metrics());
            try (FeedServer feed = new FeedServer(settings, storage.node().orElseThrow())) {
                metrics.addAll(feed.metrics());
            }
            return MetricsText.write(metrics, MetricsText.Format.accepted(""));
        }
    }

    /** Returns the metrics of a storage with a database and of the services with a client of it. */
    private static String scannerMetrics(Path folder) throws Exception {
        try (StorageServer storage = new StorageServer(StorageConfig.of(folder).withBind(ANY_PORT)
                .withBackend(BackendKind.SQLITE))) {
            String text = """
                    fuzzy_check { rule "local" {
                      algorithm = "mumhash"; servers = "127.0.0.1:%d"; symbol = "LOCAL"; mime_types = ["*"];
                    } }
                    worker "milter" {}
                    worker "trap" { complaints {} }
                    """.formatted(storage.start().getPort());
            UclObject root = (UclObject) Ucl.parse("test.conf", text, UclSettings.PLAIN).root();
            Configuration configuration = new Configuration(Configuration.Shape.WHOLE_FILE, "test.conf", root,
                    List.of(), List.of());
            FuzzyCheckSettings rules = FuzzyCheckSettings.of(configuration, new DiskFiles());
            MilterSettings milterSettings = MilterReader.read(configuration, new DiskFiles(), new Problems())
                    .orElseThrow();
            TrapSettings trapSettings = TrapReader.read(configuration, new DiskFiles(), new Problems()).orElseThrow();
            StorageMetrics figures = new StorageMetrics(storage::stats);
            try (ScanPool pool = ScanPool.start();
                    FuzzyCheck client = FuzzyCheck.open(rules, MailHasher.standard(), FuzzyCheckOptions.DEFAULT);
                    HttpService http = HttpService.of(HttpSettings.local(Actions.DEFAULT).withBinds(List.of(ANY_PORT)),
                            client,
                            figures, figures, "9.9");
                    MilterService milter = MilterService.of(milterSettings,
                            ListenSockets.bind(List.of(ANY_PORT)), client::check);
                    TrapService traps = TrapService.open(trapSettings, TrapListeners.bind(List.of(), List.of()),
                            client, pool.lane(ScanPool.Source.TRAP), folder.resolve("traps.db"));
                    HttpClient browser = HttpClient.newHttpClient()) {
                int port = ((InetSocketAddress) http.start().getFirst()).getPort();
                milter.start();
                traps.start();
                List<Metric> doors = new ArrayList<>(milter.metrics());
                doors.addAll(traps.metrics());
                doors.addAll(new ScanPoolMetrics(pool).metrics());
                return browser.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build(),
                        HttpResponse.BodyHandlers.ofString()).body()
                        + MetricsText.write(doors, MetricsText.Format.PROMETHEUS);
            }
        }
    }

    /** Settings of a node that asks Redis about checks that find nothing. */
    private static SharedSettings shared(RedisAddress server) {
        return new SharedSettings(SharedSettings.Mode.STANDALONE, List.of(server), List.of(), "",
                new SharedSettings.Login("", "", ""), null, 0, SharedSettings.PREFIX, SharedLayout.RSPAMD, 1,
                Duration.ofSeconds(1), Duration.ofMinutes(10), true, SharedSettings.HISTORY,
                SharedSettings.Confirmation.NONE);
    }
}
