package dev.weir.scan;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import dev.weir.hash.MailHasher;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The contract of every {@link LearnCondition}. */
public abstract class LearnConditionContract {
    private static final int CALLS = 64;

    /** Returns the condition under test. */
    protected abstract LearnCondition condition();

    private static LearnCondition.Subject subject(byte[] mail) {
        return new LearnCondition.Subject(mail, MailHasher.standard().analyze(mail), ScanContext.NONE, 1, 10, false);
    }

    @Test
    void skippingHasAReason() {
        LearnCondition.Decision decision = condition().decide(subject(TestMail.text(1)));
        assertThat(decision.learn() || !decision.reason().isEmpty()).as(decision.toString()).isTrue();
    }

    @Test
    void decidesAlikeOnEveryThread() {
        LearnCondition condition = condition();
        LearnCondition.Subject subject = subject(TestMail.text(1));
        LearnCondition.Decision first = condition.decide(subject);
        List<LearnCondition.Decision> decisions = IntStream.range(0, CALLS).parallel()
                .mapToObj(_ -> condition.decide(subject)).toList();
        assertThat(decisions).isEqualTo(Collections.nCopies(CALLS, first));
    }

    @Test
    void doesNotModifyTheMail() {
        byte[] mail = TestMail.text(1);
        condition().decide(subject(mail));
        assertThat(mail).isEqualTo(TestMail.text(1));
    }
}
