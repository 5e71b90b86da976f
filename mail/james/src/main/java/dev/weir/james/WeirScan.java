package dev.weir.james;

import java.util.Locale;
import java.util.stream.Collectors;

import dev.weir.scan.ScanResult;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeName;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.Mail;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A mailet that asks storages about a mail (docs/integrate/james.md). It adds the header fields {@code X-Weir-Score}
 * and {@code X-Weir-Symbols}, and the attribute {@code dev.weir.score} for {@link WeirScore}. The parameter {@code
 * configuration} names the file with the rules.
 */
public final class WeirScan extends ClientMailet {
    /** The score of a mail, a {@code Double}. A mail that was not scanned has none. */
    static final AttributeName SCORE = AttributeName.of("dev.weir.score");

    private static final Logger LOG = LoggerFactory.getLogger(WeirScan.class);
    private static final String SCORE_FIELD = "X-Weir-Score";
    private static final String SYMBOLS_FIELD = "X-Weir-Symbols";
    private static final String UNSCANNED_FIELD = "X-Weir-Unscanned";

    @Override
    public void service(Mail mail) throws MessagingException {
        SharedClient shared = client();
        MimeMessage message = mail.getMessage();
        for (String own : new String[]{SCORE_FIELD, SYMBOLS_FIELD, UNSCANNED_FIELD}) {
            // Anyone could have written them.
            message.removeHeader(own);
        }
        try {
            ScanResult result = shared.pass(mail, (check, bytes) -> check.check(bytes, SharedClient.context(mail)));
            mail.setAttribute(new Attribute(SCORE, AttributeValue.of(result.score())));
            message.setHeader(SCORE_FIELD, String.format(Locale.ROOT, "%.2f", result.score()));
            if (!result.symbols().isEmpty()) {
                message.setHeader(SYMBOLS_FIELD, result.symbols().stream()
                        .map(symbol -> String.format(Locale.ROOT, "%s(%.2f)", symbol.name(), symbol.score()))
                        .collect(Collectors.joining(", ")));
            }
            if (!result.complete()) {
                message.setHeader(UNSCANNED_FIELD, result.notHashed().orElse("a storage did not answer or refused"));
            }
        } catch (MessagingException e) {
            // A mail must not be lost because a storage is away.
            LOG.warn("mail {} was not scanned: {}", mail.getName(), e.getMessage());
            message.setHeader(UNSCANNED_FIELD, "scanning failed");
        }
        message.saveChanges();
    }

    @Override
    public String getMailetInfo() {
        return "Weir: asks storages of fuzzy hashes about a mail";
    }
}
