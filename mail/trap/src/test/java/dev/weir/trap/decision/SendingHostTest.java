package dev.weir.trap.decision;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import dev.weir.model.Networks;
import dev.weir.scan.mail.MailHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Mail servers repeat in their Received fields what a client says. None of it names the host or proves who it is. */
final class SendingHostTest {
    private static final Networks RELAYS = Networks.dualStack("127.0.0.0/8", "::1");

    private static Optional<SendingHost> host(String... received) {
        StringBuilder mail = new StringBuilder();
        for (String field : received) {
            mail.append("Received: ").append(field).append("\r\n");
        }
        return SendingHost.of(Optional.empty(),
                MailHeaders.of(mail.append("\r\nx").toString().getBytes(StandardCharsets.ISO_8859_1)), RELAYS);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        // Postfix
        "from [198.51.100.9] (unknown [192.0.2.1]) by mx.example (Postfix) with ESMTP id A for <a@b>; date | 192.0.2.1",
        "from mail.example (mail.example [192.0.2.1]) (Client did not present a certificate)"
                + " by mx.example (Postfix) with ESMTPS id A | 192.0.2.1",
        "from [IPv6:2001:db8:9::9] (unknown [IPv6:2001:db8:1::1]) by mx.example (Postfix) with ESMTP | 2001:db8:1::1",
        "from by (mail.example [192.0.2.1]) by mx.example (Postfix) with ESMTP id A | 192.0.2.1",
        // Sendmail
        "from [198.51.100.9] (IDENT:joe@mail.example [192.0.2.1] (may be forged)) by mx.example (8.18/8.18)"
                + " with ESMTP id A | 192.0.2.1",
        "from [127.0.0.1] ([192.0.2.1]) by mx.example (8.18/8.18) with ESMTP id A | 192.0.2.1",
        // Exim
        "from [192.0.2.1] (helo=[198.51.100.9]) by mx.example with esmtp (Exim 4.98) id A | 192.0.2.1",
        "from [192.0.2.1]:4025 (port=4025 helo=[198.51.100.9] ident=joe) by mx.example with esmtp | 192.0.2.1",
        "from mail.example ([192.0.2.1]:4025 helo=[198.51.100.9]) by mx.example with esmtp | 192.0.2.1",
        "from [2001:db8:1::1] (helo=[IPv6:2001:db8:9::9]) by mx.example with esmtp | 2001:db8:1::1",
        // fetchmail, qmail, Exchange, Apache James
        "from mail.example [192.0.2.1] by localhost with IMAP (fetchmail-6.4) for <a@b> (single-drop) | 192.0.2.1",
        "from [198.51.100.9] [192.0.2.1] by localhost with IMAP (fetchmail-6.4) | 192.0.2.1",
        "from unknown (HELO mail.example) (192.0.2.1) by mx.example with SMTP | 192.0.2.1",
        "from unknown (HELO [198.51.100.9]) (joe@192.0.2.1) by mx.example with SMTP | 192.0.2.1",
        "from mail.example (2001:db8:1::1) by mx.example (2001:db8:2::1) with Microsoft SMTP Server | 2001:db8:1::1",
        "from mail.example (EHLO [198.51.100.9]) ([192.0.2.1]) by mx.example with ESMTP | 192.0.2.1"})
    void theAddressIsTheOneThatTheServerSaw(String field, String address) {
        assertThat(host(field)).map(SendingHost::address).contains(InetAddress.ofLiteral(address));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "from [127.0.0.1] (unknown [unknown]) by mx.example (Postfix) with ESMTP id A",
        "from [198.51.100.9] (helo [host.example]) by mx.example with ESMTP",
        "from mail.example (HELO [198.51.100.9]) by mx.example with SMTP",
        "from mail.example by mx.example ([198.51.100.9]) with SMTP",
        "by mx.example ([198.51.100.9]) with HTTP"})
    void whatTheClientSaidIsNoAddress(String field) {
        assertThat(host(field)).isEmpty();
    }

    @Test
    void aClientThatCallsItselfARelayDoesNotMakeTheNextFieldBelieved() {
        assertThat(host("from [127.0.0.1] (unknown [192.0.2.1]) by mx.example (Postfix) with ESMTP id A",
                "from pc ([198.51.100.9]) by trusted.example with ESMTPSA"))
                .contains(new SendingHost(InetAddress.ofLiteral("192.0.2.1"), false));
        assertThat(host("from mx (localhost [127.0.0.1]) by mx.example (Postfix) with ESMTP id B",
                "from [127.0.0.1] (unknown [192.0.2.1]) by mx.example (Postfix) with ESMTPSA id A"))
                .contains(new SendingHost(InetAddress.ofLiteral("192.0.2.1"), true));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "by mx.example (Postfix) with ESMTPSA id A for <a@b> | true",
        "by mx.example (Postfix, from userid 1) with UTF8SMTPSA id A | true",
        "by mx.example with esmtpsa (TLS1.3) tls X (Exim 4.98) (envelope-from <a@b>) id A | true",
        "by mx.example (8.18/8.18) with ESMTPS id A | false",
        // An address of the envelope
        "by mx.example (Postfix) with ESMTP id A for <\"joe+a with ESMTPSA b\"@example.org>; date | false",
        "by mx.example with esmtp (Exim 4.98) (envelope-from <\"a with esmtpsa b\"@evil.example>) id A | false",
        "by mx.example with esmtp (envelope-from <\"a) with esmtpsa (b\"@evil.example>) id A | false",
        "by mx.example for <\"a> with ESMTPSA \"@example.org> with ESMTP id A | false",
        "by mx.example (a (b) with ESMTPSA c) with ESMTP id A | false",
        "by mx.example for \"a \\\" with ESMTPSA b\"@example.org with ESMTP id A | false"})
    void onlyTheProtocolOfTheServerProvesALogin(String rest, boolean authenticated) {
        assertThat(host("from with ([192.0.2.1]) " + rest))
                .contains(new SendingHost(InetAddress.ofLiteral("192.0.2.1"), authenticated));
    }
}
