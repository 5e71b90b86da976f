package dev.weir.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The plugin for SpamAssassin in a real amavis, between a client and a server of SMTP. */
class AmavisTest {
    private static final long PATIENCE_SECONDS = 120;

    @TempDir
    Path scratch;

    @BeforeAll
    static void programs() {
        SpamAssassin.require();
        Programs.require("amavisd", "swaks");
        assumeTrue("root".equals(System.getProperty("user.name")), "amavis changes to its own user, as only root can");
    }

    /** A server that takes every mail. */
    private static final class Sink implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        private final BlockingQueue<String> mails = new LinkedBlockingQueue<>();

        Sink() throws IOException {
            Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        Socket client = server.accept();
                        Thread.ofVirtual().start(() -> serve(client));
                    }
                } catch (IOException e) {
                    // It is closed.
                }
            });
        }

        private void serve(Socket client) {
            try (client;
                    BufferedReader in = new BufferedReader(
                            new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1));
                    OutputStream out = client.getOutputStream()) {
                say(out, "220 sink");
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (!line.equalsIgnoreCase("DATA")) {
                        say(out, line.equalsIgnoreCase("QUIT") ? "221 bye" : "250 ok");
                        continue;
                    }
                    say(out, "354 go on");
                    StringBuilder mail = new StringBuilder();
                    for (String part = in.readLine(); part != null && !part.equals("."); part = in.readLine()) {
                        mail.append(part).append('\n');
                    }
                    mails.add(mail.toString());
                    say(out, "250 taken");
                }
            } catch (IOException e) {
                // The client has gone.
            }
        }

        private static void say(OutputStream out, String line) throws IOException {
            out.write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
            out.flush();
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }

    @Test
    void amavisTakesTheRulesOfWeir() throws Exception {
        Path mail = SpamAssassin.mail(scratch, 1);
        Path other = SpamAssassin.mail(scratch, 2);
        int port = FreePort.find();
        try (WeirHttp weir = SpamAssassin.weir(scratch); Sink sink = new Sink()) {
            SpamAssassin.learn(weir, mail);
            Path site = SpamAssassin.in(scratch, "weir_servers 127.0.0.1:" + weir.port()).site();
            Path home = Files.createDirectory(scratch.resolve("amavis"));
            Path config = Files.writeString(scratch.resolve("amavisd.conf"), """
                    use strict;
                    $MYHOME = '%1$s'; $TEMPBASE = "$MYHOME/tmp"; $QUARANTINEDIR = undef; $helpers_home = $MYHOME;
                    $lock_file = "$MYHOME/lock"; $pid_file = "$MYHOME/pid";
                    $daemon_user = 'amavis'; $daemon_group = 'amavis'; $max_servers = 2;
                    $inet_socket_bind = '127.0.0.1'; $inet_socket_port = %2$d; $unix_socketname = undef;
                    $forward_method = 'smtp:[127.0.0.1]:%3$d'; $notify_method = $forward_method;
                    $mydomain = 'example.org'; $myhostname = 'mx.example.org'; @local_domains_maps = (1);
                    $enable_db = 0; $do_syslog = 0; $log_level = 2; $logfile = undef;
                    @bypass_virus_checks_maps = (1); @bypass_banned_checks_maps = (1);
                    $sa_local_tests_only = 1; $sa_siteconfigpath = '%4$s'; $sa_configpath = '%4$s/rules';
                    $sa_tag_level_deflt = undef; $sa_tag2_level_deflt = 5; $sa_kill_level_deflt = 50;
                    $final_spam_destiny = D_PASS;
                    1;
                    """.formatted(home, port, sink.server.getLocalPort(), site));
            for (String folder : new String[]{"", "tmp"}) {
                Path own = home.resolve(folder);
                Files.createDirectories(own);
                Programs.run(scratch, "chown", "amavis:amavis", own.toString()).succeeded();
            }
            Path log = scratch.resolve("amavis.log");
            Process amavis = new ProcessBuilder("amavisd", "-c", config.toString(), "foreground")
                    .redirectErrorStream(true).redirectOutput(log.toFile()).start();
            try {
                awaitPort(amavis, port, log);
                send(port, mail);
                send(port, other);
                assertThat(sink.mails.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).as(() -> read(log))
                        .contains("X-Spam-Flag: YES").containsPattern("tests=\\[OWN_RULE=1\\.1, WEIR_COPY=4\\]");
                assertThat(sink.mails.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).as(() -> read(log))
                        .containsPattern("tests=\\[OWN_RULE=1\\.1\\]");
            } finally {
                amavis.destroy();
                assertThat(amavis.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    private void send(int port, Path mail) throws IOException, InterruptedException {
        Programs.run(scratch, "swaks", "--server", "127.0.0.1:" + port, "--from", "a@example.com", "--to",
                "b@example.org", "--data", "@" + mail).succeeded();
    }

    private static String read(Path log) {
        try {
            return Programs.read(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static void awaitPort(Process process, int port, Path log) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (true) {
            try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (IOException e) {
                if (!process.isAlive() || System.nanoTime() > deadline) {
                    throw new IOException("amavis does not listen:\n" + read(log), e);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
        }
    }
}
