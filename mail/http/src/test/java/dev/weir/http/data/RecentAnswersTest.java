package dev.weir.http.data;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.storage.admin.RefusedException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RecentAnswersTest {
    private long now = 1;
    private final RecentAnswers answers = new RecentAnswers(Duration.ofSeconds(5), () -> now);
    private final AtomicInteger computed = new AtomicInteger();

    private int ask(String question) throws RefusedException {
        return answers.get(question, () -> new byte[computed.incrementAndGet()]).length;
    }

    @Test
    void anAnswerIsSharedForItsTimeOnly() throws RefusedException {
        assertThat(ask("hour")).isEqualTo(1);
        now += Duration.ofSeconds(5).toNanos();
        assertThat(ask("hour")).isEqualTo(1);
        assertThat(ask("day")).as("another question").isEqualTo(2);
        now++;
        assertThat(ask("hour")).isEqualTo(3);
    }

    @Test
    void anAnswerThatTookLongIsSharedForLonger() throws RefusedException {
        RecentAnswers.Source slow = () -> {
            now += Duration.ofMillis(100).toNanos();
            return new byte[computed.incrementAndGet()];
        };
        assertThat(answers.get("trail", slow)).hasSize(1);
        now += Duration.ofSeconds(6).toNanos();
        assertThat(answers.get("trail", slow)).as("the first one was cold").hasSize(2);
        now += Duration.ofSeconds(40).toNanos();
        assertThat(answers.get("trail", slow)).as("400 times as long as it took").hasSize(2);
        now++;
        assertThat(answers.get("trail", () -> {
            now += Duration.ofSeconds(10).toNanos();
            return new byte[computed.incrementAndGet()];
        })).hasSize(3);
        now += Duration.ofMinutes(2).toNanos() + 1;
        assertThat(answers.get("trail", slow)).as("but at most for two minutes").hasSize(4);
    }

    @Test
    void afterAFailureTheNextOneAsksAgain() throws RefusedException {
        assertThatExceptionOfType(RefusedException.class).isThrownBy(() -> answers.get("hour", () -> {
            throw new RefusedException(RefusedException.Ground.UNREADABLE, "the audit trail cannot be read");
        }));
        assertThat(ask("hour")).isEqualTo(1);
    }
}
