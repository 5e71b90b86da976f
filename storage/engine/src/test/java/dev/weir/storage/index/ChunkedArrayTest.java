package dev.weir.storage.index;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ChunkedArrayTest {
    private final OffHeapArena memory = new OffHeapArena();

    @ParameterizedTest
    @ValueSource(ints = {4, 12, 16, 24, 64, 128})
    void elementsDoNotOverlapOrMove(int stride) {
        ChunkedArray array = new ChunkedArray(memory, stride);
        assertThat(array.address(0)).isEqualTo(OffHeapArena.NOWHERE);
        array.reserve(0);
        long chunk = array.capacity();
        array.reserve(3 * chunk - 1);
        assertThat(array.capacity()).isEqualTo(3 * chunk);
        long[] numbers = {0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk - 1};
        for (long number : numbers) {
            for (int at = 0; at < stride; at += Integer.BYTES) {
                assertThat(OffHeapArena.getInt(array.address(number) + at)).isZero();
                OffHeapArena.putInt(array.address(number) + at, (int) number + at);
            }
        }
        array.reserve(4 * chunk);
        for (long number : numbers) {
            for (int at = 0; at < stride; at += Integer.BYTES) {
                assertThat(OffHeapArena.getInt(array.address(number) + at)).isEqualTo((int) number + at);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 12, 64, 128})
    void readsExistingMemoryForNumbersOutOfRange(int stride) {
        ChunkedArray array = new ChunkedArray(memory, stride);
        for (int chunks = 0; chunks < 4; chunks++) {
            for (long number : new long[]{array.capacity(), Integer.MAX_VALUE, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
                assertThat(OffHeapArena.getInt(array.address(number))).isZero();
                assertThat(OffHeapArena.getInt(array.address(number) + stride - Integer.BYTES)).isZero();
            }
            array.reserve(array.capacity());
        }
    }

    @Test
    void alignsElementsToCacheLines() {
        ChunkedArray array = new ChunkedArray(memory, 64);
        array.reserve(100_000);
        assertThat(array.address(0) % 64).isZero();
        assertThat(array.address(99_999) % 64).isZero();
        assertThatThrownBy(() -> new ChunkedArray(memory, 256)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ChunkedArray(memory, 20)).isInstanceOf(IllegalArgumentException.class);
    }
}
