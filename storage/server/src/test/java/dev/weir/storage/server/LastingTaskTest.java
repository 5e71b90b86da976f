package dev.weir.storage.server;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LastingTaskTest {
    @Test
    void periodicTaskSurvivesItsFailures() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        CountDownLatch runs = new CountDownLatch(4);
        try (ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor()) {
            var _ = executor.scheduleAtFixedRate(new LastingTask("the test", () -> {
                runs.countDown();
                if (runs.getCount() % 2 == 0) {
                    throw new OutOfMemoryError("simulated");
                }
                throw new IllegalStateException("simulated");
            }, failures::incrementAndGet), 0, 1, TimeUnit.MILLISECONDS);
            assertThat(runs.await(20, TimeUnit.SECONDS)).isTrue();
            executor.shutdownNow();
        }
        assertThat(failures).hasValueGreaterThanOrEqualTo(4);
    }
}
