package dev.weir.cli.serve;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SignsOfLifeTest {
    @Test
    void signsGoOutWhileTheProcessWorks() throws Exception {
        Semaphore signs = new Semaphore(0);
        try (SignsOfLife _ = SignsOfLife.start(Duration.ofMillis(2), () -> true, signs::release)) {
            assertThat(signs.tryAcquire(3, 1, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void aProcessThatDoesNotWorkSendsNone() throws Exception {
        Semaphore checks = new Semaphore(0);
        AtomicBoolean sent = new AtomicBoolean();
        try (SignsOfLife _ = SignsOfLife.start(Duration.ofMillis(2), () -> {
            checks.release();
            return false;
        }, () -> sent.set(true))) {
            assertThat(checks.tryAcquire(3, 1, TimeUnit.MINUTES)).isTrue();
            assertThat(sent).isFalse();
        }
    }
}
