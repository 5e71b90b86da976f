package dev.weir.trap.decision;

import java.net.InetAddress;
import java.util.Optional;

import dev.weir.http.control.MessageId;
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

    static void log(TrapMail mail, Optional<InetAddress> host, TrapOutcome outcome, String reason) {
        if (LOG.isInfoEnabled()) {
            LOG.info("id={} trap={} host={} outcome={} reason={}", quoted(MessageId.of(mail.bytes())),
                    quoted(mail.trap()), host.map(InetAddress::getHostAddress).orElse("-"), outcome.word(),
                    quoted(reason));
        }
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
