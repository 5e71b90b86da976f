package dev.weir.storage.history;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

import dev.weir.storage.stats.AnswerTimes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

@SuppressWarnings("EnumOrdinal")
class MetricHistoryTest {
    private static final long START = 1_800_000_000_000L;

    @TempDir
    Path folder = Path.of("");

    private static long[] figures(long checks, long hashes) {
        long[] values = new long[Series.values().length];
        values[Series.CHECKS.ordinal()] = checks;
        values[Series.HASHES.ordinal()] = hashes;
        return values;
    }

    private static void run(MetricHistory history, long from, int seconds, int perSecond) {
        for (int i = 0; i <= seconds; i++) {
            history.sample(from + i * 1000L, figures((long) i * perSecond, 7 + i), AnswerTimes.none());
        }
    }

    private static long checks(List<MetricHistory.Step> steps) {
        return steps.stream().mapToLong(step -> step.figures().get(Series.CHECKS)).sum();
    }

    @Test
    void countersAddUpInEachSpanAndSurviveARestart() {
        Path file = folder.resolve("history");
        try (MetricHistory history = MetricHistory.open(file)) {
            run(history, START, 95, 10);
            List<MetricHistory.Step> hour = history.read(Span.HOUR, START + 95_000);
            assertThat(hour).hasSize(10);
            assertThat(hour.get(3).figures().get(Series.CHECKS)).isEqualTo(100);
            assertThat(hour.get(3).millis()).isEqualTo(START + 30_000);
            assertThat(hour.getLast().figures().get(Series.HASHES)).isEqualTo(7 + 95);
            assertThat(checks(history.read(Span.QUARTER, START + 95_000))).isEqualTo(950);
        }
        try (MetricHistory history = MetricHistory.open(file)) {
            // The counters begin at 0 again, within the same step of two hours.
            run(history, START + 100_000, 5, 10);
            assertThat(checks(history.read(Span.HOUR, START + 105_000))).isEqualTo(1000);
            assertThat(checks(history.read(Span.DAY, START + 105_000))).isEqualTo(1000);
            assertThat(checks(history.read(Span.QUARTER, START + 105_000))).isEqualTo(1000);
            assertThat(history.read(Span.HOUR, START + 7_200_000)).as("two hours later").isEmpty();
        }
    }

    @Test
    void theFileIsBoundedAndADamagedPlaceIsEmpty() throws Exception {
        Path file = folder.resolve("history");
        try (MetricHistory history = MetricHistory.open(file)) {
            for (int i = 0; i < 200_000; i++) {
                history.sample(START + i * 10_000L, figures(i, 1), AnswerTimes.none());
            }
        }
        assertThat(Files.size(file)).isLessThan(500_000);
        long last = START + 199_999 * 10_000L;
        try (MetricHistory history = MetricHistory.open(file)) {
            assertThat(history.read(Span.HOUR, last)).hasSizeBetween(359, 360);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[]{1, 2, 3}), 100);
        }
        try (MetricHistory history = MetricHistory.open(file)) {
            assertThat(history.read(Span.HOUR, last)).hasSizeBetween(357, 359);
        }
    }

    /** A storage that stops interrupts the thread that takes the samples. */
    @Test
    void anInterruptLosesNothing() {
        Path file = folder.resolve("history");
        try (MetricHistory history = MetricHistory.open(file)) {
            run(history, START, 15, 10);
            Thread.currentThread().interrupt();
            history.sample(START + 25_000, figures(250, 1), AnswerTimes.none());
            assertThat(checks(history.read(Span.HOUR, START + 25_000))).isEqualTo(250);
            assertThat(Thread.interrupted()).as("the thread is still interrupted").isTrue();
        }
        try (MetricHistory history = MetricHistory.open(file)) {
            assertThat(checks(history.read(Span.HOUR, START + 30_000))).isEqualTo(250);
            assertThat(checks(history.read(Span.DAY, START + 240_000))).isEqualTo(250);
        }
    }

    @Test
    void withoutAFileTheStorageWorksOn() {
        try (MetricHistory history = MetricHistory.open(folder.resolve("none").resolve("history"))) {
            run(history, START, 5, 10);
            assertThat(checks(history.read(Span.HOUR, START + 5_000))).isEqualTo(50);
        }
    }
}
