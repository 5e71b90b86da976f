package dev.weir.interop;

import java.nio.file.Files;
import java.nio.file.Path;

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

    private int smtp;
    private int lmtp;
    private WeirHttp weir;
    private Mails mails;
    private Path data;

    @BeforeAll
    static void requirePrograms() {
        Programs.require("swaks", "rspamc");
    }

    @BeforeEach
    void start() throws Exception {
        mails = Mails.in(scratch);
        smtp = Programs.freePort();
        lmtp = Programs.freePort();
        data = Files.createDirectory(scratch.resolve("db"));
        weir = WeirHttp.configured(scratch, Files.writeString(scratch.resolve("weir.conf"), """
                worker "fuzzy" { bind_socket = "127.0.0.1:%d"; hash_file = "%s/fuzzy.db"; allow_update = "127.0.0.1"; }
                worker "controller" { bind_socket = "127.0.0.1:%d"; secure_ip = "127.0.0.1"; }
                worker "trap" { bind_socket = "127.0.0.1:%d"; lmtp_socket = "127.0.0.1:%d";
                  addresses = ["bait@example.org", "trap.example"]; min_words = 10; }
                """.formatted(Programs.freePort(), data, Programs.freePort(), smtp, lmtp)));
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
                .contains(" by trap user @trap.example (2 traps, 1 networks)");
    }

    @Test
    void aRecipientThatIsNoTrapIsRefused() throws Exception {
        assertThat(send(smtp, "ESMTP", "user@example.org", mails.campaign()).out()).contains("550 5.1.1");
    }
}
