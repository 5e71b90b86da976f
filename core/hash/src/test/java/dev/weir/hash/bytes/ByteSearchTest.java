package dev.weir.hash.bytes;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that the search of several bytes finds the same as a byte-by-byte loop. */
final class ByteSearchTest {
    @Property(seed = "4201")
    void findsTheFirstMatch(@ForAll @Size(max = 120) byte[] data, @ForAll @IntRange(max = 60) int from,
            @ForAll @IntRange(max = 120) int length, @ForAll @CharRange(from = 0, to = 0x7f) char wanted,
            @ForAll @IntRange(min = -1, max = 119) int place) {
        if (place >= 0 && place < data.length) {
            data[place] = (byte) wanted;
        }
        int start = Math.min(from, data.length);
        int to = Math.min(data.length, start + length);
        int expected = start;
        while (expected < to && data[expected] != wanted) {
            expected++;
        }
        assertThat(ByteSearch.indexOf(data, start, to, wanted)).isEqualTo(expected);
    }

    @Property(seed = "4204")
    void findsTheFirstOfTwo(@ForAll @Size(max = 120) byte[] data, @ForAll @IntRange(max = 60) int from,
            @ForAll @CharRange(from = 0, to = 0x7f) char one, @ForAll @CharRange(from = 0, to = 0x7f) char other,
            @ForAll @IntRange(min = -1, max = 119) int place) {
        if (place >= 0 && place < data.length) {
            data[place] = (byte) (place % 2 == 0 ? one : other);
        }
        int start = Math.min(from, data.length);
        int expected = start;
        while (expected < data.length && data[expected] != one && data[expected] != other) {
            expected++;
        }
        assertThat(ByteSearch.indexOfEither(data, start, data.length, one, other)).isEqualTo(expected);
    }

    @Property(seed = "4205")
    void findsTheFirstPair(@ForAll @Size(max = 120) byte[] data, @ForAll @IntRange(max = 60) int from,
            @ForAll @IntRange(max = 120) int length, @ForAll @CharRange(from = 0, to = 0x7f) char wanted,
            @ForAll @IntRange(min = -1, max = 118) int place, @ForAll @IntRange(min = -1, max = 119) int single) {
        if (single >= 0 && single < data.length) {
            data[single] = (byte) wanted;
        }
        if (place >= 0 && place + 1 < data.length) {
            data[place] = (byte) wanted;
            data[place + 1] = (byte) wanted;
        }
        int start = Math.min(from, data.length);
        int to = Math.min(data.length, start + length);
        int expected = start;
        while (expected < to && !(expected + 1 < to && data[expected] == wanted && data[expected + 1] == wanted)) {
            expected++;
        }
        assertThat(ByteSearch.indexOfTwo(data, start, to, wanted)).isEqualTo(expected);
    }

    @Property(seed = "4202")
    void findsTheFirstByteOutsideAscii(@ForAll @Size(max = 120) byte[] data, @ForAll @IntRange(max = 60) int from,
            @ForAll @IntRange(max = 60) int plain) {
        int start = Math.min(from, data.length);
        for (int i = start; i < Math.min(data.length, start + plain); i++) {
            data[i] &= 0x7f;
        }
        int expected = start;
        while (expected < data.length && data[expected] >= 0) {
            expected++;
        }
        assertThat(ByteSearch.indexOfHigh(data, start, data.length)).isEqualTo(expected);
    }
}
