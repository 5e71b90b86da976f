package dev.weir.cli.config;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.weir.config.map.MapAddress;
import dev.weir.config.source.Problem;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests of lists from a web server, against a real one on loopback. */
class RemoteMapsTest {
    /** A list, its signature by {@code rspamadm signtool} of Rspamd 3.4, and the key of {@code rspamadm keypair -s}. */
    private static final String SIGNED = "10.0.0.0/8\n";
    private static final byte[] SIGNATURE = HexFormat.of()
            .parseHex("a62c1e63ed83c8c284c9de262f7eda3b3caa00515f5c43279570969afec1bfdc"
                    + "69313e8e958951d1fcacde5dcdf1c0e5e57be3b37e0daa0ad8d9d619ecf40a00");
    private static final String KEY = "9mantin98odgso6buof5to4pjyxpxgg4wnwkjr11prf7ukdooirb";

    private static final String PASSWORD = "secret";

    @TempDir
    Path folder = Path.of("");

    private final List<String> conditions = new ArrayList<>();
    private volatile String content = "192.0.2.1\n";
    private volatile String tag = "\"a\\b\"";
    private volatile int failure;
    private volatile Runnable silence = () -> {};
    private HttpServer server = create();
    private String url = "";

    private static HttpServer create() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @BeforeEach
    void start() {
        server.createContext("/list", exchange -> {
            if (!exchange.getRequestURI().getPath().equals("/list")) {
                exchange.sendResponseHeaders(404, -1);
                exchange.close();
                return;
            }
            String condition = String.valueOf(exchange.getRequestHeaders().getFirst("If-None-Match"));
            conditions.add(condition);
            silence.run();
            byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
            if (failure != 0 || condition.equals(tag)) {
                exchange.sendResponseHeaders(failure == 0 ? 304 : failure, -1);
            } else {
                exchange.getResponseHeaders().add("ETag", tag);
                exchange.sendResponseHeaders(200, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
            exchange.close();
        });
        server.start();
        url = "http://127.0.0.1:" + server.getAddress().getPort() + "/list";
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private MapAddress address() {
        return MapAddress.parse(url).orElseThrow();
    }

    private RemoteMaps maps() {
        return new RemoteMaps(folder.resolve("maps"), 100);
    }

    @Test
    void fetchesOnceAndAsksAgainWithTheConditionsOfTheAnswer() throws Exception {
        RemoteMaps maps = maps();
        Path file = maps.file(address(), List.of());
        assertThat(file).hasContent("192.0.2.1\n");
        assertThat(maps.file(address(), List.of())).isEqualTo(file);
        assertThat(conditions).containsExactly("null");
        maps.refresh();
        assertThat(conditions).containsExactly("null", tag);
        content = "192.0.2.2\n";
        tag = "\"c\"";
        maps.refresh();
        assertThat(file).hasContent("192.0.2.2\n");
    }

    @Test
    void keepsTheLastContentWhileTheServerFailsAndAfterARestart() throws Exception {
        Path file = maps().file(address(), List.of());
        failure = 500;
        RemoteMaps restarted = maps();
        assertThat(restarted.file(address(), List.of())).isEqualTo(file).hasContent("192.0.2.1\n");
        restarted.refresh();
        assertThat(file).hasContent("192.0.2.1\n");
        assertThat(conditions).containsExactly("null", tag, tag);
    }

    /** A crash can empty a file that was written just before. With its old conditions, it would stay empty. */
    @Test
    void aDamagedCopyIsFetchedAgainOrRefused() throws Exception {
        Path file = maps().file(address(), List.of());
        Files.writeString(file, "");
        assertThat(maps().file(address(), List.of())).hasContent("192.0.2.1\n");
        assertThat(conditions).containsExactly("null", "null");
        failure = 500;
        assertThat(maps().file(address(), List.of())).as("sound").hasContent("192.0.2.1\n");
        Files.writeString(file, "192.0.2.2\n");
        assertThatThrownBy(() -> maps().file(address(), List.of())).isInstanceOf(IOException.class)
                .hasMessage("its server answers with status 500 for /list, and its kept copy " + file
                        + " is damaged");
        assertThat(file).as("kept for a person").hasContent("192.0.2.2\n");
    }

    /** Some servers and proxies say with status 200 that they have no list. */
    @ParameterizedTest
    @ValueSource(strings = {"<!DOCTYPE html>\n<html><title>Sorry</title>", "\uFEFF\r\n  <html>", "<?xml version"})
    void aPageInPlaceOfAListChangesNothing(String page) throws Exception {
        Path file = maps().file(address(), List.of());
        content = page;
        tag = "\"page\"";
        RemoteMaps restarted = maps();
        assertThat(restarted.file(address(), List.of())).isEqualTo(file).hasContent("192.0.2.1\n");
        restarted.refresh();
        assertThat(maps().file(address(), List.of())).hasContent("192.0.2.1\n");
        assertThat(conditions).containsExactly("null", "\"a\\b\"", "\"a\\b\"", "\"a\\b\"");
        assertThatThrownBy(() -> new RemoteMaps(folder.resolve("other"), 100).file(address(), List.of()))
                .hasMessage("its server sent a page in place of a list");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aContentWithAnErrorGivesWayToTheOneBeforeAndIsNotTakenAgain(boolean signed) throws Exception {
        KeyPair key = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        byte[] info = key.getPublic().getEncoded();
        List<byte[]> keys = List.of(Arrays.copyOfRange(info, info.length - 32, info.length));
        String list = (signed ? "sign+key=" + HexFormat.of().formatHex(keys.getFirst()) + "+" : "") + url;
        serve("/list.sig", () -> signature(key.getPrivate(), content));
        Path configuration = Files.writeString(folder.resolve("weir.conf"),
                "worker \"fuzzy\" { hash_file = \"" + folder + "/fuzzy.db\"; allow_update = \"" + list + "\"; }\n");
        ConfigFile first = ConfigFile.read(configuration.toString(), Map.of(), maps());
        assertThat(first.storage()).isPresent();
        assertThat(first.refuseLists()).as("nothing is wrong").isFalse();
        content = "192.0.2.5\n300.1.2.3/99\n";
        tag = "\"wrong, and never judged\"";
        maps().file(MapAddress.parse(list).orElseThrow(), keys);
        content = "192.0.2.2\n300.1.2.3/99\n";
        tag = "\"wrong\"";
        ConfigFile second = first.reread(configuration.toString(), Map.of());
        assertThat(second.storage()).isPresent();
        assertThat(second.problems()).extracting(Problem::toString).singleElement(InstanceOfAssertFactories.STRING)
                .startsWith(list + ":2:1: ");
        assertThat(second.refuseLists()).isTrue();
        assertThat(second.refuseLists()).as("there is no content before that").isFalse();
        for (int restart = 0; restart < 2; restart++) {
            ConfigFile third = ConfigFile.read(configuration.toString(), Map.of(), maps());
            assertThat(third.storage()).isPresent();
            assertThat(third.problems()).isEmpty();
            assertThat(third.maps().getFirst()).satisfies(file -> assertThat(Path.of(file)).hasContent("192.0.2.1\n"));
        }
        // A host name may have had no address then.
        try (Stream<Path> files = Files.list(folder.resolve("maps"))) {
            for (Path notes : files.filter(file -> file.toString().endsWith(".conditions")).toList()) {
                Files.setLastModifiedTime(notes, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
            }
        }
        ConfigFile later = ConfigFile.read(configuration.toString(), Map.of(), maps());
        assertThat(later.storage()).isPresent();
        assertThat(later.hasErrors()).isTrue();
        assertThat(later.refuseLists()).isTrue();
        content = "192.0.2.3\n";
        tag = "\"right\"";
        ConfigFile fourth = ConfigFile.read(configuration.toString(), Map.of(), maps());
        assertThat(fourth.storage()).isPresent();
        assertThat(fourth.problems()).isEmpty();
        assertThat(fourth.maps().getFirst()).satisfies(file -> assertThat(Path.of(file)).hasContent("192.0.2.3\n"));
        fourth.acceptLists();
        Path inUse = Path.of(fourth.maps().getFirst());
        assertThat(maps().refuse(MapAddress.parse(list).orElseThrow(), "an error")).as("it was in use").isFalse();
        assertThat(inUse).hasContent("192.0.2.3\n");
        ConfigFile other = ConfigFile.read(configuration.toString(), Map.of(),
                new RemoteMaps(folder.resolve("other"), 100));
        content = "300.1.2.3/99\n";
        tag = "\"wrong again\"";
        assertThat(other.storage()).isPresent();
        assertThat(other.hasErrors()).isTrue();
        assertThat(other.refuseLists()).as("the first content ever").isFalse();
    }

    private static byte[] signature(PrivateKey key, String content) {
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(key);
            signature.update(content.getBytes(StandardCharsets.UTF_8));
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aFailureIsToldOnceAnHourAndWhenItEnds() throws Exception {
        long[] now = {0};
        Logger log = (Logger) LoggerFactory.getLogger(RemoteMaps.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        log.addAppender(lines);
        Level before = log.getLevel();
        log.setLevel(Level.INFO);
        try {
            RemoteMaps maps = new RemoteMaps(folder.resolve("maps"), 100, Duration.ofSeconds(20), Map.of(),
                    () -> now[0]);
            maps.file(address(), List.of());
            maps.refresh();
            failure = 500;
            maps.refresh();
            maps.refresh();
            failure = 404;
            maps.refresh();
            now[0] = Duration.ofHours(1).toNanos() - 1;
            maps.refresh();
            now[0]++;
            maps.refresh();
            failure = 0;
            maps.refresh();
            maps.refresh();
        } finally {
            log.setLevel(before);
            log.detachAppender(lines);
        }
        String why = url + " cannot be fetched, its last content stays in use: its server answers with status ";
        assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage).containsExactly(why + "500 for /list",
                why + "404 for /list", why + "404 for /list", url + " can be fetched again");
    }

    /** An operator who edits a list on the page waits for this, and a reload waits for the operator. */
    @Test
    @Timeout(60)
    void aListThatIsThereDoesNotWaitForASilentServer() throws Exception {
        RemoteMaps maps = maps();
        Path file = maps.file(address(), List.of());
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        silence = () -> {
            asked.countDown();
            try {
                answer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        Thread refreshing = Thread.ofPlatform().start(maps::refresh);
        try {
            asked.await();
            assertThat(maps.file(address(), List.of())).isEqualTo(file);
            assertThat(refreshing.isAlive()).as("the server is still silent").isTrue();
        } finally {
            answer.countDown();
        }
        refreshing.join();
    }

    /** A list whose signature does not fit is never kept, so neither a restart nor another key makes it count. */
    @Test
    void keepsOnlyWhatItsKeyHasSigned() throws Exception {
        content = SIGNED;
        List<byte[]> keys = List.of(MapSignatures.key(KEY).orElseThrow());
        MapAddress signed = MapAddress.parse("sign+key=" + KEY + "+" + url).orElseThrow();
        assertThatThrownBy(() -> maps().file(signed, keys)).hasMessageContaining("status 404 for /list.sig");
        serve("/list.sig", () -> SIGNATURE);
        content = SIGNED + "192.0.2.1\n";
        assertThatThrownBy(() -> maps().file(signed, keys)).hasMessageContaining("not that of a trusted key");
        assertThat(folder.resolve("maps")).doesNotExist();
        content = SIGNED;
        RemoteMaps maps = maps();
        Path file = maps.file(signed, keys);
        assertThat(file).hasContent(SIGNED);
        assertThat(Path.of(MapSignatures.of(file.toString()))).hasBinaryContent(SIGNATURE);
        content = "192.0.2.1\n";
        tag = "\"c\"";
        maps.refresh();
        assertThat(file).hasContent(SIGNED);
        assertThat(maps().file(MapAddress.parse(url).orElseThrow(), List.of())).isNotEqualTo(file);
    }

    @Test
    void aConfigurationTakesSignedFilesOfTrustedKeys() throws Exception {
        Path list = Files.writeString(folder.resolve("list"), SIGNED);
        Path signature = Files.write(folder.resolve("list.sig"), SIGNATURE);
        Path file = folder.resolve("weir.conf");
        String worker = "worker \"fuzzy\" { hash_file = \"" + folder + "/fuzzy.db\"; allow_update = \"sign+%s"
                + list + "\"; }\n";
        String other = "y".repeat(52);
        Files.writeString(file, worker.formatted("key=" + KEY + "+"));
        ConfigFile read = ConfigFile.read(file.toString(), Map.of(), maps());
        assertThat(read.storage().orElseThrow().access().updates().sources()).isNotNull();
        assertThat(read.problems()).isEmpty();
        assertThat(read.maps()).containsExactly(list.toString(), signature.toString());
        Files.writeString(file, "options { trusted_keys = [\"" + other + "\", \"" + KEY + "\"]; }\n"
                + worker.formatted(""));
        read = ConfigFile.read(file.toString(), Map.of(), maps());
        assertThat(read.storage()).isPresent();
        assertThat(read.hasErrors()).isFalse();
        for (String[] wrong : new String[][]{{"", "no key is trusted: write sign+key=KEY+, or trusted_keys"},
            {"key=" + other + "+", "its signature is not that of a trusted key"},
            {"key=abc+", "its key is not a public key for signatures"}}) {
            Files.writeString(file, worker.formatted(wrong[0]));
            ConfigFile refused = ConfigFile.read(file.toString(), Map.of(), maps());
            refused.storage();
            assertThat(refused.problems()).anySatisfy(problem -> assertThat(problem.toString())
                    .contains("weir.conf:1:", list + " cannot be read: " + wrong[1]));
        }
        Files.writeString(signature, "short");
        Files.writeString(file, worker.formatted("key=" + KEY + "+"));
        ConfigFile cut = ConfigFile.read(file.toString(), Map.of(), maps());
        cut.storage();
        assertThat(cut.problems().getFirst().toString()).contains("its signature has 5 bytes, not 64");
    }

    private void serve(String path, java.util.function.Supplier<byte[]> bytes) {
        server.createContext(path, exchange -> {
            exchange.sendResponseHeaders(200, bytes.get().length);
            exchange.getResponseBody().write(bytes.get());
            exchange.close();
        });
    }

    /** A list by HTTPS comes only from a server whose certificate the machine trusts. */
    @Test
    void takesListsByHttpsFromServersThatTheSystemTrusts() throws Exception {
        Path keys = folder.resolve("keys");
        Path certificate = folder.resolve("certificate");
        keytool("-genkeypair", "-alias", "web", "-keyalg", "EC", "-validity", "2", "-dname", "CN=localhost", "-ext",
                "san=ip:127.0.0.1", "-storetype", "PKCS12", "-keystore", keys.toString(), "-storepass", PASSWORD);
        keytool("-exportcert", "-rfc", "-alias", "web", "-file", certificate.toString(), "-keystore", keys.toString(),
                "-storepass", PASSWORD);
        HttpsServer web = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try {
            web.setHttpsConfigurator(new HttpsConfigurator(identity(keys)));
            web.createContext("/list", exchange -> {
                exchange.sendResponseHeaders(200, content.length());
                exchange.getResponseBody().write(content.getBytes(StandardCharsets.UTF_8));
                exchange.close();
            });
            web.start();
            MapAddress list = MapAddress.parse("https://127.0.0.1:" + web.getAddress().getPort() + "/list")
                    .orElseThrow();
            assertThatThrownBy(() -> maps().file(list, List.of())).isInstanceOf(IOException.class)
                    .hasMessageContaining("certif");
            assertThat(folder.resolve("maps")).doesNotExist();
            RemoteMaps trusting = new RemoteMaps(folder.resolve("maps"), 100, Duration.ofSeconds(20),
                    Map.of("SSL_CERT_FILE", certificate.toString()), System::nanoTime);
            assertThat(trusting.file(list, List.of())).hasContent(content);
        } finally {
            web.stop(0);
        }
    }

    private static void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/keytool"));
        command.addAll(List.of(arguments));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
    }

    private static SSLContext identity(Path keys) throws IOException, GeneralSecurityException {
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(KeyStore.getInstance(keys.toFile(), PASSWORD.toCharArray()), PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), null, null);
        return context;
    }

    /** A server that stalls must not hold up the program, neither before its answer nor within it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(60)
    void givesUpOnAServerThatStalls(boolean begun) {
        server.createContext("/stall", exchange -> {
            if (begun) {
                exchange.sendResponseHeaders(200, 100);
                exchange.getResponseBody().write("192.0.2.1\n".getBytes(StandardCharsets.UTF_8));
                exchange.getResponseBody().flush();
            }
        });
        MapAddress stalled = MapAddress.parse(url.replace("/list", "/stall")).orElseThrow();
        RemoteMaps maps = new RemoteMaps(folder.resolve("maps"), 100, Duration.ofMillis(300), Map.of(),
                System::nanoTime);
        assertThatThrownBy(() -> maps.file(stalled, List.of())).isInstanceOf(IOException.class)
                .hasMessageContaining("did not send all of it");
        assertThat(folder.resolve("maps")).doesNotExist();
    }

    @Test
    void reportsAListThatWasNeverFetched() {
        failure = 404;
        assertThatThrownBy(() -> maps().file(address(), List.of())).isInstanceOf(IOException.class)
                .hasMessageContaining("status 404");
        failure = 0;
        content = "x".repeat(101);
        assertThatThrownBy(() -> maps().file(address(), List.of())).hasMessageContaining("longer than 100 bytes");
        assertThat(folder.resolve("maps")).doesNotExist();
    }

    @Test
    void aConfigurationReadsItsListsFromThere() throws Exception {
        Path file = Files.writeString(folder.resolve("weir.conf"), "worker \"fuzzy\" { hash_file = \"" + folder
                + "/fuzzy.db\"; allow_update = \"" + url + "\"; blocked { url = \"" + url + "\" } }\n");
        ConfigFile read = ConfigFile.read(file.toString(), Map.of(), maps());
        assertThat(read.storage().orElseThrow().access().updates().sources()).isNotNull();
        assertThat(read.hasErrors()).isFalse();
        assertThat(read.maps()).singleElement().asString().startsWith(folder.resolve("maps").toString());
        failure = 500;
        ConfigFile broken = ConfigFile.read(file.toString(), Map.of(), new RemoteMaps(folder.resolve("other"), 100));
        broken.storage();
        assertThat(broken.problems()).anySatisfy(problem -> assertThat(problem.toString()).contains("weir.conf:1:",
                url + " cannot be read: its server answers with status 500"));
    }
}
