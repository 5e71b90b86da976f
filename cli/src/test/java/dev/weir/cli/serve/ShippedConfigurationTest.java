package dev.weir.cli.serve;

import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;

import dev.weir.cli.Run;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.testkit.FreePort;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The configuration of the package: as it ships, and with the filter that its comments describe. */
@Timeout(300)
class ShippedConfigurationTest {
    private static final Path SHIPPED = Path.of("../packages/weir.conf");
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private @Nullable Path folder;

    /** Removes the first # of each line, as the command in the file does. */
    private static List<String> filter() throws Exception {
        List<String> lines = Files.readAllLines(SHIPPED);
        int first = lines.indexOf("#fuzzy_check {");
        assertThat(first).as("the first line of the filter").isPositive();
        assertThat(lines.subList(first, lines.size())).as("one column").allMatch(line -> line.startsWith("#"));
        for (int i = first; i < lines.size(); i++) {
            lines.set(i, lines.get(i).substring(1));
        }
        return lines;
    }

    @Test
    void bothFormsAreValidWithoutAWarning() throws Exception {
        Path file = Files.write(folder().resolve("filter.conf"), filter());
        for (Path path : List.of(SHIPPED, file)) {
            Run run = Run.weir("config", "check", path.toString());
            assertThat(run.status()).as(run.err()).isEqualTo(ExitCode.OK);
            assertThat(run.err()).isEmpty();
        }
        Run advice = Run.weir("config", "check", "--advice", file.toString());
        assertThat(advice.out()).contains("rule \"local\" uses all kinds as recommended");
    }

    @Test
    void theFilterLearnsAndRecognizesACampaign() throws Exception {
        ServeProcess.Node node = ServeProcess.Node.in(folder().resolve("node"),
                KeyPair.generate(new SecureRandom()));
        int http = FreePort.find();
        int milter = FreePort.find();
        String text = String.join("\n", filter()).replace("/var/lib/weir/fuzzy.db", node.data() + "/fuzzy.db")
                .replace("11335", Integer.toString(node.port())).replace("11336", Integer.toString(http))
                .replace("11337", Integer.toString(milter));
        Files.writeString(node.folder().resolve("weir.conf"), text);
        try (ServeProcess serve = ServeProcess.startWithHttp(node); HttpClient client = HttpClient.newHttpClient()) {
            serve.awaitReady();
            awaitPort(serve, milter);
            assertThat(post(client, http, "/fuzzyadd", "FUZZY_DENIED", mail("your mailbox is nearly full")))
                    .contains("\"success\":true");
            assertThat(post(client, http, "/checkv2", "", mail("the parcel waits for you at the desk")))
                    .contains("\"FUZZY_DENIED\"", "kinds=", "\"kind\":\"source1\"", "\"flag\":21");
            assertThat(post(client, http, "/fuzzyadd", "FUZZY_WHITE", mail("your parcel is at the desk")))
                    .contains("\"success\":true");
            assertThat(post(client, http, "/checkv2", "", mail("the parcel waits for you at the desk")))
                    .as("wanted mail has this form").doesNotContain("\"kind\":\"source1\"");
        }
    }

    private static void awaitPort(ServeProcess serve, int port) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertThat(socket.isConnected()).isTrue();
                return;
            } catch (java.net.ConnectException notYet) {
                assertThat(System.nanoTime()).as(() -> "the milter listens: " + log(serve)).isLessThan(end);
                Thread.sleep(50);
            }
        }
    }

    private static String log(ServeProcess serve) {
        try {
            return String.join("\n", serve.log());
        } catch (java.io.IOException e) {
            return e.toString();
        }
    }

    private static String post(HttpClient client, int port, String path, String symbol, String mail) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(PATIENCE).POST(HttpRequest.BodyPublishers.ofString(mail));
        if (!symbol.isEmpty()) {
            request.header("Symbol", symbol).header("Weight", "10");
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
    }

    private Path folder() {
        return java.util.Objects.requireNonNull(folder);
    }

    private static String mail(String text) {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 24; i++) {
            rows.append("<tr><td class=row").append(Character.toString('a' + i)).append(">line</td></tr>");
        }
        return "From: <a@evil-site.com>\nSubject: " + text + "\nMIME-Version: 1.0\nContent-Type: text/html\n\n"
                + "<html><body><table width=600>" + rows + "<tr><td>" + text + "</td></tr></table></body></html>\n";
    }
}
