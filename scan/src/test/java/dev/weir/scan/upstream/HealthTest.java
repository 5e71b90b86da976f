package dev.weir.scan.upstream;

import java.time.Duration;
import java.util.random.RandomGenerator;

import dev.weir.scan.upstream.Health.State;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class HealthTest {
    private final Health health = new Health(3, Duration.ofSeconds(4), RandomGenerator.of("L64X128MixRandom"));

    @Test
    void silenceMakesSuspect() {
        health.suspect(0);
        assertThat(health.state()).isEqualTo(State.SUSPECT);
        assertThat(health.failures()).isZero();
    }

    @Test
    void failuresInARowCloseOff() {
        health.failed(0);
        health.failed(0);
        assertThat(health.state()).isEqualTo(State.SUSPECT);
        health.failed(0);
        assertThat(health.state()).isEqualTo(State.CLOSED_OFF);
    }

    @Test
    void oneAnswerEndsItAll() {
        health.failed(0);
        health.failed(0);
        health.answered();
        health.failed(0);
        health.failed(0);
        assertThat(health.state()).isEqualTo(State.SUSPECT);
        health.failed(0);
        health.answered();
        assertThat(health.state()).isEqualTo(State.HEALTHY);
        assertThat(health.failures()).isZero();
    }

    @Test
    void probesComeSoonAndThenLessOften() {
        health.suspect(0);
        final double millis = 1e6;
        assertThat(health.nextProbe() / millis).isBetween(175.0, 325.0);
        long now = health.nextProbe();
        double last = 0;
        for (int i = 0; i < 10; i++) {
            health.probed(now);
            last = (health.nextProbe() - now) / millis;
            assertThat(last).isBetween(350.0, 5200.0);
            now = health.nextProbe();
        }
        assertThat(last).as("never less often than revive_time, with its jitter").isBetween(2800.0, 5200.0);
    }
}
