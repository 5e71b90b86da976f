package dev.weir.cli.terminal;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ProgressBarTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(written, true, StandardCharsets.UTF_8);

    /** Returns how often the bar was drawn. */
    private long draws() {
        return written.toString(StandardCharsets.UTF_8).chars().filter(sign -> sign == '[').count() / 2;
    }

    /** Each line of output clears the bar, thousands of times a second. */
    @Test
    void clearingDoesNotDrawItMoreOften() {
        long begun = System.nanoTime();
        try (ProgressBar bar = new ProgressBar(out, "mails", 100_000, true)) {
            for (int i = 1; i <= 5_000; i++) {
                bar.update(i);
                bar.clear();
            }
        }
        long tenths = Duration.ofNanos(System.nanoTime() - begun).toMillis() / 100;
        assertThat(draws()).isBetween(1L, 2 + 2 * tenths);
    }

    @Test
    void drawsNothingIntoAFile() {
        try (ProgressBar bar = new ProgressBar(out, "mails", 10, false)) {
            bar.update(10);
            bar.clear();
        }
        assertThat(written.size()).isZero();
    }
}
