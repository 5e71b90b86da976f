package dev.weir.storage.sampling;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

class SampledRingTest {
    private static final int PLACES = 256;
    private static final int MOST_CHOSEN = 32;

    private final SampledRing ring = new SampledRing(PLACES, 1, MOST_CHOSEN);

    private void put(long number) {
        put(number, true);
    }

    private void put(long number, boolean whole) {
        int at = ring.claim(whole);
        if (at >= 0) {
            ring.words()[at] = number;
            ring.publish();
        }
    }

    @Test
    void placesAreUsedAgainWhileTheReaderIsAtWork() {
        for (int i = 0; i < PLACES; i++) {
            put(i);
        }
        List<Long> taken = new ArrayList<>();
        ring.drain((words, at, _) -> {
            taken.add(words[at]);
            if (taken.size() == PLACES / 2) {
                put(PLACES);
            }
        });
        assertThat(taken).hasSize(PLACES).endsWith(PLACES - 1L);
        assertThat(ring.dropped()).isZero();
        ring.drain((words, at, _) -> taken.add(words[at]));
        assertThat(taken).endsWith((long) PLACES);
    }

    private record Reading(int entries, int chosen, long all) {}

    private Reading reading(int sampled, int whole) {
        for (int i = 0; i < Math.max(sampled, whole); i++) {
            if (i < sampled) {
                put(i, false);
            }
            if (i < whole) {
                put(i, true);
            }
        }
        int[] counts = new int[3];
        ring.drain((_, _, weight) -> {
            counts[0]++;
            counts[1] += weight > 1 ? 1 : 0;
            counts[2] += weight;
        });
        return new Reading(counts[0], counts[1], counts[2]);
    }

    private Reading steady(int sampled, int whole) {
        Reading last = new Reading(0, 0, 0);
        for (int i = 0; i < 20; i++) {
            last = reading(sampled, whole);
        }
        return last;
    }

    @Test
    void halfAsManyAsThereArePlacesAreTakenWhole() {
        assertThat(steady(PLACES / 2, 0)).isEqualTo(new Reading(PLACES / 2, 0, PLACES / 2));
        assertThat(ring.sampling()).isEqualTo(1);
        reading(PLACES / 2 + 1, 0);
        assertThat(ring.sampling()).as("so that half of the most by chance are taken").isEqualTo(8);
    }

    @Test
    void whatIsTakenByChanceIsFewAndStandsForAll() {
        long all = 0;
        steady(2_000, 0);
        for (int i = 0; i < 500; i++) {
            Reading one = reading(2_000, 0);
            assertThat(one.chosen()).isBetween(1, 4 * MOST_CHOSEN);
            all += one.all();
        }
        assertThat(all / 500.0).isCloseTo(2_000, withinPercentage(5));
    }

    @Test
    void oneReadingIsEnoughToAdaptToARate() {
        reading(50_000, 0);
        assertThat(reading(50_000, 0).chosen()).isBetween(MOST_CHOSEN / 8, MOST_CHOSEN);
    }

    @Test
    void entriesThatAreTakenWholeDoNotMakeTheRingSampleMore() {
        steady(1_000, 150);
        long sampling = ring.sampling();
        Reading last = steady(1_000, 150);
        assertThat(last.entries() - last.chosen()).isEqualTo(150);
        assertThat(ring.sampling()).isBetween(sampling / 2, sampling * 2).isLessThanOrEqualTo(64);
    }

    @Test
    void aRingThatWasFullTakesEverythingAgain() {
        steady(100_000, 0);
        assertThat(ring.sampling()).isGreaterThan(1_000);
        // Less than a quarter of the places, of which it chose none at first.
        assertThat(steady(PLACES / 4 - 1, 0)).isEqualTo(new Reading(PLACES / 4 - 1, 0, PLACES / 4 - 1));
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
