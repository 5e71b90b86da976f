package dev.weir.storage.index;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RegionTest {
    private final OffHeap memory = new OffHeap();

    @ParameterizedTest
    @ValueSource(ints = {4, 12, 16, 24, 64, 128})
    void recordsDoNotOverlapAndStayWhereTheyAre(int stride) {
        Region region = new Region(memory, stride);
        assertThat(region.address(0)).isEqualTo(OffHeap.NOWHERE);
        region.reserve(0);
        long chunk = region.capacity();
        region.reserve(3 * chunk - 1);
        assertThat(region.capacity()).isEqualTo(3 * chunk);
        long[] numbers = {0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk - 1};
        for (long number : numbers) {
            for (int at = 0; at < stride; at += Integer.BYTES) {
                assertThat(OffHeap.getInt(region.address(number) + at)).isZero();
                OffHeap.putInt(region.address(number) + at, (int) number + at);
            }
        }
        region.reserve(4 * chunk);
        for (long number : numbers) {
            for (int at = 0; at < stride; at += Integer.BYTES) {
                assertThat(OffHeap.getInt(region.address(number) + at)).isEqualTo((int) number + at);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 12, 64, 128})
    void whatIsOutOfRangeReadsAsSomethingThatIsThere(int stride) {
        Region region = new Region(memory, stride);
        for (int chunks = 0; chunks < 4; chunks++) {
            for (long number : new long[]{region.capacity(), Integer.MAX_VALUE, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
                assertThat(OffHeap.getInt(region.address(number))).isZero();
                assertThat(OffHeap.getInt(region.address(number) + stride - Integer.BYTES)).isZero();
            }
            region.reserve(region.capacity());
        }
    }

    @Test
    void linesOfTheProcessorHoldWholeRecords() {
        Region region = new Region(memory, 64);
        region.reserve(100_000);
        assertThat(region.address(0) % 64).isZero();
        assertThat(region.address(99_999) % 64).isZero();
        assertThatThrownBy(() -> new Region(memory, 256)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Region(memory, 20)).isInstanceOf(IllegalArgumentException.class);
    }
}
