package dev.weir.james;

import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.hash.Skip;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import jakarta.mail.MessagingException;
import org.apache.mailet.Mail;

/**
 * A mailet that teaches storages a mail, or has them forget it (docs/integrate/james.md). Parameters: {@code
 * configuration} names the file with the rules; {@code flag}; {@code weight}, 1 if absent; {@code forget}, false if
 * absent. If no storage has confirmed it, the mailet fails, and the processor decides what becomes of the mail.
 */
public final class WeirLearn extends ClientMailet {
    private static final long MOST_FLAG = 0xffff_ffffL;

    private long flag;
    private int weight;
    private boolean forget;

    @Override
    public void init() throws MessagingException {
        flag = number("flag", "", MOST_FLAG);
        weight = (int) number("weight", "1", Integer.MAX_VALUE);
        forget = getInitParameter("forget", false);
        super.init();
    }

    private long number(String name, String usual, long most) throws MessagingException {
        String text = getInitParameter(name, usual);
        try {
            long number = Long.parseLong(text);
            if (number >= 1 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new MessagingException(name + ": expected a number, but found \"" + text + "\"", e);
        }
        throw new MessagingException(name + ": expected 1 to " + most + ", but found " + text);
    }

    @Override
    public void service(Mail mail) throws MessagingException {
        SharedClient shared = client();
        LearnRequest request = new LearnRequest(OptionalLong.of(flag), Optional.empty(), forget ? 0 : weight, forget,
                Skip.NOTHING, SharedClient.context(mail));
        LearnReport report = shared.pass(mail, (check, bytes) -> check.learn(bytes, request));
        if (!report.success()) {
            throw new MessagingException("the mail was not " + (forget ? "forgotten" : "learned") + ": "
                    + report.failure().map(LearnReport.Failure::message).orElse("no storage confirmed it"));
        }
    }

    @Override
    public String getMailetInfo() {
        return "Weir: teaches storages of fuzzy hashes a mail";
    }
}
