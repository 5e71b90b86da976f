package dev.weir.trap.report;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

import dev.weir.trap.report.AbuseReport.Vote;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class AbuseReportTest {
    private static final String MAIL = "Subject: offer\r\n\r\nBuy!\r\n";

    private static AbuseReport read(String mail) {
        return AbuseReport.read(mail.getBytes(StandardCharsets.US_ASCII));
    }

    private static List<String> texts(AbuseReport report) {
        return report.mails().stream().map(mail -> new String(mail, StandardCharsets.US_ASCII)).toList();
    }

    /** The example of RFC 5965, appendix B.1, with a folded field. */
    @Test
    void readsAFeedbackReport() {
        AbuseReport report = read("""
                From: <abusedesk@example.com>
                MIME-Version: 1.0
                Content-Type: multipart/report; report-type=feedback-report;
                     boundary="part1_13d.2e68ed54_boundary"

                --part1_13d.2e68ed54_boundary
                Content-Type: text/plain; charset="US-ASCII"

                This is an email abuse report.

                --part1_13d.2e68ed54_boundary
                Content-Type: message/feedback-report

                Feedback-Type: abuse
                User-Agent: SomeGenerator/1.0
                Version: 1
                Original-Rcpt-To:
                 <user@example.com>

                --part1_13d.2e68ed54_boundary
                Content-Type: message/rfc822
                Content-Disposition: inline

                Received: from mailserver.example.net
                     (mailserver.example.net [192.0.2.1])
                     by example.com with ESMTP id M63d4137594e46
                Subject: Earn money

                Spam Spam Spam
                --part1_13d.2e68ed54_boundary--
                """.replace("\n", "\r\n"));
        assertThat(report.vote()).contains(Vote.COMPLAINT);
        assertThat(report.recipient()).contains("<user@example.com>");
        assertThat(texts(report)).singleElement().asString().startsWith("Received: from mailserver")
                .endsWith("\r\n\r\nSpam Spam Spam");
    }

    @Test
    void findsForwardedMailsAlsoInNestedPartsAndInBase64() {
        String base64 = Base64.getMimeEncoder().encodeToString(MAIL.getBytes(StandardCharsets.US_ASCII));
        AbuseReport report = read("Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n"
                + "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n" + MAIL
                + "\r\n--b--\r\n--a\r\nContent-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n"
                + base64
                + "\r\n--a--\r\n");
        assertThat(report.vote()).isEmpty();
        assertThat(texts(report)).containsExactly(MAIL, MAIL);
    }

    @Test
    void knowsAMailFromAReport() {
        assertThat(read(MAIL)).isEqualTo(new AbuseReport(false, false, false, Optional.empty(), Optional.empty(),
                Optional.empty(), List.of()));
        AbuseReport headers = read("Content-Type: multipart/report; boundary=a\r\n\r\n--a\r\n"
                + "Content-Type: text/rfc822-headers\r\n\r\nSubject: offer\r\n\r\n--a--\r\n");
        assertThat(headers.isReport()).isTrue();
        assertThat(headers.mails()).isEmpty();
    }

    /** A signature beside the parts hides nothing. */
    @Test
    void readsASignedReport() {
        String signed = "Content-Type: multipart/signed; protocol=\"application/pkcs7-signature\"; boundary=s\r\n"
                + "\r\n--s\r\nContent-Type: %s; boundary=a\r\n\r\n--a\r\nContent-Type: %s\r\n\r\n" + MAIL
                + "\r\n--a--\r\n--s\r\nContent-Type: application/pkcs7-signature; name=smime.p7s\r\n\r\nAA==\r\n"
                + "--s--\r\n";
        AbuseReport forwarded = read(signed.formatted("multipart/mixed", "message/rfc822"));
        assertThat(texts(forwarded)).containsExactly(MAIL);
        assertThat(forwarded.isSealed()).isFalse();
        assertThat(read(signed.formatted("multipart/report; report-type=delivery-status", "message/delivery-status"))
                .automatic()).contains(AutomaticMail.BOUNCE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/pkcs7-mime; smime-type=signed-data; name=smime.p7m",
        "application/x-pkcs7-mime; smime-type=enveloped-data",
        "multipart/encrypted; boundary=a\r\n\r\n--a\r\nContent-Type: application/pgp-encrypted"})
    void saysThatAContainerHidesTheReport(String type) {
        AbuseReport report = read("Content-Type: " + type + "\r\n\r\nAAAA\r\n--a--\r\n");
        assertThat(report.isReport()).isFalse();
        assertThat(report.isSealed()).isTrue();
    }

    @Test
    void deepNestingEnds() {
        StringBuilder mail = new StringBuilder();
        for (int i = 0; i < 5000; i++) {
            mail.append("Content-Type: multipart/mixed; boundary=b").append(i).append("\r\n\r\n--b").append(i)
                    .append("\r\n");
        }
        assertThat(read(mail + "Content-Type: message/rfc822\r\n\r\n" + MAIL).isReport()).isFalse();
    }
}
