package dev.weir.trap.report;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import dev.weir.scan.mail.MailHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class AutomaticMailTest {
    private static Optional<AutomaticMail> of(String field) {
        return AutomaticMail.of(
                MailHeaders.of((field + "\r\nSubject: x\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1)),
                Optional.of("a@example.org"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Type: multipart/report; report-type=delivery-status; boundary=b",
        "Content-Type: Multipart/Report;\r\n boundary=b; Report-Type=\"delivery-status\"",
        "Content-Type: multipart/report; report-type=global-delivery-status", "X-Failed-Recipients: a@example.org",
        "From: Mail Delivery System <MAILER-DAEMON@mx.example.org>", "From: MAILER-DAEMON"})
    void knowsBounces(String field) {
        assertThat(of(field)).contains(AutomaticMail.BOUNCE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Auto-Submitted: auto-replied", "Auto-Submitted: auto-generated; owner-email=\"a@b\"",
        "Auto-Submitted: Auto-Notified", "X-Autoreply: yes", "X-Autorespond: x", "X-Auto-Response: x",
        "Precedence: auto_reply", "Precedence: Auto-Reply", "X-Vacation: 1",
        "Content-Type: multipart/report; report-type=disposition-notification; boundary=b"})
    void knowsAnswersAndReceipts(String field) {
        assertThat(of(field)).contains(AutomaticMail.ANSWER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Auto-Submitted: no", "Auto-Submitted: No (really)", "Precedence: bulk", "Precedence: list",
        "From: daemon@example.org", "From: \"mailer-daemon\" <jane@example.org>",
        "Content-Type: multipart/report; report-type=feedback-report; boundary=b",
        "Content-Type: multipart/mixed; boundary=delivery-status"})
    void othersAreOfPeople(String field) {
        assertThat(of(field)).isEmpty();
    }

    private static final String QMAIL = """
            From: postmaster@mx.example.org
            Subject: failure notice

            Hi. This is the qmail-send program at mx.example.org.
            I'm afraid I wasn't able to deliver your message to the following addresses.
            This is a permanent error; I've given up. Sorry it didn't work out.

            <jane@example.org>:
            Sorry, no mailbox here by that name. (#5.1.1)

            --- Below this line is a copy of the message.

            Return-Path: <info@shop.example>
            Subject: an offer
            """;

    /** It has no parts, and its sender may have been rewritten on the way. */
    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n"})
    void knowsABounceOfQmailByItsText(String end) {
        assertThat(AutomaticMail.of(QMAIL.replace("\n", end).getBytes(StandardCharsets.US_ASCII),
                Optional.of("list@example.org"))).contains(AutomaticMail.BOUNCE);
    }

    /** A user may write the same first words. */
    @ParameterizedTest
    @ValueSource(strings = {"Subject: x\n\nHi. This is the offer that I got again.\n--- it follows\n",
        "Subject: x\n\nSee below\n\nHi. This is the qmail-send program\n<a@b.example>:\n--- Below\n", "Subject: x\n",
        "\nHi. This is the end", "\r\n", ""})
    void othersAreNoBouncesOfQmail(String mail) {
        assertThat(AutomaticMail.of(mail.getBytes(StandardCharsets.US_ASCII), Optional.of("a@example.org"))).isEmpty();
    }

    @Test
    void anEmptyEnvelopeSenderIsThatOfABounce() {
        MailHeaders plain = MailHeaders.of("Subject: failure notice\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(AutomaticMail.of(plain, Optional.of(""))).contains(AutomaticMail.BOUNCE);
        assertThat(AutomaticMail.of(plain, Optional.empty())).isEmpty();
        MailHeaders path = MailHeaders.of("Return-Path: <>\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(AutomaticMail.of(path, Optional.empty())).contains(AutomaticMail.BOUNCE);
    }
}
