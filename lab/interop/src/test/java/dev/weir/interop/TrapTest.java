package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.weir.testkit.FreePort;
import dev.weir.testkit.TlsCertificate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of the traps of {@code weir serve} with mails that swaks sends by SMTP and LMTP. */
class TrapTest {
    @TempDir
    Path scratch;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private int smtp;
    private int lmtp;
    private WeirHttp weir;
    private Mails mails;
    private Path data;

    @BeforeAll
    static void requirePrograms() {
        Programs.require("swaks", "rspamc", "curl");
    }

    @BeforeEach
    void start() throws Exception {
        mails = Mails.in(scratch);
        smtp = FreePort.find();
        lmtp = FreePort.find();
        TlsCertificate.write(scratch, "trap", "-1d", "IP:127.0.0.1");
        data = Files.createDirectory(scratch.resolve("db"));
        weir = WeirHttp.configured(scratch, Files.writeString(scratch.resolve("weir.conf"), """
                worker "fuzzy" { bind_socket = "127.0.0.1:%d"; hash_file = "%s/fuzzy.db"; allow_update = "127.0.0.1"; }
                worker "controller" { bind_socket = "127.0.0.1:%d"; secure_ip = "127.0.0.1"; }
                worker "trap" { bind_socket = "127.0.0.1:%d"; lmtp_socket = "127.0.0.1:%d";
                  addresses = ["bait@example.org", "trap.example"]; min_words = 10;
                  ssl_cert = "%s"; ssl_key = "%s";
                  complaints { min_votes = 2; } }
                """.formatted(FreePort.find(), data, FreePort.find(), smtp, lmtp,
                scratch.resolve("trap.crt"), scratch.resolve("trap.key"))));
    }

    @AfterEach
    void stop() throws Exception {
        weir.close();
    }

    private Programs.Result send(int port, String protocol, String recipient, Path mail) throws Exception {
        return Programs.run(scratch, "swaks", "--server", "127.0.0.1:" + port, "--protocol", protocol, "--from",
                "sender@example.net", "--to", recipient, "--data", "@" + mail, "--suppress-data");
    }

    @Test
    void aCampaignAtTwoTrapsIsLearnedAndAChangedCopyIsFound() throws Exception {
        send(smtp, "ESMTP", "bait@example.org", mails.campaign()).succeeded();
        assertThat(weir.rspamc("symbols", mails.campaign().toString()).out()).doesNotContain("FUZZY_DENIED");
        send(lmtp, "LMTP", "anyone@trap.example", mails.campaign()).succeeded();
        assertThat(weir.rspamc("symbols", mails.campaign().toString()).out()).contains("FUZZY_DENIED");
        assertThat(weir.rspamc("symbols", mails.modified().toString()).out()).contains("FUZZY_DENIED");
        assertThat(weir.rspamc("symbols", mails.unrelated().toString()).out()).doesNotContain("FUZZY_DENIED");
        weir.close();
        assertThat(Weir.run(scratch, "log", "--data", data.toString()).succeeded().out())
                .contains(" by trap user 2 traps, 1 network; ", " near none at @trap.example");
    }

    @Test
    void aRecipientThatIsNoTrapIsRefused() throws Exception {
        assertThat(send(smtp, "ESMTP", "user@example.org", mails.campaign()).out()).contains("550 5.1.1");
    }

    @Test
    void swaksSendsWithTls() throws Exception {
        Programs.Result sent = Programs.run(scratch, "swaks", "--server", "127.0.0.1:" + smtp, "--tls", "--tls-verify",
                "--tls-ca-path", scratch.resolve("trap.crt").toString(), "--from", "sender@example.net",
                "--to", "bait@example.org", "--data", "@" + mails.campaign(), "--suppress-data");
        assertThat(sent.succeeded().out()).contains("=== TLS started with cipher TLSv1.3", "<~  250 ");
    }

