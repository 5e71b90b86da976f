package dev.weir.model.count;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RecentCountsTest {
    private final RecentCounts counts = new RecentCounts(4, 10);

    @Test
    void whatIsTooOldIsForgotten() {
        counts.add(1);
        counts.turn(11);
        counts.add(2);
        counts.turn(13);
        counts.add(4);
        assertThat(counts.inOrder()).containsExactly(1L, 2L, 0L, 4L);
        assertThat(List.of(counts.sum(1), counts.sum(2), counts.sum(3), counts.sum(4), counts.sum(100)))
                .containsExactly(4L, 4L, 6L, 7L, 7L);
        counts.turn(14);
        assertThat(counts.inOrder()).containsExactly(2L, 0L, 4L, 0L);
        counts.turn(18);
        assertThat(counts.sum(4)).isZero();
        counts.add(1);
        counts.turn(Long.MAX_VALUE / 2);
        assertThat(counts.sum(4)).isZero();
    }

    @Test
    void anEarlierPeriodCountsAsTheLastOne() {
        counts.turn(9);
        counts.add(3);
        assertThat(counts.period()).isEqualTo(10);
        assertThat(counts.at(10)).isEqualTo(3);
    }

    @Test
    void theLastOfAllPeriodsEndsNoLoopTooLate() {
        counts.turn(Long.MAX_VALUE);
        counts.add(3);
        counts.turn(0);
        assertThat(counts.inOrder()).containsExactly(0L, 0L, 0L, 3L);
        assertThat(counts.sum(4)).isEqualTo(3);
    }

    @Test
    void aCountDoesNotOverflow() {
        counts.add(Integer.MAX_VALUE - 1L);
        counts.add(Long.MAX_VALUE / 2);
        counts.turn(11);
        counts.add(1);
        assertThat(counts.sum(4)).isEqualTo(Integer.MAX_VALUE + 1L);
    }

    @Test
    void bothSidesOfAMergeAreUpToTheLaterPeriod() {
        RecentCounts other = new RecentCounts(4, 12);
        other.add(5);
        counts.add(1);
        counts.merge(other);
        assertThat(counts.inOrder()).containsExactly(0L, 1L, 0L, 5L);
        RecentCounts earlier = new RecentCounts(4, 9);
        earlier.add(7);
        counts.merge(earlier);
        assertThat(counts.inOrder()).containsExactly(7L, 1L, 0L, 5L);
        assertThat(earlier.period()).isEqualTo(12);
    }
}
