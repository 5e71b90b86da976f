package dev.weir.cli.serve;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import com.sun.net.httpserver.HttpServer;
import dev.weir.cli.Run;
import dev.weir.cli.demo.Samples;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.testkit.FreePort;
import dev.weir.testkit.TlsCertificate;
import dev.weir.wire.key.KeyPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** {@code weir check --http} with a served Weir. */
@Timeout(300)
class CheckOverHttpTest {
    @TempDir
    private Path folder = Path.of("");

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    private ServeProcess.Node node(int plain, int tls, String certificate) throws IOException {
        ServeProcess.Node node = ServeProcess.Node.in(folder, KeyPair.generate(new SecureRandom()));
        Files.writeString(folder.resolve("weir.conf"), String.format(Locale.ROOT, """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:%d"; hash_file = "%s/fuzzy.db"; allow_update = ["127.0.0.1"];
                }
                worker "controller" {
                  bind_socket = ["127.0.0.1:%d", "127.0.0.1:%d ssl"]; password = "open sesame";
                  ssl_cert = "%s.crt"; ssl_key = "%s.key";
                }
                fuzzy_check { rule "one" { servers = "127.0.0.1:%d"; symbol = "UNKNOWN"; mime_types = ["*"];
                  fuzzy_map { FUZZY_DENIED { flag = 1; max_score = 20.0; } } } }
                """, node.port(), node.data(), plain, tls, file(certificate), file(certificate), node.port()));
        return node;
    }

