package dev.weir.interop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The kinds beyond those of Rspamd with the fuzzy worker of a real Rspamd as the storage. */
class KindsAtRspamdTest {
    private static final long FLUSH_SECONDS = 120;

    @TempDir
    Path scratch;

    @BeforeAll
    static void programs() {
        Programs.require("rspamd", "rspamc");
    }

    private Path mail(String name, String text) throws IOException {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 24; i++) {
            rows.append("<tr><td class=row").append(Character.toString('a' + i)).append(">line</td></tr>");
        }
        return Files.writeString(scratch.resolve(name), "From: <a@evil-site.com>\nSubject: " + text
                + "\nMIME-Version: 1.0\nContent-Type: text/html\n\n<html><body bgcolor=white><table width=600>" + rows
                + "<tr><td>" + text + "</td></tr></table><a href=\"https://evil-site.com/confirm\">Confirm</a>"
                + "</body></html>\n", StandardCharsets.UTF_8);
    }

    @Test
    void aRealStorageStoresAndFindsThem() throws Exception {
        int port = FreePort.find();
        Path rules = Files.writeString(scratch.resolve("weir.conf"), """
                group "fuzzy" { symbols { DENIED { weight = 12 } WHITE { weight = -2 } } }
                fuzzy_check { timeout = 5s; rule "r" { algorithm = mumhash; servers = "127.0.0.1:%d"; hits_limit = 20;
                  kinds { trusted_hosts = "mx.example.org"; recommended = true; chars { enabled = false } }
                  fuzzy_map { DENIED { flag = 1 } WHITE { flag = 2 } } } }
                """.formatted(port));
        Path learned = mail("learned.eml", "your mailbox is nearly full");
        Path near = mail("near.eml", "the parcel waits for you");
        RspamdPeer.OwnStorage worker = new RspamdPeer.OwnStorage(port,
                RspamdPeer.sqlite(scratch.resolve("theirs.db")), null);
        try (RspamdPeer rspamd = RspamdPeer.start(scratch, new RspamdPeer.Setup(port, null, worker))) {
            assertThat(rspamd).isNotNull();
            weir("learn", "--config", rules, "-f", "1", "-w", "20", learned).succeeded();
            String found = await(rules, near, "source1");
            assertThat(found).contains("DENIED", "kinds=source1 ", "21:");
            assertThat(found).doesNotContain("subject1");

            // Learned wanted mail ends the hits of its template.
            weir("learn", "--config", rules, "-f", "2", "-w", "20", near).succeeded();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(FLUSH_SECONDS);
            String after;
            do {
                after = check(rules, near);
            } while (after.contains("source1") && System.nanoTime() < deadline);
            assertThat(after).doesNotContain("source1");
        }
    }

    /** Repeats a check until it shows a word. Rspamd acknowledges before it stores. */
    private String await(Path rules, Path mail, String word) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(FLUSH_SECONDS);
        String out;
        do {
            out = check(rules, mail);
        } while (!out.contains(word) && System.nanoTime() < deadline);
        assertThat(out).contains(word);
        return out;
    }

    private String check(Path rules, Path mail) throws IOException, InterruptedException {
        return weir("check", "--config", rules, mail).out();
    }

    private Programs.Result weir(Object... words) throws IOException, InterruptedException {
        String[] arguments = new String[words.length];
        for (int i = 0; i < words.length; i++) {
            arguments[i] = words[i].toString();
        }
        return Weir.run(scratch, arguments);
    }
}
