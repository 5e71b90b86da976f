package dev.weir.interop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The plugin for SpamAssassin in the real {@code spamd}, asked and taught by the real {@code spamc}. */
class SpamdTest extends SpamAssassinFixture {
    private static final int PARALLEL = 50;
    private static final long PATIENCE_SECONDS = 180;

    private SpamAssassin.Spamd spamd(String server, int children, String... settings) throws IOException {
        List<String> lines = new ArrayList<>(List.of("weir_servers " + server));
        lines.addAll(List.of(settings));
        return SpamAssassin.in(scratch, lines.toArray(String[]::new)).spamd("-m", Integer.toString(children),
                "--min-children", "1");
    }

    private static int count(String text, String part) {
        return text.split(Pattern.quote(part), -1).length - 1;
    }

    @Test
    void spamcReportsAndRevokes() throws Exception {
        Path mail = SpamAssassin.mail(scratch, 1);
        try (SpamAssassin.Spamd spamd = spamd(address(), 2)) {
            assertThat(spamd.spamc(mail)).contains("tests=OWN_RULE ", "\nX-Spam-Weir: none");
            spamd.spamc(mail, "-C", "report");
            // It counts once, although it was learned for Bayes too.
            assertThat(spamd.spamc(mail)).contains("tests=OWN_RULE,WEIR_COPY_FEW ", "FUZZY_DENIED(3.18)[1:");
            assertThat(spamd.spamc(mail, "-R")).containsPattern("\\[1:[0-9a-f]{10}:1\\.00:txt\\]");
            spamd.spamc(mail, "-C", "revoke");
            assertThat(spamd.spamc(mail)).contains("tests=OWN_RULE ", "\nX-Spam-Weir: none");
        }
    }

    @Test
    void spamcLearnsAndForgets() throws Exception {
        Path mail = SpamAssassin.mail(scratch, 2);
        try (SpamAssassin.Spamd spamd = spamd(address(), 2)) {
            // What Bayes learned as the opposite is no reason to forget it in Weir, where others reported it.
            assertThat(spamd.spamc(mail, "-L", "ham")).contains("learned");
            weir.rspamc("-t", "60", "-f", "1", "-w", "2", "fuzzy_add", mail.toString()).succeeded();
            assertThat(spamd.spamc(mail, "-L", "spam")).contains("learned");
            // Three votes.
            assertThat(spamd.spamc(mail)).contains("tests=OWN_RULE,WEIR_COPY ", "FUZZY_DENIED(8.07)[1:");
            assertThat(spamd.spamc(mail, "-L", "forget")).contains("learned");
            assertThat(spamd.spamc(mail)).contains("tests=OWN_RULE ");
        }
        Path other = SpamAssassin.mail(scratch, 3);
        try (SpamAssassin.Spamd spamd = spamd(address(), 2, "weir_learn 0")) {
            assertThat(spamd.spamc(other, "-L", "spam")).contains("learned");
            assertThat(spamd.spamc(other)).contains("tests=OWN_RULE ");
        }
    }

    @Test
    void whatSpamAssassinLearnsByItselfTeachesNothing() throws Exception {
        Path mail = SpamAssassin.mail(scratch, 4);
        try (SpamAssassin.Spamd spamd = spamd(address(), 1, "body OWN_BODY /[a-z]/", "score OWN_BODY 20",
                "header OWN_HEADER From =~ /a/", "score OWN_HEADER 20")) {
            assertThat(spamd.spamc(mail)).contains("autolearn=spam");
            assertThat(spamd.spamc(mail)).contains("\nX-Spam-Weir: none");
            assertThat(spamd.log()).doesNotContain("/fuzzyadd", "/fuzzydel");
        }
    }

    @Test
    void whileWeirIsAwayTheOtherRulesDecideAndTheLogSaysSoOnce() throws Exception {
        Path mail = SpamAssassin.mail(scratch, 5);
        String place = "127.0.0.1:" + FreePort.find();
        try (SpamAssassin.Spamd spamd = spamd(place, 1)) {
            for (int i = 0; i < 5; i++) {
                assertThat(spamd.spamc(mail)).contains("score=1.1 tests=OWN_RULE ", "\nX-Spam-Weir: no answer");
            }
            // One of each is about the message with which spamd warms up.
            assertThat(count(spamd.log(), "dbg: weir: 127.0.0.1:")).isEqualTo(6);
            assertThat(count(spamd.log(), "info: weir: 127.0.0.1:")).isEqualTo(2);
            try (WeirHttp _ = SpamAssassin.weir(scratch, "bind_socket = \"" + place + "\";")) {
                spamd.spamc(mail);
                assertThat(spamd.spamc(mail)).contains("\nX-Spam-Weir: none");
                assertThat(count(spamd.log(), "info: weir: " + place + ": scans have answers again")).isEqualTo(1);
            }
        }
    }

