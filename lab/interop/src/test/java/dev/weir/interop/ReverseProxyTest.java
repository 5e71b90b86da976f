package dev.weir.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests with real HAProxy and nginx in front of {@code weir serve}, on trusted addresses and with several common
 * configurations. Clients come from 127.0.0.3, which is not trusted, and from 127.0.0.2, which is.
 */
class ReverseProxyTest {
    private static final String TRUSTED = "127.0.0.2";
    private static final String STRANGER = "127.0.0.3";
    private static final List<String> FORGED = List.of("", "X-Forwarded-For: 127.0.0.1\r\n", "X-Real-IP: 127.0.0.1\r\n",
            "X-Forwarded-For: 127.0.0.1\r\nX-Real-IP: 127.0.0.1\r\nForwarded: for=127.0.0.1\r\n",
            "X-Forwarded-For: 127.0.0.1,\r\nForwarded: for=\"127.0.0.1\r\n");

    @TempDir
    Path scratch;
    private Path config = Path.of("");
    private int http;
    private int front;

    @BeforeEach
    void configure() throws IOException {
        http = FreePort.find();
        front = FreePort.find();
        config = Files.writeString(scratch.resolve("weir.conf"), """
                worker "fuzzy" { bind_socket = "127.0.0.1:%d"; hash_file = "%s/fuzzy.db"; }
                worker "controller" {
                  bind_socket = "127.0.0.1:%d"; secure_ip = ["127.0.0.1", "%s"]; password = "right";
                  max_auth_failures = 0;
                }
                """.formatted(FreePort.find(), Files.createDirectory(scratch.resolve("db")), http, TRUSTED));
    }

    private static void awaitPort(Process process, int port) {
        await("the proxy listens").atMost(Duration.ofMinutes(1)).until(() -> {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                return true;
            } catch (java.net.ConnectException notYet) {
                assertThat(process.isAlive()).as("the proxy runs").isTrue();
                return false;
            }
        });
    }

    private Process start(String... command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true).redirectOutput(scratch.resolve("proxy.log").toFile()).start();
        awaitPort(process, front);
        return process;
    }

    private static void end(Process process) throws InterruptedException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
    }

    /** Returns the status of {@code /stat} for a client at an address of this machine. */
    private int status(String from, String headers, String query) throws IOException {
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral(from), 0));
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), front), 5000);
            socket.setSoTimeout(30_000);
            socket.getOutputStream()
                    .write(("GET /stat" + query + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                            + headers + "\r\n").getBytes(StandardCharsets.US_ASCII));
            String reply = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return Integer.parseInt(reply.substring(9, 12));
        }
    }

    /**
     * Checks that an untrusted client stays untrusted whatever it sends. A trusted client needs no password, but can
     * lose that by sending headers that the proxy passes on.
     */
    private void strangersNeedThePassword(String proxy) throws IOException {
        for (String forged : FORGED) {
            assertThat(status(STRANGER, forged, "")).as(proxy + " with " + forged).isEqualTo(401);
            assertThat(status(STRANGER, forged, "?x-forwarded-for=127.0.0.1&x-real-ip=127.0.0.1")).isEqualTo(401);
            assertThat(status(STRANGER, forged + "Password: right\r\n", "")).isEqualTo(200);
        }
        assertThat(status(TRUSTED, "", "")).as(proxy).isEqualTo(200);
    }

    @Test
    void haproxy() throws Exception {
        Programs.require("haproxy");
        try (WeirHttp _ = WeirHttp.configured(scratch, config)) {
            for (String option : List.of("option forwardfor", "http-request add-header Forwarded for=%[src]",
                    "http-request set-header X-Real-IP %[src]")) {
                Path file = Files.writeString(scratch.resolve("haproxy.cfg"), """
                        global
                          maxconn 100
                        defaults
                          mode http
                          timeout connect 5s
                          timeout client 30s
                          timeout server 30s
                        listen front
                          bind 127.0.0.1:%d
                          %s
                          server weir 127.0.0.1:%d
                        """.formatted(front, option, http));
                Process haproxy = start("haproxy", "-db", "-f", file.toString());
                try {
                    strangersNeedThePassword(option);
                } finally {
                    end(haproxy);
                }
            }
        }
    }

    @Test
    void nginx() throws Exception {
        Programs.require("nginx");
        try (WeirHttp _ = WeirHttp.configured(scratch, config)) {
            for (String option : List.of("proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
                    "proxy_set_header X-Real-IP $remote_addr;", "proxy_set_header X-Forwarded-For $remote_addr;",
                    "proxy_set_header X-Real-IP $remote_addr;"
                            + " proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;")) {
                Path file = Files.writeString(scratch.resolve("nginx.conf"), """
                        daemon off; master_process off; pid %1$s/nginx.pid; error_log %1$s/nginx.log;
                        events { worker_connections 100; }
                        http {
                          access_log off; client_body_temp_path %1$s/a; proxy_temp_path %1$s/b;
                          fastcgi_temp_path %1$s/c; uwsgi_temp_path %1$s/d; scgi_temp_path %1$s/e;
                          server {
                            listen 127.0.0.1:%2$d;
                            location / { proxy_pass http://127.0.0.1:%3$d; %4$s }
                          }
                        }
                        """.formatted(scratch, front, http, option));
                Process nginx = start("nginx", "-e", scratch.resolve("nginx.log").toString(), "-p",
                        scratch.toString(), "-c", file.toString());
                try {
                    strangersNeedThePassword(option);
                } finally {
                    end(nginx);
                }
            }
        }
    }
}
