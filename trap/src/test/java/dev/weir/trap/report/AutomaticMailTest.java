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

    @Test
    void anEmptyEnvelopeSenderIsThatOfABounce() {
        MailHeaders plain = MailHeaders.of("Subject: failure notice\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(AutomaticMail.of(plain, Optional.of(""))).contains(AutomaticMail.BOUNCE);
        assertThat(AutomaticMail.of(plain, Optional.empty())).isEmpty();
        MailHeaders path = MailHeaders.of("Return-Path: <>\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(AutomaticMail.of(path, Optional.empty())).contains(AutomaticMail.BOUNCE);
    }
}
