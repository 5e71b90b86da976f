package dev.weir.scan.mail;

import java.nio.charset.StandardCharsets;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

final class MailHeadersTest {
    private static MailHeaders of(String mail) {
        return MailHeaders.of(mail.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void joinsFoldedFields() {
        MailHeaders headers = of("Subject: a\r\n b\r\n\tc\r\nX: 1\nx: 2\nnonsense\r\n\r\nX: body\r\n");
        assertThat(headers.first("subject")).contains("a b c");
        assertThat(headers.all("X")).containsExactly("1", "2");
        assertThat(headers.first("nonsense")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"From: \"A <x@y>\" <me@mail.example>, mail.example", "From: me@mail.example (me), mail.example",
        "From: <me@mail.example>, mail.example"})
    void findsTheDomainOfTheSender(String field, String domain) {
        assertThat(of(field + "\n\n").fromDomain()).contains(domain);
    }

    @Test
    void senderMayBeMissing() {
        assertThat(of("From: nobody\n\n").fromDomain()).isEmpty();
        assertThat(of("Subject: x\n\n").fromDomain()).isEmpty();
        assertThat(of("From: a@" + "x".repeat(100) + ".example\n\n").fromDomain().orElseThrow()).hasSize(64)
                .endsWith(".example");
    }

    @Test
    void messageIdHasNoBrackets() {
        assertThat(of("Message-Id: <a@b>\n\n").messageId()).contains("a@b");
        assertThat(of("X: y\n\n").messageId()).isEmpty();
    }

    @Property(seed = "99", tries = 1000)
    void readsAnyBytes(@ForAll byte[] mail) {
        MailHeaders headers = MailHeaders.of(mail);
        assertThat(headers.fromDomain().map(String::length).orElse(0)).isLessThanOrEqualTo(64);
        assertThat(headers.messageId()).isNotNull();
    }
}
