package dev.weir.storage.index;

import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LinesTest {
    private static final int LINES = 8;

    /** Links to blocks with numbers of 27 to 30 bits, where ids have as many. */
    @Test
    void linksHaveAsManyBitsAsIds() {
        for (int idBits = 27; idBits <= 30; idBits++) {
            OffHeap memory = new OffHeap();
            Lines lines = new Lines(memory, (1 << idBits) - 2_000);
            Region region = new Region(memory, Line.BYTES);
            region.reserve(LINES);
            Places places = new Places(1);
            int[] found = new int[1_000];
            SplittableRandom random = new SplittableRandom(idBits);
            for (int line = 0; line < LINES; line++) {
                long at = region.address(line);
                int tags = 1 << (Integer.SIZE - idBits);
                TreeSet<Integer> entries = new TreeSet<>();
                for (int i = 0; i < 18 + 3 * line; i++) {
                    lines.reserve(1, idBits);
                    int entry = random.nextInt(tags) << idBits | random.nextInt(1, 1 << idBits);
                    entries.add(entry);
                    lines.add(at, entry, idBits);
                }
                int gone = entries.pollFirst();
                assertThat(lines.remove(at, gone, idBits)).isNotEqualTo(Lines.Removed.NOTHING);
                places.lines[0] = at;
                places.idBits[0] = idBits;
                TreeSet<Integer> all = new TreeSet<>();
                for (int tag = 0; tag < tags; tag++) {
                    int shifted = tag << idBits;
                    places.tags[0] = shifted;
                    IntStream.of(found).limit(lines.collect(places, 0, found, 0)).forEach(id -> all.add(shifted | id));
                }
                assertThat(all).isEqualTo(entries);
                assertThat(Line.link(at, idBits)).isGreaterThan((1 << idBits) - 2_000);
            }
            assertThat(memory).isNotNull();
        }
    }

    @Test
    void refusesBlocksThatNoLinkCanName() {
        OffHeap memory = new OffHeap();
        Lines lines = new Lines(memory, (1 << 26) - 500);
        lines.reserve(1, 27);
        assertThatExceptionOfType(IndexFullException.class).isThrownBy(() -> lines.reserve(1, 26));
        assertThat(memory).isNotNull();
    }
}
