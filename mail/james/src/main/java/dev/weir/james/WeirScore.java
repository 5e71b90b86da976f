package dev.weir.james;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

import dev.weir.scan.ScanResult;
import jakarta.mail.MessagingException;
import org.apache.james.core.MailAddress;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.Mail;
import org.apache.mailet.base.GenericMatcher;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A matcher for mails with at least a score: {@code WeirScore=6} after {@link WeirScan}, or
 * {@code WeirScore=6 /etc/james/weir.conf}, which asks the storages of that file itself if the mail has not been
 * scanned (docs/integrate/james.md). A mail that cannot be scanned does not match.
 */
public final class WeirScore extends GenericMatcher {
    private static final Logger LOG = LoggerFactory.getLogger(WeirScore.class);

    private double least;
    private @Nullable SharedClient client;

    @Override
    public void init() throws MessagingException {
        String condition = getCondition();
        String[] words = condition == null ? new String[0] : condition.strip().split("\\s+", 2);
        try {
            least = Double.parseDouble(words.length == 0 ? "" : words[0]);
        } catch (NumberFormatException e) {
            throw new MessagingException("expected WeirScore=SCORE or WeirScore=SCORE FILE, but the condition is \""
                    + condition + "\"", e);
        }
        if (words.length == 2) {
            client = SharedClient.open(words[1]);
        }
    }

    @Override
    public Collection<MailAddress> match(Mail mail) throws MessagingException {
        Optional<Double> score = mail.getAttribute(WeirScan.SCORE).map(Attribute::getValue)
                .flatMap(value -> value.valueAs(Double.class));
        SharedClient shared = client;
        if (score.isEmpty() && shared != null) {
            score = ask(shared, mail);
        }
        return score.filter(found -> found >= least).isPresent() ? mail.getRecipients() : List.of();
    }

    private static Optional<Double> ask(SharedClient shared, Mail mail) {
        try {
            ScanResult result = shared.pass(mail, (check, bytes) -> check.check(bytes, SharedClient.context(mail)));
            mail.setAttribute(new Attribute(WeirScan.SCORE, AttributeValue.of(result.score())));
            return Optional.of(result.score());
        } catch (MessagingException e) {
            LOG.warn("mail {} was not scanned: {}", mail.getName(), e.getMessage());
            return Optional.empty();
        }
    }

    @Override
    public void destroy() {
        SharedClient shared = client;
        if (shared != null) {
            client = null;
            shared.close();
        }
    }
}
