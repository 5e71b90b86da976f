package dev.weir.cli.config;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests of lists from a web server, against a real one on loopback. */
class RemoteMapsTest {
    @TempDir
    Path folder = Path.of("");

    private final List<String> conditions = new ArrayList<>();
    private volatile String content = "192.0.2.1\n";
    private volatile String tag = "\"a\\b\"";
    private volatile int failure;
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
            String condition = String.valueOf(exchange.getRequestHeaders().getFirst("If-None-Match"));
            conditions.add(condition);
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

    private RemoteMaps maps() {
        return new RemoteMaps(folder.resolve("maps"), 100);
    }

    @Test
    void fetchesOnceAndAsksAgainWithTheConditionsOfTheAnswer() throws Exception {
        RemoteMaps maps = maps();
        Path file = maps.file(url);
        assertThat(file).hasContent("192.0.2.1\n");
        assertThat(maps.file(url)).isEqualTo(file);
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
        Path file = maps().file(url);
        failure = 500;
        RemoteMaps restarted = maps();
        assertThat(restarted.file(url)).isEqualTo(file).hasContent("192.0.2.1\n");
        restarted.refresh();
        assertThat(file).hasContent("192.0.2.1\n");
        assertThat(conditions).containsExactly("null", tag, tag);
    }

    @Test
    void reportsAListThatWasNeverFetched() {
        failure = 404;
        assertThatThrownBy(() -> maps().file(url)).isInstanceOf(IOException.class).hasMessageContaining("status 404");
        failure = 0;
        content = "x".repeat(101);
        assertThatThrownBy(() -> maps().file(url)).hasMessageContaining("longer than 100 bytes");
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
