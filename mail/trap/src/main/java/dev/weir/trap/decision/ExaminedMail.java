package dev.weir.trap.decision;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.scan.ScanContext;
import dev.weir.scan.mail.MailHeaders;
import dev.weir.trap.settings.TrapPolicy;

/**
 * A mail with what a decision needs to know about it.
 *
 * @param sender the envelope sender, empty for a bounce; absent if it is not known
 * @param recipients the envelope recipients
 * @param sending the host that sent it to the own mail servers
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ExaminedMail(byte[] bytes, MailHeaders headers, Optional<String> sender, List<String> recipients,
        Optional<SendingHost> sending, TrapPolicy policy) {
    static ExaminedMail of(TrapMail mail, TrapPolicy policy) {
        MailHeaders headers = MailHeaders.of(mail.bytes());
        return new ExaminedMail(mail.bytes(), headers, mail.sender(), mail.recipients(),
                SendingHost.of(mail.client(), headers, policy.relays()), policy);
    }

    /** Returns a mail that someone complained about. Nothing in it names the user. */
    static ExaminedMail reported(byte[] bytes, TrapPolicy policy) {
        MailHeaders headers = MailHeaders.of(bytes);
        return new ExaminedMail(bytes, headers, Optional.empty(), List.of(),
                SendingHost.of(Optional.empty(), headers, policy.relays()), policy);
    }

    Optional<InetAddress> host() {
        return sending.map(SendingHost::address);
    }

    ScanContext context() {
        return new ScanContext(host().orElse(null), null, null, null, null, sender.orElse(null), recipients, Map.of());
    }
}
