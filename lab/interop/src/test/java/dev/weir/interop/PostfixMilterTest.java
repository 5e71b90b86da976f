package dev.weir.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Tests of a real Postfix that asks the milter of {@code weir serve} about each mail before it accepts it. */
class PostfixMilterTest {
    private static final String RECIPIENT = "user@example.org";
    private static final long DELIVERY_NANOS = TimeUnit.SECONDS.toNanos(60);

    @TempDir
    Path scratch;

    private Path postfix;
    private Path inbox;
    private int smtp;
    private Path config;
    private WeirHttp weir;
    private Mails mails;

    @BeforeAll
    static void requirePrograms() {
        Programs.require("postfix", "swaks", "rspamc");
        assumeTrue("root".equals(System.getProperty("user.name")), "Postfix starts only as root");
    }

    @BeforeEach
    void start() throws Exception {
        mails = Mails.in(scratch);
        int milter = FreePort.find();
        config = Files.writeString(scratch.resolve("weir.conf"),
                """
                        worker "fuzzy" { bind_socket = "127.0.0.1:%1$d"; hash_file = "%2$s/fuzzy.db"; allow_update = "127.0.0.1"; }
                        worker "controller" { bind_socket = "127.0.0.1:%3$d"; secure_ip = "127.0.0.1"; }
                        worker "milter" { bind_socket = "127.0.0.1:%4$d"; spamd_result = true; subject = "[spam] %%s"; }
                        actions { reject = 15; rewrite_subject = 8; add_header = 4; }
                        fuzzy_check { rule "local" {
                          algorithm = "mumhash"; servers = "127.0.0.1:%1$d"; symbol = "LOCAL"; max_score = 20;
                          fuzzy_map = { BAD { flag = 1; max_score = 20; } ODD { flag = 2; max_score = 20; }
                                        BULK { flag = 3; max_score = 20; } }
                        } }
                        group "fuzzy" {
                          symbol "BAD" { weight = 20.0; } symbol "ODD" { weight = 10.0; } symbol "BULK" { weight = 6.0; }
                        }
                        """
                        .formatted(FreePort.find(), Files.createDirectory(scratch.resolve("db")),
                                FreePort.find(),
                                milter));
        weir = WeirHttp.configured(scratch, config);
        smtp = FreePort.find();
        startPostfix(milter);
    }

