package dev.weir.storage.sampling;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SampledRingTest {
    private final SampledRing ring = new SampledRing(1);

    private void put(long number) {
        int at = ring.claim(true);
        if (at >= 0) {
            ring.words()[at] = number;
            ring.publish();
        }
    }

    @Test
    void placesAreUsedAgainWhileTheReaderIsAtWork() {
        for (int i = 0; i < SampledRing.PLACES; i++) {
            put(i);
        }
        List<Long> taken = new ArrayList<>();
        ring.drain((words, at, _) -> {
            taken.add(words[at]);
            if (taken.size() == SampledRing.PLACES / 2) {
                put(SampledRing.PLACES);
            }
        });
        assertThat(taken).hasSize(SampledRing.PLACES).endsWith(SampledRing.PLACES - 1L);
        assertThat(ring.dropped()).isZero();
        ring.drain((words, at, _) -> taken.add(words[at]));
        assertThat(taken).endsWith((long) SampledRing.PLACES);
    }

    @Test
    void anEntryThatFailsDoesNotComeAgain() {
        for (int i = 0; i < 100; i++) {
            put(i);
        }
        assertThatThrownBy(() -> ring.drain((words, at, _) -> {
            if (words[at] == 70) {
                throw new IllegalStateException("poison");
            }
        })).hasMessage("poison");
        List<Long> rest = new ArrayList<>();
        ring.drain((words, at, _) -> rest.add(words[at]));
        assertThat(rest).hasSize(29).startsWith(71L);
    }
}
