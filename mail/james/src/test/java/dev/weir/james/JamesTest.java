package dev.weir.james;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.Listen;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.server.stream.StreamLimits;
import jakarta.mail.MessagingException;
import org.apache.james.core.builder.MimeMessageBuilder;
import org.apache.mailet.base.MailAddressFixture;
import org.apache.mailet.base.test.FakeMail;
import org.apache.mailet.base.test.FakeMailetConfig;
import org.apache.mailet.base.test.FakeMatcherConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests of the matcher and the mailets in the test kit of Apache James, with a real storage. */
@Timeout(300)
final class JamesTest {
    @TempDir
    Path folder = Path.of("unused");

    private StorageServer storage = new StorageServer(StorageConfig.of(Path.of("unused")));
    private Path rules = Path.of("unused");

    @BeforeEach
    void start() throws Exception {
        storage = new StorageServer(StorageConfig.of(folder.resolve("data")).withBackend(BackendKind.STORE)
                .withListen(new Listen(
                        List.of(new Bind.Inet(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))),
                        StreamLimits.DEFAULT))
                .withAllowUpdate(StorageConfig.loopback()));
        rules = Files.writeString(folder.resolve("weir.conf"), """
                fuzzy_check { rule "local" {
                  algorithm = "mumhash"; servers = "127.0.0.1:%d"; timeout = 5s; read_only = false; max_score = 10;
                  fuzzy_map { SPAM { flag = 1; max_score = 10; } }
                } }
                group "fuzzy" { symbol "SPAM" { weight = 20.0; } }
                """.formatted(storage.start().getPort()));
    }

    @AfterEach
    void stop() {
        storage.close();
    }

    private static FakeMail mail(int seed) throws MessagingException {
        StringBuilder text = new StringBuilder();
        Random random = new Random(seed);
        for (int i = 0; i < 100; i++) {
            random.ints(7, 'a', 'z' + 1).forEach(text::appendCodePoint);
            text.append(i % 10 == 9 ? "\r\n" : " ");
        }
        return FakeMail.builder().name("mail").sender("sender@example.net").recipient(MailAddressFixture.ANY_AT_JAMES)
                .remoteAddr("192.0.2.1")
                .mimeMessage(MimeMessageBuilder.mimeMessageBuilder().addHeader("X-Weir-Score", "-100")
                        .setSubject("offer").setText(text.toString()))
                .build();
    }

    private FakeMailetConfig.Builder config() {
        return FakeMailetConfig.builder().setProperty("configuration", rules.toString());
    }

    private void learn(FakeMail mail, boolean forget) throws MessagingException {
        WeirLearn learn = new WeirLearn();
        learn.init(config().setProperty("flag", "1").setProperty("weight", "20")
                .setProperty("forget", Boolean.toString(forget)).build());
        try {
            learn.service(mail);
        } finally {
            learn.destroy();
        }
    }

    private void scan(FakeMail mail) throws MessagingException {
        WeirScan scan = new WeirScan();
        scan.init(config().build());
        try {
            scan.service(mail);
        } finally {
            scan.destroy();
        }
    }

    private static boolean matches(FakeMail mail, String condition) throws MessagingException {
        WeirScore matcher = new WeirScore();
        matcher.init(FakeMatcherConfig.builder().matcherName("WeirScore").condition(condition).build());
        try {
            return matcher.match(mail).contains(MailAddressFixture.ANY_AT_JAMES);
        } finally {
            matcher.destroy();
        }
    }

    @Test
    void aLearnedMailIsMarkedAndMatches() throws Exception {
        FakeMail unknown = mail(1);
        scan(unknown);
        assertThat(unknown.getMessage().getHeader("X-Weir-Score")).containsExactly("0.00");
        assertThat(matches(unknown, "6")).isFalse();

        learn(mail(1), false);
        FakeMail known = mail(1);
        scan(known);
        assertThat(Double.parseDouble(known.getMessage().getHeader("X-Weir-Score")[0])).isGreaterThan(15);
        assertThat(known.getMessage().getHeader("X-Weir-Symbols")[0]).startsWith("SPAM(");
        assertThat(matches(known, "6")).isTrue();
        assertThat(matches(known, "30")).isFalse();

        learn(mail(1), true);
        FakeMail forgotten = mail(1);
        scan(forgotten);
        assertThat(matches(forgotten, "6")).isFalse();
    }

    @Test
    void theMatcherAsksByItself() throws Exception {
        learn(mail(2), false);
        assertThat(matches(mail(2), "6")).as("without a file it only looks at the attribute").isFalse();
        FakeMail known = mail(2);
        assertThat(matches(known, "6 " + rules)).isTrue();
        assertThat(matches(known, "6")).isTrue();
        assertThat(matches(mail(3), "6 " + rules)).isFalse();
    }

    @Test
    void aMailPassesUnscannedWhileTheStorageIsAwayAndIsNotLearned() throws Exception {
        storage.close();
        Files.writeString(rules, Files.readString(rules).replace("timeout = 5s;", "timeout = 0.2s; retransmits = 1;"));
        FakeMail mail = mail(4);
        scan(mail);
        assertThat(mail.getMessage().getHeader("X-Weir-Unscanned"))
                .containsExactly("a storage did not answer or refused");
        assertThat(matches(mail, "6")).isFalse();
        assertThatThrownBy(() -> learn(mail(4), false)).isInstanceOf(MessagingException.class)
                .hasMessageContaining("the mail was not learned");
    }

    @Test
    void wrongParametersSayWhatWasExpected() {
        assertThatThrownBy(() -> matches(mail(5), "much")).hasMessageContaining("expected WeirScore=SCORE");
        assertThatThrownBy(() -> new WeirScan().init(FakeMailetConfig.builder().build()))
                .hasMessageContaining("the file with the rules is missing");
        assertThatThrownBy(() -> new WeirLearn().init(config().setProperty("flag", "0").build()))
                .hasMessageContaining("flag: expected 1 to");
        assertThatThrownBy(() -> new WeirScan().init(FakeMailetConfig.builder()
                .setProperty("configuration", folder.resolve("none").toString()).build()))
                .isInstanceOf(MessagingException.class).hasMessageContaining("cannot be used");
    }
}