    private void startPostfix(int milter) throws Exception {
        // Postfix's own user delivers, so it must be able to pass the folders above its own.
        Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwx--x--x"));
        postfix = Files.createDirectory(scratch.resolve("postfix"));
        Files.setPosixFilePermissions(postfix, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path etc = Files.createDirectory(postfix.resolve("etc"));
        Files.createDirectory(postfix.resolve("spool"));
        inbox = postfix.resolve("mail/inbox/new");
        for (String own : List.of("data", "mail")) {
            Programs.run(scratch, "chown", "postfix", Files.createDirectory(postfix.resolve(own)).toString())
                    .succeeded();
        }
        String user = Programs.run(scratch, "id", "-u", "postfix").succeeded().out().strip();
        String group = Programs.run(scratch, "id", "-g", "postfix").succeeded().out().strip();
        Files.writeString(etc.resolve("main.cf"), """
                compatibility_level = 3.6
                queue_directory = %1$s/spool
                data_directory = %1$s/data
                command_directory = /usr/sbin
                daemon_directory = /usr/lib/postfix/sbin
                mail_owner = postfix
                setgid_group = postdrop
                inet_interfaces = loopback-only
                inet_protocols = ipv4
                myhostname = mx.example.org
                mydestination =
                mynetworks = 127.0.0.0/8
                smtpd_peername_lookup = no
                virtual_mailbox_domains = example.org
                virtual_mailbox_base = %1$s/mail
                virtual_mailbox_maps = static:inbox/
                virtual_mailbox_limit = 0
                virtual_minimum_uid = 1
                virtual_uid_maps = static:%2$s
                virtual_gid_maps = static:%3$s
                message_size_limit = 52428800
                maillog_file = %1$s/log
                maillog_file_prefixes = %1$s
                smtpd_milters = inet:127.0.0.1:%4$d
                milter_default_action = tempfail
                """.formatted(postfix, user, group, milter));
        Files.writeString(etc.resolve("master.cf"), """
                127.0.0.1:%d inet n - n - - smtpd
                cleanup unix n - n - 0 cleanup
                qmgr unix n - n 300 1 qmgr
                rewrite unix - - n - - trivial-rewrite
                bounce unix - - n - 0 bounce
                defer unix - - n - 0 bounce
                trace unix - - n - 0 bounce
                proxymap unix - - n - - proxymap
                error unix - - n - - error
                retry unix - - n - - error
                virtual unix - n n - - virtual
                anvil unix - - n - 1 anvil
                postlog unix-dgram n - n - 1 postlogd
                """.formatted(smtp));
        Programs.run(scratch, "postfix", "-c", etc.toString(), "start").succeeded();
    }

    @AfterEach
    void stop() throws Exception {
        Programs.run(scratch, "postfix", "-c", postfix.resolve("etc").toString(), "stop");
        weir.close();
    }

    private Programs.Result send(Path mail) throws Exception {
        return Programs.run(scratch, "swaks", "--server", "127.0.0.1:" + smtp, "--from", "sender@example.com", "--to",
                RECIPIENT, "--data", "@" + mail, "--suppress-data");
    }

    /** Sends a mail that Postfix must accept, and returns it as it was delivered. */
    private String delivered(Path mail) throws Exception {
        send(mail).succeeded();
        long deadline = System.nanoTime() + DELIVERY_NANOS;
        while (true) {
            if (Files.exists(inbox)) {
                try (Stream<Path> files = Files.list(inbox)) {
                    List<Path> mailbox = files.toList();
                    if (!mailbox.isEmpty()) {
                        String text = Files.readString(mailbox.getFirst(), StandardCharsets.ISO_8859_1);
                        Files.delete(mailbox.getFirst());
                        return text;
                    }
                }
            }
            assertThat(System.nanoTime()).as("time of delivery\n%s", Programs.read(postfix.resolve("log")))
                    .isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private void learn(int flag) throws Exception {
        weir.rspamc("-f", Integer.toString(flag), "-w", "30", "fuzzy_add", mails.campaign().toString()).succeeded();
    }

    @Test
    void aMailThatNobodyKnowsIsDeliveredWithoutForgedFields() throws Exception {
        Path forged = Files.writeString(scratch.resolve("forged.eml"),
                "X-Weir-Spam: Yes\r\nx-weir-score: -100\r\n" + Files.readString(mails.unrelated()));
        assertThat(delivered(forged)).contains("X-Weir-Action: no action\n", "X-Weir-Score: 0.00 / 15.00\n")
                .doesNotContain("X-Weir-Spam", "-100");
    }

    @Test
    void spamIsRefusedWithTheText() throws Exception {
        learn(1);
        assertThat(send(mails.campaign()).out()).contains("550 5.7.1 Spam message rejected");
        assertThat(delivered(mails.unrelated())).contains("X-Weir-Action: no action\n");
    }

    @Test
    void aChangedCopyGetsAnotherSubjectOrFieldsAlone() throws Exception {
        learn(2);
        assertThat(delivered(mails.campaign()))
                .contains("\nSubject: [spam] ", "X-Weir-Spam: Yes\n", "X-Weir-Symbols: ODD(");
        weir.rspamc("-f", "2", "fuzzy_del", mails.campaign().toString()).succeeded();
        learn(3);
        assertThat(delivered(mails.modified())).contains("X-Weir-Spam: Yes\n", "X-Weir-Symbols: BULK(",
                "X-Spamd-Result: default: ").doesNotContain("[spam]");
    }

    @Test
    void aMailOfTwentyMegabytesIsScannedWhole() throws Exception {
        byte[] content = new byte[20 << 20];
        new Random(1).nextBytes(content);
        Path large = Files.writeString(scratch.resolve("large.eml"), """
                From: a@example.com
                Subject: large
                MIME-Version: 1.0
                Content-Type: application/octet-stream
                Content-Transfer-Encoding: base64

                """.replace("\n", "\r\n") + Base64.getMimeEncoder().encodeToString(content) + "\r\n");
        assertThat(delivered(large)).contains("X-Weir-Action: no action\n").doesNotContain("X-Weir-Unscanned");
    }

    @Test
    void theSenderTriesAgainWhileWeirIsAway() throws Exception {
        weir.close();
        assertThat(send(mails.unrelated()).out()).containsPattern("(?m)^<.. 4[57]1 4\\.7\\.1 ");
        weir = WeirHttp.configured(scratch, config);
        assertThat(delivered(mails.unrelated())).contains("X-Weir-Action: no action\n");
    }

    /** A client that speaks SMTP line by line, as slowly as a test wants. */
    private static final class SlowClient implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader in;

        SlowClient(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(60_000);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            assertThat(reply()).startsWith("220");
        }

        void write(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
        }

        String reply() throws IOException {
            String line;
            do {
                line = String.valueOf(in.readLine());
            } while (line.length() > 3 && line.charAt(3) == '-');
            return line;
        }

        /** Sends everything up to the first line of a mail. */
        void begin() throws IOException {
            for (String line : List.of("EHLO slow.example.com", "MAIL FROM:<sender@example.com>",
                    "RCPT TO:<" + RECIPIENT + ">")) {
                write(line + "\r\n");
                assertThat(reply()).startsWith("250");
            }
            write("DATA\r\n");
            assertThat(reply()).startsWith("354");
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static List<String> lines(Path mail) throws IOException {
        return Files.readString(mail, StandardCharsets.ISO_8859_1).lines().toList();
    }

    @Test
    void aSlowMailHoldsNobodyUpAndIsScannedInTheEnd() throws Exception {
        learn(1);
        try (SlowClient slow = new SlowClient(smtp)) {
            slow.begin();
            List<String> lines = lines(mails.campaign());
            for (String line : lines.subList(0, lines.size() / 2)) {
                slow.write(line + "\r\n");
                // The client is slow, not the test: nothing depends on the length of this pause.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
            assertThat(delivered(mails.unrelated())).contains("X-Weir-Action: no action\n");
            for (String line : lines.subList(lines.size() / 2, lines.size())) {
                slow.write(line + "\r\n");
            }
            slow.write(".\r\n");
            assertThat(slow.reply()).startsWith("550 5.7.1 Spam message rejected");
        }
    }

    @Test
    void aRestartInTheMiddleOfAMailLosesNothing() throws Exception {
        learn(1);
        try (SlowClient first = new SlowClient(smtp)) {
            first.begin();
            List<String> lines = lines(mails.campaign());
            for (String line : lines.subList(0, lines.size() / 2)) {
                first.write(line + "\r\n");
            }
            weir.close();
            weir = WeirHttp.configured(scratch, config);
            for (String line : lines.subList(lines.size() / 2, lines.size())) {
                first.write(line + "\r\n");
            }
            first.write(".\r\n");
            assertThat(first.reply()).as("the connection to the old milter is gone, so the client tries again")
                    .startsWith("451 4.7.1");
        }
        assertThat(send(mails.campaign()).out()).contains("550 5.7.1 Spam message rejected");
        assertThat(delivered(mails.unrelated())).contains("X-Weir-Action: no action\n");
    }

    @Test
    void whileTheStorageIsAwayMailsAreDeliveredUnscannedOrDeferred() throws Exception {
        weir.close();
        String text = Files.readString(config).replaceFirst("servers = \"127.0.0.1:\\d+\"",
                "timeout = 0.2s; retransmits = 1; servers = \"127.0.0.1:" + FreePort.find() + "\"");
        weir = WeirHttp.configured(scratch, Files.writeString(scratch.resolve("away.conf"), text));
        assertThat(delivered(mails.unrelated())).contains("X-Weir-Unscanned: a storage did not answer or refused\n");
        weir.close();
        weir = WeirHttp.configured(scratch, Files.writeString(scratch.resolve("away.conf"),
                text.replace("spamd_result = true;", "on_failure = \"defer\";")));
        assertThat(send(mails.unrelated()).out()).contains("451 4.7.1 The mail cannot be scanned now");
    }
}
