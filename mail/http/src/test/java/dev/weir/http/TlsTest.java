package dev.weir.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

import dev.weir.http.access.TestRules;
import dev.weir.http.controller.Actions;
import dev.weir.http.controller.FakeService;
import dev.weir.http.metrics.Health;
import dev.weir.http.server.ServerLimits;
import dev.weir.http.server.TlsAddress;
import dev.weir.http.settings.HttpSettings;
import dev.weir.http.settings.TlsSettings;
import dev.weir.http.tls.TlsFiles;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/** TLS with the real curl and the real openssl. */
@Tag("peers")
@Timeout(120)
final class TlsTest {
    private static final String EC = "ec -pkeyopt ec_paramgen_curve:prime256v1";

    @TempDir
    private Path folder = Path.of("");
    private Optional<HttpService> service = Optional.empty();
    private int port;

    @AfterEach
    void stop() {
        service.ifPresent(HttpService::close);
    }

    private String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return out;
    }

    /** Makes {@code NAME.crt} and {@code NAME.key}. */
    private void certificate(String name, String kind, int days, String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of("openssl", "req", "-x509", "-nodes", "-subj", "/CN=" + name,
                "-addext", "subjectAltName=IP:127.0.0.1", "-days", String.valueOf(days), "-keyout", name + ".key",
                "-out", name + ".crt", "-newkey"));
        command.addAll(List.of(kind.split(" ")));
        command.addAll(List.of(more));
        assertThat(run(command.toArray(String[]::new))).doesNotContain("rror");
        assertThat(folder.resolve(name + ".crt")).isNotEmptyFile();
    }

    private void replace(String name, String suffix) throws IOException {
        Files.copy(folder.resolve(name + suffix), folder.resolve("new" + suffix), StandardCopyOption.REPLACE_EXISTING);
        Files.move(folder.resolve("new" + suffix), folder.resolve("server" + suffix), StandardCopyOption.ATOMIC_MOVE);
    }

    private void start(Optional<Path> clients, Duration hsts) throws IOException {
        TlsFiles files = new TlsFiles(folder.resolve("server.crt"), folder.resolve("server.key"), clients);
        List<SocketAddress> binds = List
                .of(new TlsAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
        HttpSettings settings = new HttpSettings(binds, TestRules.password("secret"), List.of(), ServerLimits.DEFAULT,
                Actions.DEFAULT, Duration.ZERO, Optional.of(new TlsSettings(files, hsts)));
        HttpService started = HttpService.of(settings, new FakeService(), List::of, Health.GOOD, "1");
        service = Optional.of(started);
        port = ((InetSocketAddress) started.start().getFirst()).getPort();
    }

    private String curl(String path, String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of("curl", "-sS", "-i", "--max-time", "30", "--cacert",
                "server.crt"));
        command.addAll(List.of(more));
        command.add("https://127.0.0.1:" + port + path);
        return run(command.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rsa:2048", EC, "ed25519"})
    void curlReadsWithEveryKindOfKey(String kind) throws Exception {
        certificate("server", kind, 10);
        start(Optional.empty(), Duration.ZERO);
        assertThat(curl("/ping")).startsWith("HTTP/1.1 200 OK").endsWith("pong\r\n")
                .doesNotContainIgnoringCase("Strict-Transport");
        assertThat(curl("/metrics")).startsWith("HTTP/1.1 401 Unauthorized");
        assertThat(curl("/metrics", "-H", "Password: secret")).contains("weir_http_tls_end_seconds ");
        assertThat(curl("/ping", "--tls-max", "1.2")).startsWith("HTTP/1.1 200 OK");
        assertThat(curl("/ping", "--tls-max", "1.1", "--tlsv1.0", "--ciphers", "DEFAULT@SECLEVEL=0"))
                .doesNotContain("HTTP/").contains("curl: (35)");
    }

    /** As acme.sh and older tools write them. */
    @ParameterizedTest
    @ValueSource(strings = {"rsa:2048", EC})
    void readsTheOlderFormsOfKeys(String kind) throws Exception {
        certificate("server", kind, 10);
        run("openssl", "pkey", "-in", "server.key", "-traditional", "-out", "old.key");
        replace("old", ".key");
        assertThat(folder.resolve("server.key")).content()
                .contains(kind.startsWith("rsa") ? "BEGIN RSA PRIVATE KEY" : "BEGIN EC PRIVATE KEY");
        start(Optional.empty(), Duration.ofDays(1));
        assertThat(curl("/ping")).contains("Strict-Transport-Security: max-age=86400\r\n");
    }

    @Test
    void aChangedCertificateHoldsForNewConnectionsAndOldOnesStay() throws Exception {
        run("openssl", "req", "-new", "-nodes", "-subj", "/CN=old", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:prime256v1", "-keyout", "old.key", "-out", "old.csr");
        Files.writeString(folder.resolve("names"), "subjectAltName=IP:127.0.0.1");
        run("openssl", "x509", "-req", "-in", "old.csr", "-signkey", "old.key", "-days", "-1", "-extfile", "names",
                "-out", "old.crt");
        certificate("next", EC, 10);
        replace("old", ".crt");
        replace("old", ".key");
        start(Optional.empty(), Duration.ZERO);
        await().until(() -> curl("/ping").contains("certificate has expired"));
        try (SSLSocket open = (SSLSocket) trusting().getSocketFactory().createSocket("127.0.0.1", port)) {
            assertThat(ping(open)).startsWith("HTTP/1.1 200 OK");
            replace("next", ".crt");
            await("the certificate does not fit the key").until(() -> {
                assertThat(curl("/ping", "-k")).startsWith("HTTP/1.1 200 OK");
                return curl("/metrics", "-k", "-H", "Password: secret")
                        .contains("weir_http_tls_reload_failures_total 1\n");
            });
            replace("next", ".key");
            await().until(() -> curl("/ping").startsWith("HTTP/1.1 200 OK"));
            assertThat(ping(open)).as("the open connection").startsWith("HTTP/1.1 200 OK");
            assertThat(((X509Certificate) open.getSession().getPeerCertificates()[0]).getSubjectX500Principal()
                    .getName()).isEqualTo("CN=old");
        }
    }

    private static String ping(SSLSocket socket) throws IOException {
        socket.getOutputStream().write("GET /ping HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII));
        InputStream in = socket.getInputStream();
        StringBuilder read = new StringBuilder();
        while (read.indexOf("pong\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                return read + " and the end";
            }
            read.append((char) next);
        }
        return read.toString();
    }

    private static SSLContext trusting() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[]{new X509TrustManager() {
            @Override
            public void checkClientTrusted(X509Certificate[] chain, String kind) {
                throw new IllegalStateException("this is a client");
            }

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String kind) {
                // The test compares it.
            }

            @Override
            public X509Certificate[] getAcceptedIssuers() {
                return new X509Certificate[0];
            }
        }}, new SecureRandom());
        return context;
    }

    @Test
    void aCertificateOfAClientGivesReadAccessAndNoMore() throws Exception {
        certificate("server", EC, 10);
        certificate("monitor", EC, 10);
        certificate("stranger", EC, 10);
        start(Optional.of(folder.resolve("monitor.crt")), Duration.ZERO);
        assertThat(curl("/metrics")).as("none").startsWith("HTTP/1.1 401 ");
        String[] known = {"--cert", "monitor.crt", "--key", "monitor.key"};
        assertThat(curl("/metrics", known)).startsWith("HTTP/1.1 200 ");
        assertThat(curl("/metrics", "--cert", "stranger.crt", "--key", "stranger.key")).doesNotContain("HTTP/1.1 200");
        assertThat(curl("/fuzzyadd", "--cert", "monitor.crt", "--key", "monitor.key", "-d", "x", "-H", "Flag: 1"))
                .startsWith("HTTP/1.1 401 ");
        assertThat(curl("/metrics", "--cert", "monitor.crt", "--key", "monitor.key", "-H",
                "X-Forwarded-For: 192.0.2.1")).as("a proxy with a certificate").startsWith("HTTP/1.1 401 ");
    }

    /** Java would take an old certificate that is in the list itself. */
    @Test
    void anOldCertificateOfAClientGivesNoAccess() throws Exception {
        certificate("server", EC, 10);
        run("openssl", "req", "-new", "-nodes", "-subj", "/CN=old", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:prime256v1", "-keyout", "old.key", "-out", "old.csr");
        run("openssl", "x509", "-req", "-in", "old.csr", "-signkey", "old.key", "-days", "-1", "-out", "old.crt");
        assertThat(folder.resolve("old.crt")).isNotEmptyFile();
        start(Optional.of(folder.resolve("old.crt")), Duration.ZERO);
        assertThat(curl("/metrics", "--cert", "old.crt", "--key", "old.key")).doesNotContain("HTTP/1.1 200");
        assertThat(curl("/ping")).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void whatCannotBeUsedIsNamed() throws Exception {
        certificate("server", EC, 10);
        certificate("other", EC, 10);
        replace("other", ".key");
        assertThatIllegalArgumentException().isThrownBy(() -> start(Optional.empty(), Duration.ZERO))
                .withMessageContaining("server.key: the private key does not belong to the certificate in ");
        Files.writeString(folder.resolve("server.key"), "no key");
        assertThatIllegalArgumentException().isThrownBy(() -> start(Optional.empty(), Duration.ZERO))
                .withMessageContaining("server.key: expected a private key in PEM, but found none");
        String whole = Files.readString(folder.resolve("other.key"));
        for (String damaged : List.of("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
                whole.replaceFirst("MIG", "MI*"), whole.replaceFirst("MIG", "M"), whole.substring(0, 100))) {
            Files.writeString(folder.resolve("server.key"), damaged);
            assertThatIllegalArgumentException().isThrownBy(() -> start(Optional.empty(), Duration.ZERO))
                    .withMessageContaining("server.key: the private key is damaged");
        }
        run("openssl", "genpkey", "-algorithm", "RSA", "-aes256", "-pass", "pass:x", "-out", "server.key");
        assertThatIllegalArgumentException().isThrownBy(() -> start(Optional.empty(), Duration.ZERO))
                .withMessageContaining("server.key: the private key has a passphrase");
        Files.delete(folder.resolve("server.crt"));
        assertThatIllegalArgumentException().isThrownBy(() -> start(Optional.empty(), Duration.ZERO))
                .withMessageContaining("server.crt: ");
    }
}
