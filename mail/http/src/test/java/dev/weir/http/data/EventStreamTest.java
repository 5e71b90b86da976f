package dev.weir.http.data;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

final class EventStreamTest {
    /** An executor cancels a periodic task that throws, and the pages would show old figures until a restart. */
    @Test
    void anErrorDoesNotEndTheEvents() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        CountDownLatch events = new CountDownLatch(2);
        try (EventStream stream = new EventStream(() -> {
            if (asked.incrementAndGet() == 2) {
                throw new OutOfMemoryError("expected by the test");
            }
            return "{}".getBytes(StandardCharsets.UTF_8);
        }, failed::incrementAndGet)) {
            Thread.ofVirtual().start(() -> {
                try {
                    requireNonNull(stream.answer().stream()).writeTo(_ -> events.countDown());
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(events.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(failed).hasValue(1);
        }
    }
}