    @Test
    void asksAWeirWithTls() throws Exception {
        TlsCertificate.write(folder, "server", "-1d", "IP:127.0.0.1");
        TlsCertificate.write(folder, "elsewhere", "-1d", "DNS:elsewhere.example");
        TlsCertificate.write(folder, "over", "-10d", "IP:127.0.0.1");
        Files.write(folder.resolve("spam.eml"), Samples.campaigns().getFirst().mail());
        Files.write(folder.resolve("other.eml"), Samples.campaigns().get(1).mail());
        Files.writeString(folder.resolve("password"), "open sesame\nnot this line");
        int plain = FreePort.find();
        int tls = FreePort.find();
        ServeProcess.Node node = node(plain, tls, "server");
        String url = "https://127.0.0.1:" + tls;
        try (ServeProcess weir = ServeProcess.startWithHttp(node)) {
            weir.awaitReady();
            assertThat(Run.weir("learn", "-s", "127.0.0.1:" + node.port(), "-f", "1", "-w", "50", file("spam.eml"))
                    .status()).isZero();
            String[] check = {"check", "--http", url, "--ca", file("server.crt"), "--password-file", file("password"),
                file("spam.eml"), file("other.eml")};
            Run found = Run.weir(check);
            assertThat(found.err()).isEmpty();
            assertThat(found.status()).isEqualTo(ExitCode.OK);
            assertThat(found.out()).containsPattern("spam.eml: known, score [0-9.]+\n  FUZZY_DENIED\\([0-9.]+\\) .*txt")
                    .contains("other.eml: not known, score 0.00\n");
            Run none = Run.weir("check", "--json", "--http", url + "/", "--ca", file("server.crt"), "--password-file",
                    file("password"), file("other.eml"));
            assertThat(none.status()).isEqualTo(ExitCode.NO_MATCH);
            JsonNode json = new JsonMapper().readTree(none.out());
            assertThat(json.path("action").asString()).isEqualTo("no action");
            assertThat(json.path("complete").asBoolean()).isTrue();

            // It trusts what the system trusts, and says what is wrong with the certificate.
            Run unknown = Run.weir("check", "--http", url, file("spam.eml"));
            assertThat(unknown.err()).isEqualTo("weir: the certificate of " + url
                    + " is not accepted: no chain of valid certificates leads to a trusted authority; --ca FILE names "
                    + "another one\n");
            assertThat(unknown.status()).isEqualTo(ExitCode.NO_ANSWER);
            Run locked = Run.weir("check", "--http", url, "--ca", file("server.crt"), file("spam.eml"));
            assertThat(locked.err()).isEqualTo("weir: " + url
                    + " answers 401: Unauthorized; give the password with --password-file or WEIR_PASSWORD\n");
            assertThat(locked.status()).isEqualTo(ExitCode.REFUSED);
            Files.writeString(folder.resolve("wrong"), "open barley");
            assertThat(Run.weir("check", "--http", "http://127.0.0.1:" + plain, "--password-file", file("wrong"),
                    file("spam.eml")).err()).contains(" answers 401: Unauthorized\n").doesNotContain("barley");
            replace("over");
            await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(Run.weir(asking(url, "over")).err())
                    .matches("weir: the certificate of " + url + " is not accepted: it has expired \\(.*\\)\n"));
            replace("elsewhere");
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(Run.weir(asking(url, "elsewhere")).err()).startsWith(
                            "weir: the certificate of " + url + " is not accepted: No subject alternative names "));
        }
        Run gone = Run.weir(asking(url, "server"));
        assertThat(gone.err()).isEqualTo("weir: no answer from " + url + ": the connection is refused\n");
        assertThat(gone.status()).isEqualTo(ExitCode.NO_ANSWER);
    }

    private String[] asking(String url, String authority) {
        return new String[]{"check", "--http", url, "--ca", file(authority + ".crt"), file("spam.eml")};
    }

    private void replace(String name) throws IOException {
        for (String suffix : List.of(".crt", ".key")) {
            Files.write(folder.resolve("server" + suffix), Files.readAllBytes(folder.resolve(name + suffix)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-s 127.0.0.1:1|--server", "--kinds all|--kinds", "--hash-time 1s|--hash-time",
        "-c x|--config", "--html|--html"})
    void refusesWhatHasNoEffect(String given) {
        String[] parts = given.split("\\|", -1);
        List<String> line = new ArrayList<>(List.of("check", "--http", "http://127.0.0.1:1"));
        line.addAll(List.of(parts[0].split(" ")));
        line.add("x.eml");
        Run run = Run.weir(line.toArray(String[]::new));
        assertThat(run.status()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).endsWith("leave out " + parts[1] + "\n");
    }

    @Test
    void refusesWhatItCannotUse() throws Exception {
        Files.writeString(folder.resolve("password"), "hunter2");
        assertThat(Run.weir("check", "--ca", "x", "--password-file", "y", "x.eml").err())
                .isEqualTo("weir: --ca and --password-file must come with --http\n");
        for (String url : List.of("ftp://127.0.0.1", "127.0.0.1:11334", "https://me:hunter2@127.0.0.1", "https://",
                "https://h:0", "https://h:65536", "http://[::1", "https://127.0.0.1/?Password=hunter2")) {
            Run run = Run.weir("check", "--http", url, "x.eml");
            assertThat(run.status()).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).contains("expected https://HOST:PORT");
        }
        assertThat(Run.weir("check", "--http", "http://192.0.2.1:1", "--password-file", file("password"), "x.eml")
                .err())
                .isEqualTo("weir: --password-file: a password goes to another machine by https:// only\n");
        Files.writeString(folder.resolve("password"), "p\u00e4sswort");
        assertThat(Run.weir("check", "--http", "http://127.0.0.1:1", "--password-file", file("password"), "x.eml")
                .err())
                .isEqualTo("weir: " + file("password")
                        + ": expected a password of printable ASCII characters in the first line\n");
        assertThat(Run.weir("check", "--http", "https://127.0.0.1:1", "--ca", file("password"), "x.eml").err())
                .startsWith("weir: " + file("password") + " has no certificates in PEM");
    }

    @Test
    void saysWhatAnotherServerAnswers() throws Exception {
        Files.write(folder.resolve("spam.eml"), Samples.campaigns().getFirst().mail());
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            byte[] reply = switch (exchange.getRequestURI().getPath()) {
                case "/large/checkv2" -> new byte[5 << 20];
                case "/rspamd/checkv2" ->
                    "{\"score\":15,\"symbols\":{\"FUZZY_DENIED\":{}}}".getBytes(StandardCharsets.US_ASCII);
                case "/missing/checkv2" -> "{\"error\":\"not\\u001bhere\"}".getBytes(StandardCharsets.US_ASCII);
                default -> "<html>".getBytes(StandardCharsets.US_ASCII);
            };
            exchange.sendResponseHeaders(exchange.getRequestURI().getPath().startsWith("/missing") ? 404 : 200,
                    reply.length);
            exchange.getResponseBody().write(reply);
            exchange.close();
        });
        server.start();
        try {
            String url = "http://127.0.0.1:" + server.getAddress().getPort();
            assertThat(Run.weir("check", "--http", url, file("spam.eml")).err())
                    .isEqualTo("weir: " + url + " is no Weir: its reply has no score with matches\n");
            assertThat(Run.weir("check", "--http", url + "/rspamd", file("spam.eml")).status())
                    .isEqualTo(ExitCode.REFUSED);
            assertThat(Run.weir("check", "--http", url + "/missing", file("spam.eml")).err())
                    .startsWith("weir: " + url + " answers 404: not").doesNotContain("\u001b");
            Run large = Run.weir("check", "--http", url + "/large", file("spam.eml"));
            assertThat(large.status()).isEqualTo(ExitCode.NO_ANSWER);
            assertThat(large.err()).contains("4194304");
        } finally {
            server.stop(0);
        }
    }
}