    @Test
    void aSilentServerDelaysOneMailUpToTheTimeLimit() throws Exception {
        Path mail = SpamAssassin.mail(scratch, 6);
        try (ScriptedHttp silent = ScriptedHttp.silent();
                SpamAssassin.Spamd spamd = spamd(silent.address(), 1, "weir_timeout 2s")) {
            long start = System.nanoTime();
            assertThat(spamd.spamc(mail)).contains("tests=OWN_RULE ", "\nX-Spam-Weir: no answer");
            assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1900));
            // The process leaves it out for half a minute.
            assertThat(spamd.spamc(mail)).contains("tests=OWN_RULE ", "\nX-Spam-Weir: left out\n");
            // One is of the message with which spamd warms up.
            assertThat(silent.connections()).isEqualTo(2);
            assertThat(spamd.log()).contains("no answer in time", "all servers are left out");
        }
    }

    @Test
    void theNextServerAnswersForASilentOne() throws Exception {
        Path mail = SpamAssassin.mail(scratch, 7);
        SpamAssassin.learn(weir, mail);
        try (ScriptedHttp silent = ScriptedHttp.silent();
                SpamAssassin.Spamd spamd = spamd(
                        silent.address() + " 127.0.0.1:" + FreePort.find() + " " + address(), 1,
                        "weir_timeout 10s")) {
            assertThat(spamd.spamc(mail)).contains("tests=OWN_RULE,WEIR_COPY ");
            assertThat(spamd.spamc(mail)).contains("tests=OWN_RULE,WEIR_COPY ");
            assertThat(silent.connections()).isEqualTo(2);
        }
    }

    /** Runs many clients at once, does something meanwhile, and returns their outputs. */
    private List<String> inParallel(SpamAssassin.Spamd spamd, Path mail, Meanwhile meanwhile) throws Exception {
        List<Process> clients = new ArrayList<>();
        List<Path> outputs = new ArrayList<>();
        try {
            for (int i = 0; i < PARALLEL; i++) {
                outputs.add(Files.createTempFile(scratch, "spamc", ".out"));
                clients.add(spamd.start(mail, outputs.getLast()));
            }
            meanwhile.act();
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < PARALLEL; i++) {
                assertThat(clients.get(i).waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
                assertThat(clients.get(i).exitValue()).isZero();
                texts.add(Programs.read(outputs.get(i)));
            }
            return texts;
        } finally {
            clients.forEach(Process::destroyForcibly);
        }
    }

    private interface Meanwhile {
        void act() throws Exception;
    }

    @Test
    void fiftyMailsAtOnceAreAllKnown() throws Exception {
        Path mail = SpamAssassin.mail(scratch, 8);
        SpamAssassin.learn(weir, mail);
        try (SpamAssassin.Spamd spamd = spamd(address(), 10)) {
            assertThat(inParallel(spamd, mail, () -> {})).hasSize(PARALLEL)
                    .allSatisfy(text -> assertThat(text).contains("tests=OWN_RULE,WEIR_COPY "));
        }
    }

    @Test
    void weirMayDieInTheMiddle() throws Exception {
        Path mail = SpamAssassin.mail(scratch, 9);
        try (WeirHttp mortal = SpamAssassin.weir(scratch)) {
            SpamAssassin.learn(mortal, mail);
            try (SpamAssassin.Spamd spamd = spamd("127.0.0.1:" + mortal.port(), 5)) {
                assertThat(spamd.spamc(mail)).contains("tests=OWN_RULE,WEIR_COPY ");
                List<String> texts = inParallel(spamd, mail, mortal::kill);
                // Each mail was scored, with or without Weir.
                assertThat(texts)
                        .allSatisfy(text -> assertThat(text).containsPattern("tests=OWN_RULE(,WEIR_COPY)? "));
                assertThat(spamd.spamc(mail)).contains("tests=OWN_RULE ")
                        .containsPattern("\nX-Spam-Weir: (no answer|left out)");
            }
        }
    }

    @Test
    void aServerThatDiesBeforeItsAnswerCostsNoTime() throws Exception {
        Path mail = SpamAssassin.mail(scratch, 10);
        CountDownLatch asked = new CountDownLatch(1);
        try (ScriptedHttp dying = new ScriptedHttp(connection -> {
            asked.countDown();
            // The connection is reset in the middle of an answer.
            connection.getOutputStream().write("HTTP/1.0 200 OK\r\nContent-".getBytes(StandardCharsets.US_ASCII));
            connection.setSoLinger(true, 0);
        }); SpamAssassin.Spamd spamd = spamd(dying.address(), 1, "weir_timeout 600s")) {
            assertThat(spamd.spamc(mail)).contains("tests=OWN_RULE ", "\nX-Spam-Weir: no answer");
            assertThat(asked.getCount()).isZero();
        }
    }

    @Test
    void aBigMailIsSentWholeAndABiggerOneNot() throws Exception {
        byte[] content = new byte[6 << 20];
        new Random(1).nextBytes(content);
        String text = Files.readString(SpamAssassin.mail(scratch, 11)).split("\n\n", 2)[1];
        Path mail = Files.writeString(scratch.resolve("big.eml"), """
                From: <a@example.com>
                Subject: big
                MIME-Version: 1.0
                Content-Type: multipart/mixed; boundary=b

                --b
                Content-Type: text/plain

                %s
                --b
                Content-Type: application/octet-stream
                Content-Transfer-Encoding: base64

                %s
                --b--
                """.formatted(text, Base64.getMimeEncoder(76, new byte[]{'\n'}).encodeToString(content)));
        SpamAssassin.learn(weir, mail);
        try (SpamAssassin.Spamd spamd = spamd(address(), 1)) {
            assertThat(spamd.spamc(mail)).contains("tests=OWN_RULE,WEIR_COPY ", ":1.00:txt");
        }
        try (SpamAssassin.Spamd spamd = spamd(address(), 1, "weir_max_size 1000000")) {
            assertThat(spamd.spamc(mail)).contains("tests=OWN_RULE ", "\nX-Spam-Weir: \n");
            assertThat(spamd.log()).contains("larger than weir_max_size (1000000 bytes)");
            spamd.spamc(mail, "-C", "report");
            assertThat(spamd.log()).contains("a mail is not learned, because it is empty or larger than weir_max_size",
                    "could not report spam to Weir");
        }
    }
}
