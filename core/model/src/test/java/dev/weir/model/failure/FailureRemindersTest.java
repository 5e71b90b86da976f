package dev.weir.model.failure;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FailureRemindersTest {
    private long now = -5;
    private final FailureReminders<String> reminders = new FailureReminders<>(() -> now);

    @Test
    void remindsOnceAnHourAndOfEachNewReason() {
        assertThat(reminders.isDue("list", "no answer")).isTrue();
        now += TimeUnit.HOURS.toNanos(1) - 1;
        assertThat(reminders.isDue("list", "no answer")).isFalse();
        assertThat(reminders.isDue("other", "no answer")).isTrue();
        now++;
        assertThat(reminders.isDue("list", "no answer")).isTrue();
        assertThat(reminders.isDue("list", "damaged")).isTrue();
        assertThat(reminders.isDue("list", "damaged")).isFalse();
    }

    @Test
    void tellsAnEndOnce() {
        assertThat(reminders.end("list")).isFalse();
        assertThat(reminders.isDue("list", "no answer")).isTrue();
        assertThat(reminders.end("list")).isTrue();
        assertThat(reminders.end("list")).isFalse();
        assertThat(reminders.isDue("list", "no answer")).isTrue();
    }

    @Test
    void remembersABoundedNumber() {
        for (int i = 0; i <= 1_000; i++) {
            assertThat(reminders.isDue("sender " + i, "")).isTrue();
        }
        assertThat(reminders.isDue("sender 1000", "")).isFalse();
        assertThat(reminders.isDue("sender 0", "")).as("forgotten").isTrue();
    }
}
