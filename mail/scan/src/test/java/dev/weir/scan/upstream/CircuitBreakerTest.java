package dev.weir.scan.upstream;

import java.time.Duration;
import java.util.random.RandomGenerator;

import dev.weir.scan.upstream.CircuitBreaker.State;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class CircuitBreakerTest {
    private final CircuitBreaker breaker = new CircuitBreaker(3, Duration.ofSeconds(4),
            RandomGenerator.of("L64X128MixRandom"));

    @Test
    void silenceMakesAServerSuspect() {
        breaker.suspect(0);
        assertThat(breaker.state()).isEqualTo(State.SUSPECT);
        assertThat(breaker.failures()).isZero();
    }

    @Test
    void failuresInARowCloseAServerOff() {
        breaker.failed(0);
        breaker.failed(0);
        assertThat(breaker.state()).isEqualTo(State.SUSPECT);
        breaker.failed(0);
        assertThat(breaker.state()).isEqualTo(State.CLOSED_OFF);
    }

    @Test
    void oneAnswerRestoresHealth() {
        breaker.failed(0);
        breaker.failed(0);
        breaker.answered();
        breaker.failed(0);
        breaker.failed(0);
        assertThat(breaker.state()).isEqualTo(State.SUSPECT);
        breaker.failed(0);
        breaker.answered();
        assertThat(breaker.state()).isEqualTo(State.HEALTHY);
        assertThat(breaker.failures()).isZero();
    }

    @Test
    void probesBecomeLessFrequent() {
        breaker.suspect(0);
        double millis = 1e6;
        assertThat(breaker.nextProbe() / millis).isBetween(175.0, 325.0);
        long now = breaker.nextProbe();
        double last = 0;
        for (int i = 0; i < 10; i++) {
            breaker.probed(now);
            last = (breaker.nextProbe() - now) / millis;
            assertThat(last).isBetween(350.0, 5200.0);
            now = breaker.nextProbe();
        }
        assertThat(last).as("the pause stays near revive_time, including jitter").isBetween(2800.0, 5200.0);
    }
}
