package dev.weir.cli.serve;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.weir.cli.config.ConfigFile;
import dev.weir.hash.MailHasher;
import dev.weir.http.control.StorageCommands.Reloaded;
import dev.weir.http.metrics.StatisticsSource;
import dev.weir.http.server.ListenSockets;
import dev.weir.http.settings.HttpSettings;
import dev.weir.model.Networks;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.admin.Setup;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.server.stats.Counter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class ReloaderTest {
    private static final int LOOKS = Reloader.LOOKS_UNTIL_RETRY;

    @TempDir
    Path folder;
    private Path list = Path.of("");
    private Path file = Path.of("");

    @BeforeEach
    void write() throws IOException {
        list = Files.writeString(folder.resolve("writers.map"), "192.0.2.1\n");
        file = Files.writeString(folder.resolve("weir.conf"), """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:0"; hash_file = "%s/fuzzy.db"; allow_update = ["%s"];
                }
                """.formatted(folder, list));
    }

    private Reloader reloader(StorageServer server, ConfigFile config) {
        return new Reloader(server, config.storage().orElseThrow(), new Reloader.Scan(Optional.empty(), false, false),
                file.toString(), Map.of(),
                config);
    }

    private static Networks writers(StorageServer server) {
        return Objects.requireNonNull(server.access().updates().sources());
    }

    private static long failures(StorageServer server) {
        return server.stats().counters().getOrDefault(Counter.RELOAD_FAILED, 0L);
    }

    private static void look(Reloader reloader, int times) {
        for (int i = 0; i < times; i++) {
            reloader.look();
        }
    }

    @Test
    void anInvalidListDoesNotEndTheWatch() throws Exception {
        ConfigFile config = ConfigFile.read(file.toString(), Map.of());
        try (StorageServer server = new StorageServer(config.storage().orElseThrow());
                Reloader reloader = reloader(server, config)) {
            server.start();
            Files.writeString(list, "::ffff:192.0.2.0/120\n[2001:db8::]/32\n");
            reloader.look();
            assertThat(writers(server)).isEqualTo(Networks.perFamily("192.0.2.0/24", "2001:db8::/32"));
            assertThat(failures(server)).isZero();

            Files.writeString(list, "::ffff:192.0.2.0/24\n");
            look(reloader, LOOKS - 1);
            assertThat(failures(server)).isOne();
            assertThat(writers(server)).isEqualTo(Networks.perFamily("192.0.2.0/24", "2001:db8::/32"));

            Files.writeString(list, "198.51.100.0/24\n");
            reloader.look();
            assertThat(writers(server)).isEqualTo(Networks.perFamily("198.51.100.0/24"));
        }
    }

    @Test
    void aListThatAppearsIsReadAndOneThatVanishesStaysInForce() throws Exception {
        Files.delete(list);
        ConfigFile config = ConfigFile.read(file.toString(), Map.of());
        try (StorageServer server = new StorageServer(config.storage().orElseThrow());
                Reloader reloader = reloader(server, config)) {
            assertThat(config.problems()).singleElement().asString().contains("warning", "does not exist yet");
            server.start();
            assertThat(writers(server)).isEqualTo(Networks.NONE);
            Files.writeString(list, "198.51.100.0/24\n");
            reloader.look();
            assertThat(writers(server)).isEqualTo(Networks.perFamily("198.51.100.0/24"));
            Files.delete(list);
            reloader.look();
            assertThat(failures(server)).isOne();
            assertThat(writers(server)).isEqualTo(Networks.perFamily("198.51.100.0/24"));
        }
    }

    /** A storage with many hashes takes minutes to start. */
    @Test
    void aListThatChangesWhileTheStorageStartsIsReadAgain() throws Exception {
        ConfigFile config = ConfigFile.read(file.toString(), Map.of());
        try (StorageServer server = new StorageServer(config.storage().orElseThrow())) {
            Files.writeString(list, "198.51.100.0/24\n");
            server.start();
            try (Reloader reloader = reloader(server, config)) {
                reloader.look();
                assertThat(writers(server)).isEqualTo(Networks.perFamily("198.51.100.0/24"));
            }
        }
    }

    /** Otherwise the half of a list that was being written would stay in force. */
    @Test
    void aListThatChangesWhileItIsReadIsReadAgain() throws Exception {
        ConfigFile config = ConfigFile.read(file.toString(), Map.of());
        StorageConfig started = config.storage().orElseThrow();
        try (StorageServer server = new StorageServer(started); Reloader reloader = reloader(server, config)) {
            server.start();
            Files.writeString(list, "198.51.100.1\n");
            whenRulesAreReplaced(() -> write(list, "198.51.100.0/24\n"), reloader::look);
            assertThat(writers(server)).isEqualTo(Networks.perFamily("198.51.100.1"));
            assertThat(list).hasContent("198.51.100.0/24\n");
            reloader.look();
            assertThat(writers(server)).isEqualTo(Networks.perFamily("198.51.100.0/24"));
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Does something in the middle of a reload: after all files were read, and before the reload ends. */
    private static void whenRulesAreReplaced(Runnable action, Runnable reload) {
        Logger log = (Logger) LoggerFactory.getLogger(StorageServer.class);
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (event.getMessage().startsWith("the rules were replaced")) {
                    action.run();
                }
            }
        };
        appender.start();
        log.addAppender(appender);
        Level before = log.getLevel();
        log.setLevel(Level.INFO);
        try {
            reload.run();
        } finally {
            log.setLevel(before);
            log.detachAppender(appender);
        }
    }

    /** The page of an operator asks for them, and a reload may wait for web servers and name servers. */
    @Test
    void theListsOfKeysAreKnownDuringAReload() throws Exception {
        ConfigFile config = ConfigFile.read(file.toString(), Map.of());
        StorageConfig started = config.storage().orElseThrow();
        try (StorageServer server = new StorageServer(started); Reloader reloader = reloader(server, config)) {
            server.start();
            List<Object> found = new ArrayList<>();
            whenRulesAreReplaced(() -> {
                try {
                    found.add(CompletableFuture.supplyAsync(reloader::keyFiles).get(20, TimeUnit.SECONDS));
                } catch (InterruptedException | ExecutionException | TimeoutException e) {
                    found.add(e);
                }
            }, reloader::reload);
            assertThat(found).containsExactly(List.of());
        }
    }

    /** A follower that has copied its leader runs again in the same process, perhaps months after its start. */
    @Test
    void anotherRunInThisProcessKeepsWhatIsInForce() throws Exception {
        ConfigFile config = ConfigFile.read(file.toString(), Map.of());
        StorageConfig started = config.storage().orElseThrow();
        StorageProcess.Plan plan = new StorageProcess.Plan(started, CompletableFuture.failedFuture(new IOException()),
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), List.of(),
                Optional.of(new StorageProcess.Reload(file.toString(), Map.of(), config)), false);
        try (StorageServer server = new StorageServer(started); Reloader reloader = reloader(server, config)) {
            server.start();
            assertThat(reloader.planInForce(plan)).isEqualTo(plan);
            Files.writeString(file, Files.readString(file).replace("127.0.0.1:0", "127.0.0.1:1")
                    .replace("[\"" + list + "\"]", "\"198.51.100.0/24\"; expire = 3d"));
            assertThat(reloader.reload().messages()).anySatisfy(message -> assertThat(message)
                    .contains("bind_socket", "the change takes effect at the next start"));
            StorageProcess.Plan next = reloader.planInForce(plan);
            assertThat(next.storage().access()).isEqualTo(server.access());
            assertThat(next.storage().times().expire()).isEqualTo(Duration.ofDays(3));
            assertThat(next.storage().listen()).isEqualTo(started.listen());
            assertThat(next.reload().orElseThrow().file().storage()).get().extracting(StorageConfig::access)
                    .isEqualTo(server.access());
        }
    }

    /** Uses a stopped storage to simulate an internal error. */
    @Test
    void anUnexpectedErrorChangesNothingAndIsRetried() throws Exception {
        ConfigFile config = ConfigFile.read(file.toString(), Map.of());
        StorageConfig started = config.storage().orElseThrow();
        try (StorageServer server = new StorageServer(started); Reloader reloader = reloader(server, config)) {
            Files.writeString(list, "198.51.100.0/24\n");
            look(reloader, LOOKS + 1);
            server.start();
            assertThat(failures(server)).as("failed after the change and after the retry").isEqualTo(2);
            assertThat(writers(server)).isEqualTo(Networks.perFamily("192.0.2.1"));
            look(reloader, LOOKS);
            assertThat(writers(server)).isEqualTo(Networks.perFamily("198.51.100.0/24"));
            look(reloader, 2 * LOOKS);
            assertThat(failures(server)).isEqualTo(2);
        }
    }

    /** The command line may open more addresses than the configuration, whose rules may be unsafe there. */
    private Reloader withHttp(StorageServer server, ConfigFile config, ScanSide side) {
        return new Reloader(server, config.storage().orElseThrow(),
                new Reloader.Scan(Optional.of(side), true, true), file.toString(), Map.of(), config);
    }

    private void controller(String options) throws IOException {
        Files.writeString(file, """
                worker "fuzzy" { bind_socket = "127.0.0.1:0"; hash_file = "%s/fuzzy.db"; }
                worker "controller" { bind_socket = "127.0.0.1:0"; %s }
                """.formatted(folder, options));
    }

    @Test
    void rejectsHttpSettingsWithoutAccessRulesOnAPublicSocket() throws Exception {
        controller("password = \"first\";");
        ConfigFile config = ConfigFile.read(file.toString(), Map.of());
        HttpSettings wide = config.http(UnaryOperator.identity()).orElseThrow()
                .withBinds(List.of(new InetSocketAddress(0)));
        try (StorageServer server = new StorageServer(config.storage().orElseThrow())) {
            server.start();
            FuzzyCheckSettings rules = ScanSide.ownRule(server, config.storage().orElseThrow()).orElseThrow();
            try (ListenSockets doors = ListenSockets.bind(wide.binds());
                    ScanSide side = ScanSide.start(new ScanSide.Fronts(Optional.of(new ScanSide.Front<>(wide, doors)),
                            Optional.empty(), Optional.empty()), rules, MailHasher.standard(), server, folder,
                            Setup.NONE, StatisticsSource.NONE);
                    Reloader reloader = withHttp(server, config, side)) {
                controller("");
                Reloaded refused = reloader.reload();
                assertThat(refused.done()).isFalse();
                assertThat(refused.messages()).anySatisfy(message -> assertThat(message).contains("weir.conf:2:",
                        "listens on 0.0.0.0:0", "say who may learn and forget"));
                assertThat(side.httpSettings().orElseThrow().access().password()).isPresent();

                Path secure = Files.writeString(folder.resolve("secure.map"), "127.0.0.1\n");
                controller("secure_ip = \"" + secure + "\";");
                assertThat(reloader.reload().done()).isTrue();
                Files.writeString(secure, "# none left\n");
                reloader.look();
                assertThat(side.httpSettings().orElseThrow().access().secure().orElseThrow().isEmpty()).isTrue();
                assertThat(side.httpSettings().orElseThrow().access().isGuarded()).isTrue();
            }
        }
    }

    @Test
    void rejectsLoopbackRulesWhileTheStorageListensOnAllAddresses() throws Exception {
        String text = Files.readString(file);
        Files.writeString(file, text.replace("127.0.0.1:0", "*:0"));
        ConfigFile config = ConfigFile.read(file.toString(), Map.of());
        try (StorageServer server = new StorageServer(config.storage().orElseThrow());
                Reloader reloader = reloader(server, config)) {
            server.start();
            Files.writeString(file, text.replace("[\"" + list + "\"]", "\"0.0.0.0/0\""));
            Reloaded refused = reloader.reload();
            assertThat(refused.done()).isFalse();
            assertThat(refused.messages()).anySatisfy(message -> assertThat(message).contains("restart it"));
            assertThat(writers(server)).isEqualTo(Networks.perFamily("192.0.2.1"));
            Files.writeString(file, text.replace("127.0.0.1:0", "*:0").replace("[\"" + list + "\"]", "\"10.0.0.0/8\""));
            assertThat(reloader.reload().done()).isTrue();
            assertThat(writers(server)).isEqualTo(Networks.perFamily("10.0.0.0/8"));
        }
    }
}
