package dev.weir.trap.decision;

import dev.weir.http.controller.MessageId;
import dev.weir.model.Networks;
import dev.weir.scan.mail.MailHeaders;
import dev.weir.trap.campaign.Purpose;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The optional log line of each mail of a trap. Its logger has a separate name, so that it can be enabled alone. Text
 * from the mail cannot start another line or field.
 */
final class TrapLine {
    private static final Logger LOG = LoggerFactory.getLogger("traps");
    private static final int MAX_TEXT = 200;

    private TrapLine() {}

    static void log(TrapMail mail, Networks relays, TrapOutcome outcome, String reason) {
        if (LOG.isInfoEnabled()) {
            // A report names the user who sent it in its own fields.
            boolean report = mail.purpose() == Purpose.COMPLAINT || mail.purpose() == Purpose.KEEP;
            LOG.info("id={} {}={} host={} outcome={} reason={}",
                    report ? "-" : quoted(MessageId.of(mail.bytes())), mail.purpose().word(), quoted(mail.trap()),
                    report ? "-" : host(mail, relays), outcome.word(),
                    quoted(reason));
        }
    }

    private static String host(TrapMail mail, Networks relays) {
        return SendingHost.of(mail.client(), MailHeaders.of(mail.bytes()), relays)
                .map(host -> host.address().getHostAddress()).orElse("-");
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < Math.min(text.length(), MAX_TEXT); i++) {
            char c = text.charAt(i);
            quoted.append(c < ' ' || c == '"' || c == '\\' || c > '~' ? '?' : c);
        }
        return quoted.append('"').toString();
    }
}