    @Test
    void complaintsComeByHttpAndVotesToKeepOutweighThem() throws Exception {
        assertThat(complain("jane@example.org", "spam")).contains("\"outcome\":\"held\"");
        assertThat(complain("john@example.org", "spam")).contains("\"outcome\":\"learned\"");
        assertThat(weir.rspamc("symbols", mails.modified().toString()).out()).contains("FUZZY_PROB");
        assertThat(complain("ann@example.org", "keep")).contains("\"outcome\":\"lowered\"");
        assertThat(weir.rspamc("symbols", mails.modified().toString()).out()).doesNotContain("FUZZY_PROB");
        weir.close();
        assertThat(Weir.run(scratch, "log", "--data", data.toString()).succeeded().out())
                .contains(" by complaint user 2 complain, 0 keep; ").doesNotContain("jane", "john", "ann@");
    }

    private String complain(String user, String vote) throws Exception {
        return Programs.run(scratch, "curl", "-s", "-H", "User: " + user, "-H", "Vote: " + vote, "--data-binary",
                "@" + mails.campaign(), "http://127.0.0.1:" + weir.port() + "/complaint").succeeded().out();
    }

    @Test
    void anImapFolderIsReadOnceAndResumedAfterARestart() throws Exception {
        Dovecot.require();
        try (Dovecot dovecot = Dovecot.start(scratch, "")) {
            weir.close();
            Path config = imap("imap://" + Dovecot.USER + "@localhost:" + dovecot.port() + "/Junk");
            dovecot.save("Junk", mails.campaign());
            weir = WeirHttp.configured(scratch, config);
            await("trap_mails_total{outcome=\"learned\"} 1");
            assertThat(weir.rspamc("symbols", mails.modified().toString()).out()).contains("FUZZY_DENIED");
            assertThat(dovecot.doveadm("search", "-u", Dovecot.USER, "mailbox", "Junk", "UNSEEN").succeeded().out())
                    .isNotBlank();

            weir.close();
            dovecot.save("Junk", mails.unrelated());
            weir = WeirHttp.configured(scratch, config);
            // The new mail is short. The old one does not come again.
            await("trap_mails_total{outcome=\"too_few_words\"} 1");
            assertThat(metrics()).contains("trap_mails_total{outcome=\"known\"} 0",
                    "trap_mails_total{outcome=\"learned\"} 0");
        }
    }

    /** The machine trusts an authority that its administrator added, and so does Weir. */
    @Test
    void anImapServerWhoseAuthorityTheSystemTrustsIsRead() throws Exception {
        Dovecot.require();
        Programs.require("openssl");
        Path certificate = scratch.resolve("imap.crt");
        Path key = scratch.resolve("imap.key");
        Programs.run(scratch, "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                key.toString(), "-out", certificate.toString()).succeeded();
        int port = FreePort.find();
        try (Dovecot dovecot = Dovecot.start(scratch, """
                ssl = yes
                ssl_cert = <%s
                ssl_key = <%s
                service imap-login {
                  inet_listener imaps {
                    port = %d
                    ssl = yes
                  }
                }
                """.formatted(certificate, key, port))) {
            weir.close();
            Path config = imap("imaps://" + Dovecot.USER + "@localhost:" + port + "/Junk");
            dovecot.save("Junk", mails.campaign());
            weir = WeirHttp.configured(scratch, config, Map.of("SSL_CERT_FILE", certificate.toString()));
            await("trap_mails_total{outcome=\"learned\"} 1");
        }
    }

    private Path imap(String folder) throws IOException {
        Path passwords = Files.writeString(scratch.resolve("passwords"),
                Dovecot.USER + "@localhost " + Dovecot.PASSWORD + "\n");
        return Files.writeString(scratch.resolve("imap.conf"),
                """
                        worker "fuzzy" { bind_socket = "127.0.0.1:%d"; hash_file = "%s/fuzzy.db"; allow_update = "127.0.0.1"; }
                        worker "controller" { bind_socket = "127.0.0.1:%d"; secure_ip = "127.0.0.1"; }
                        worker "trap" { imap = "%s"; imap_passwords = "%s"; min_words = 10; poll = 1s; min_sources = 1; }
                        """
                        .formatted(FreePort.find(), data, FreePort.find(), folder, passwords));
    }

    private void await(String metric) {
        Awaitility.await(metric).atMost(PATIENCE_NANOS, TimeUnit.NANOSECONDS)
                .until(this::metrics, metrics -> metrics.contains(metric));
    }

    private String metrics() throws Exception {
        return Programs.run(scratch, "curl", "-s", "http://127.0.0.1:" + weir.port() + "/metrics").succeeded().out();
    }
}
