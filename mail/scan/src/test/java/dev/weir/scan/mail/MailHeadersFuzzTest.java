package dev.weir.scan.mail;

import com.code_intelligence.jazzer.junit.FuzzTest;

import static org.assertj.core.api.Assertions.assertThat;

/** A fuzz test of header fields in arbitrary bytes. */
final class MailHeadersFuzzTest {
    @FuzzTest
    void headers(byte[] mail) {
        MailHeaders headers = MailHeaders.of(mail);
        assertThat(headers.fromDomain().map(String::length).orElse(0)).isLessThanOrEqualTo(64);
        assertThat(headers.messageId().map(String::isEmpty).orElse(false)).isFalse();
        assertThat(headers.all("received").size()).isLessThanOrEqualTo(mail.length);
    }
}
