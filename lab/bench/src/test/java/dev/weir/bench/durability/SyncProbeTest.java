package dev.weir.bench.durability;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The probe of the disk: its rate, and that nothing of it remains. */
class SyncProbeTest {
    @TempDir
    Path scratch;

    @Test
    void theDiskIsMeasured() throws Exception {
        SyncProbe.Rate rate;
        try (SyncProbe disk = SyncProbe.open(scratch)) {
            rate = disk.measure(4, Duration.ofMillis(50));
        }
        assertThat(rate.perSecond()).isPositive();
        assertThat(rate.learns()).isEqualTo(4 * rate.perSecond());
        assertThat(rate.latency().getTotalCount()).isPositive();
        try (Stream<Path> left = Files.list(scratch)) {
            assertThat(left).isEmpty();
        }
    }
}
