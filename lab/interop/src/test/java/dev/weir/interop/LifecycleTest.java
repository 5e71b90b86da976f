package dev.weir.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.weir.testkit.WeirProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Tests of the start and end of {@code weir serve} and other commands as processes. */
class LifecycleTest {
    private static final int SERVER = 6;
    private static final int OUTPUT_GONE = 141;

    @TempDir
    Path scratch;

    private static ServerSocket taken() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @Test
    void failsToStartOnAnAddressInUse() throws Exception {
        try (ServerSocket other = taken()) {
            String place = "127.0.0.1:" + other.getLocalPort();
            Programs.Result result = Weir.run(scratch, "serve", "--data", scratch.resolve("data").toString(),
                    "--bind", "127.0.0.1:0", "--http", place);
            assertThat(result.exit()).as(result.err()).isEqualTo(SERVER);
            assertThat(result.out()).isEmpty();
            assertThat(result.err()).contains("cannot listen on 127.0.0.1 port " + other.getLocalPort(), "--no-http",
                    "stopped; 0 hashes are stored").doesNotContain("listening on");
        }
    }

    @Test
    void failsToStartOnAConfiguredAddressInUse() throws Exception {
        try (ServerSocket other = taken()) {
            Path configuration = scratch.resolve("weir.conf");
            Files.writeString(configuration, """
                    worker "fuzzy" { bind_socket = "127.0.0.1:0"; hashfile = "%s/fuzzy.db"; }
                    worker "controller" { bind_socket = "127.0.0.1:%d"; }
                    """.formatted(Files.createDirectories(scratch.resolve("data")), other.getLocalPort()));
            Programs.Result result = Weir.run(scratch, "serve", "-c", configuration.toString());
            assertThat(result.exit()).as(result.err()).isEqualTo(SERVER);
            assertThat(result.out()).isEmpty();
            assertThat(result.err()).contains("cannot listen on 127.0.0.1 port " + other.getLocalPort());
        }
    }

    /** The database is locked when the signal arrives, and has all updates when the process has ended. */
    @Test
    void aDrainingStopWritesEverythingToTheDatabase() throws Exception {
        Path data = scratch.resolve("data");
        Path err = scratch.resolve("err");
        Process process = new ProcessBuilder(WeirProgram.command(List.of("serve", "--drain", "--data", data.toString(),
                "--bind", "127.0.0.1:0", "--http", "127.0.0.1:0", "--log-level", "warn,scans=info")))
                .redirectError(err.toFile()).start();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).contains("storage ready on ");
            String http = String.valueOf(out.readLine());
            int port = Integer.parseInt(http.substring(http.lastIndexOf(':') + 1));
            try (Connection locking = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("fuzzy.db"));
                    Statement statement = locking.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");
                String mail = "Message-ID: <one@example.org>\r\nSubject: offer\r\n\r\n"
                        + "dear friend we have a wonderful offer of the very best watches for you today\r\n".repeat(9);
                assertThat(ask(port, "POST /fuzzyadd HTTP/1.0\r\nFlag: 1\r\nContent-Length: " + mail.length()
                        + "\r\n\r\n" + mail)).contains("\"success\":true");
                assertThat(ask(port, "POST /checkv2 HTTP/1.0\r\nIP: 192.0.2.9\r\nContent-Length: " + mail.length()
                        + "\r\n\r\n" + mail)).contains("FUZZY_DENIED");
                process.toHandle().destroy();
                await("the stop waits").atMost(Duration.ofMinutes(2)).until(() -> {
                    assertThat(process.isAlive()).as(Programs.read(err)).isTrue();
                    return Programs.read(err).contains("weir: stopping: 1 update not in the database yet");
                });
                statement.execute("ROLLBACK");
            }
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
        try (Connection stored = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("fuzzy.db"));
                Statement statement = stored.createStatement();
                ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM digests")) {
            assertThat(count.getInt(1)).isOne();
        }
        assertThat(Programs.read(err))
                .contains("INFO  scans: id=\"one@example.org\" ip=192.0.2.9 ", " symbols=FUZZY_DENIED(",
                        " action=")
                .doesNotContain("INFO  StorageServer", "INFO  StorageEngine");
    }

    private static String ask(int port, String request) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Like {@code weir … | head -1}. The output exceeds the capacity of a pipe. */
    @Test
    void aReaderThatClosesEarlyIsNotAnError() throws Exception {
        Path folder = Files.createDirectories(scratch.resolve("mails"));
        for (int i = 0; i < 400; i++) {
            Files.writeString(folder.resolve(i + ".eml"),
                    "Subject: " + i + "\r\n\r\n" + ("word" + i + " ").repeat(300));
        }
        Path err = scratch.resolve("err.txt");
        Process process = new ProcessBuilder(WeirProgram.command(List.of("hash", folder.toString())))
                .redirectError(err.toFile()).start();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).isNotEmpty();
        }
        assertEndsQuietly(process, err);
    }

    /** The shell waits until the reader of the pipe has ended, then runs the command. */
    @Test
    void aReaderThatNeverReadsIsNotAnError() throws Exception {
        List<String> command = new ArrayList<>(
                List.of("bash", "-c", "exec > >(exec true); wait $!; exec \"$@\"", "bash"));
        command.addAll(WeirProgram.command(List.of("generate-completion")));
        Path err = scratch.resolve("err.txt");
        assertEndsQuietly(new ProcessBuilder(command).redirectError(err.toFile()).start(), err);
    }

    private static void assertEndsQuietly(Process process, Path err) throws Exception {
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(Programs.read(err)).isEqualTo(OUTPUT_GONE);
            assertThat(Programs.read(err)).isEmpty();
        } finally {
            process.destroyForcibly();
        }
    }
}
