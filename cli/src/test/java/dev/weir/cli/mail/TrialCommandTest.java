package dev.weir.cli.mail;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.weir.cli.Run;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests {@code weir trial} with a storage in the same process. */
class TrialCommandTest {
    @TempDir
    Path folder;

    private StorageServer server = new StorageServer(StorageConfig.of(Path.of("unused")));
    private String address = "";
    private String rules = "";
    private Path ham = Path.of("");
    private Path spam = Path.of("");

    @BeforeEach
    void start() throws Exception {
        server = new StorageServer(StorageConfig.of(folder.resolve("data")).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withAllowUpdate(StorageConfig.loopback()));
        address = "127.0.0.1:" + server.start().getPort();
        rules = rules(address);
        ham = Files.createDirectory(folder.resolve("ham"));
        spam = mail(folder.resolve("spam.eml"), "Please confirm your mailbox", "evil-site.com");
        // One wanted mail has the template of the spam, the other has not.
        mail(ham.resolve("near.eml"), "The chess club meets on Friday", "club.example.org");
        Files.writeString(ham.resolve("far.eml"), "Subject: Lunch\nContent-Type: text/plain\n\nAt one, as usual?\n");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private String rules(String servers) throws Exception {
        return Files.writeString(folder.resolve("weir.conf"), """
                group "fuzzy" { symbols { FUZZY_DENIED { weight = 12 } FUZZY_WHITE { weight = -2 } } }
                fuzzy_check { rule "one" {
                  servers = "%s"; timeout = 1s; retransmits = 3; read_only = false; hits_limit = 20;
                  algorithm = mumhash;
                  kinds { trusted_hosts = "mx.example.org"; source {} links {} }
                  fuzzy_map { FUZZY_DENIED { flag = 1 } FUZZY_WHITE { flag = 3 } }
                } }
                """.formatted(servers)).toString();
    }

    private static Path mail(Path file, String text, String host) throws Exception {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 26; i++) {
            rows.append("<tr><td class=row").append((char) ('a' + i)).append(">line</td></tr>");
        }
        return Files.writeString(file, "From: <a@" + host + ">\nSubject: " + text
                + "\nMIME-Version: 1.0\nContent-Type: text/html\n\n<html><body bgcolor=white><table width=600>" + rows
                + "<tr><td>" + text + "</td></tr></table><a href=\"https://" + host + "/x/\">Go</a></body></html>\n");
    }

    @Test
    void namesTheWantedMailsThatWouldBeHitAndLearnsNothing() {
        Run before = Run.weir("trial", "-c", rules, ham.toString());
        assertThat(before.status()).as(before.err()).isEqualTo(ExitCode.OK);
        assertThat(before.out()).contains("0 of 2 mails would be hit");
        assertThat(server.stats().engine().hashes()).isZero();

        assertThat(Run.weir("learn", "-c", rules, "-f", "1", "-w", "20", spam.toString()).status())
                .isEqualTo(ExitCode.OK);
        long hashes = server.stats().engine().hashes();
        Run after = Run.weir("trial", "-c", rules, ham.toString());
        assertThat(after.status()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(after.out()).contains("near.eml: would be hit, score", "source1", "FUZZY_DENIED, flag 21, value 20",
                "1 of 2 mails would be hit").doesNotContain("far.eml");
        assertThat(server.stats().engine().hashes()).isEqualTo(hashes);
    }

    @Test
    void learnedWantedMailIsNotHit() {
        Run.weir("learn", "-c", rules, "-f", "1", "-w", "20", spam.toString());
        assertThat(Run.weir("learn", "-c", rules, "-S", "FUZZY_WHITE", "-w", "20", ham.resolve("near.eml").toString())
                .status()).isEqualTo(ExitCode.OK);
        Run run = Run.weir("trial", "-c", rules, ham.toString());
        assertThat(run.out()).contains("0 of 2 mails would be hit");
        assertThat(run.status()).isEqualTo(ExitCode.OK);
    }

    @Test
    void asksAStorageWithoutAConfiguration() {
        assertThat(Run.weir("learn", "--server", address, "--kinds", "source", "-f", "9", "-w", "7", spam.toString())
                .status()).isEqualTo(ExitCode.OK);
        Run run = Run.weir("trial", "--server", address, "--kinds", "source,links", ham.toString());
        assertThat(run.status()).as(run.err()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(run.out()).contains("near.eml: would be hit", "source1", "flag 9, value 7");
        // Rspamd's kinds alone hit none.
        assertThat(Run.weir("trial", "--server", address, ham.toString()).status()).isEqualTo(ExitCode.OK);
    }

    @Test
    void printsJson() throws Exception {
        Run.weir("learn", "-c", rules, "-f", "1", "-w", "20", spam.toString());
        JsonMapper json = new JsonMapper();
        String[] lines = Run.weir("trial", "--json", "-c", rules, ham.toString()).out().split("\n", -1);
        JsonNode mail = json.readTree(lines[0]);
        assertThat(mail.path("file").asString()).endsWith("near.eml");
        assertThat(mail.path("hits").path(0).path("kind").asString()).isEqualTo("source1");
        JsonNode sum = json.readTree(lines[1]);
        assertThat(sum.path("mails").asInt()).isEqualTo(2);
        assertThat(sum.path("hit").asInt()).isOne();
        assertThat(sum.path("kinds").path("source1").asInt()).isOne();
    }

    /** No answer is not the same as no hit. */
    @Test
    void aSilentStorageIsAFailure() throws Exception {
        Run run = Run.weir("trial", "-c", rules("127.0.0.1:" + FreePort.find()), ham.toString());
        assertThat(run.status()).isEqualTo(ExitCode.NO_ANSWER);
        assertThat(run.err()).contains("near.eml: ", "nothing listens at");
    }

    @Test
    void aFolderThatIsMissingIsAFailure() {
        assertThat(Run.weir("trial", "-c", rules, folder.resolve("none").toString()).status())
                .isEqualTo(ExitCode.INPUT);
    }
}
