package dev.weir.hash;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import dev.weir.hash.effort.NotHashedException;
import dev.weir.hash.effort.NotHashedException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Tests that a mail over its budget has no hashes and reports the reason. */
final class MailLimitTest {
    private static final Duration NOTHING = Duration.ofNanos(1);
    private static final HashRule RULE = HashRule.shipped();

    private final MailHasher hasher = MailHasher.standard();

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] html(String text) {
        return bytes("Subject: x\nContent-Type: text/html; charset=utf-8\n\n" + text);
    }

    static Stream<Arguments> longMails() {
        String words = "the quick brown fox ".repeat(20_000);
        return Stream.of(arguments("plain words", bytes("Subject: x\n\n" + words)),
                arguments("HTML", html("<p>" + words)),
                arguments("URLs", bytes("Subject: x\n\n" + "http://a.com/b ".repeat(20_000))),
                arguments("parts", bytes("Content-Type: multipart/mixed; boundary=b\n\n" + "--b\n\nx\n".repeat(9_000))),
                arguments("a subject", bytes("Subject: " + "=?q?q?x?= a".repeat(30_000) + "\n\nx")),
                arguments("raw words",
                        "Content-Type: text/plain; charset=none\n\n\u00e9\u00e8\u00e4 "
                                .concat("a\u00e4 ".repeat(80_000))
                                .getBytes(StandardCharsets.ISO_8859_1)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("longMails")
    void stopsAfterTheTimeLimit(String name, byte[] mail) {
        assertThat(hasher.hash(mail, RULE)).as(name).isNotNull();
        MailHasher hurried = hasher.withLimit(NOTHING);
        NotHashedException up = catchThrowableOfType(NotHashedException.class, () -> hurried.hash(mail, RULE));
        assertThat(up.reason()).isEqualTo(Reason.TIME);
    }

    @Test
    void analysisAndHashingShareTheTimeLimit() {
        byte[] mail = bytes("Subject: x\nContent-Disposition: attachment; filename=x.bin\n"
                + "Content-Type: application/octet-stream\n\n" + "\u0001x".repeat(100_000));
        AnalyzedMail analyzed = hasher.analyze(mail);
        assertThat(hasher.hash(analyzed, RULE, Skip.NOTHING)).hasSize(1);
        MailHasher hurried = hasher.withLimit(NOTHING);
        NotHashedException up = catchThrowableOfType(NotHashedException.class,
                () -> hurried.hash(analyzed, RULE, Skip.NOTHING));
        assertThat(up.reason()).isEqualTo(Reason.TIME);
        assertThat(catchThrowableOfType(NotHashedException.class,
                () -> hurried.explain(analyzed, RULE, Skip.NOTHING)).reason()).isEqualTo(Reason.TIME);
    }

    @Test
    void limitMustBePositive() {
        assertThatIllegalArgumentException().isThrownBy(() -> hasher.withLimit(Duration.ZERO));
    }

    static Stream<Arguments> repeatingMails() {
        StringBuilder texts = new StringBuilder("Content-Type: multipart/mixed; boundary=b\nSubject: ");
        texts.append("s".repeat(30_000)).append("\n\n");
        for (int i = 0; i < 3_000; i++) {
            texts.append("--b\n\n").append(i).append('\n');
        }
        return Stream.of(
                // Each invalid construct causes the text before it to be written again: 250 MB in total.
                arguments("instructions", html("x".repeat(32_000) + "<?>".repeat(8_000))),
                arguments("comments", html("x".repeat(32_000) + "<!->".repeat(8_000))),
                // Each sheet contains all later ones.
                arguments("nested sheets", html("<style></x>".repeat(3_000) + "</style>".repeat(3_000))),
                // Each short text is hashed together with the whole subject.
                arguments("texts with a long subject", bytes(texts.toString())));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("repeatingMails")
    void stopsWhenMarkupRepeatsTooManyBytes(String name, byte[] mail) {
        NotHashedException up = catchThrowableOfType(NotHashedException.class, () -> hasher.hash(mail, RULE));
        assertThat(up).as(name).isNotNull();
        assertThat(up.reason()).isEqualTo(Reason.REPETITION);
    }

    @Test
    void allowsTheRepetitionOfRealMail() {
        String word = "<?xml:namespace prefix = o ns = \"urn:schemas-microsoft-com:office:office\" />";
        byte[] mail = html("<p>" + (word + "some words of a letter that a word processor wrote ").repeat(60));
        assertThat(hasher.hash(mail, RULE)).hasSize(1);
        List<FuzzyHash> open = hasher
                .hash(html("<style></x><style></x></style></style>" + "the quick brown fox ".repeat(50)), RULE);
        assertThat(open).isNotNull();
    }
}
