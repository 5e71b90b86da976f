package dev.weir.bench.nodes;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Tests of the played nodes, with costs for which the result is plain. */
class FleetTest {
    /** A Redis takes 10,000 updates a second, a node 20,000 changes; a new node reads 100,000 hashes a second. */
    private static final NodeCosts COSTS = new NodeCosts(1e-6, 5e-5, 5e-5, 1e-4, 1e-5, 1e-6, 300, 500, 400);

    private static Fleet fleet(double updates) {
        return new Fleet(1, 2, 4, 1e6, 1e5, updates, 64e9, 64e9, 125e6);
    }

    @Test
    void theMostUsedPartIsFirst() {
        assertThat(fleet(5_000).uses(COSTS).getFirst()).satisfies(use -> {
            assertThat(use.part()).isEqualTo("the processor of a Redis");
            assertThat(use.share()).isCloseTo(0.5, within(1e-9));
        });
        assertThat(new Fleet(10, 2, 4, 1e9, 1e5, 5_000, 40e9, 64e9, 125e6).uses(COSTS).getFirst()).satisfies(use -> {
            assertThat(use.part()).isEqualTo("memory of a Redis");
            assertThat(use.share()).isCloseTo(0.78, within(0.01));
        });
    }

    @Test
    void nothingWaitsWhileNothingHappens() {
        Fleet.Course course = fleet(1_000).play(COSTS, Fleet.Event.NOTHING);
        assertThat(course.unsent()).isZero();
        assertThat(course.late()).isZero();
        assertThat(course.recovered()).isCloseTo(0, within(1e-9));
    }

    /** While Redis is away, 60,000 updates wait; then it takes 10,000 a second, 1,000 of which are new. */
    @Test
    void theBacklogOfAnOutageIsSentWithWhatIsLeft() {
        Fleet.Course course = fleet(1_000).play(COSTS, Fleet.Event.REDIS_AWAY);
        assertThat(course.unsent()).isCloseTo(30_000, within(100.0));
        assertThat(course.late()).isCloseTo(60, within(0.5));
        assertThat(course.recovered()).isCloseTo(60_000 / 9_000.0, within(0.5));
    }

    /** For a minute, 20,000 updates a second come, and Redis takes 10,000. */
    @Test
    void aBurstAboveTheRateOfRedisWaits() {
        Fleet.Course course = fleet(2_000).play(COSTS, Fleet.Event.BURST);
        assertThat(course.unsent()).isCloseTo(300_000, within(1_500.0));
        assertThat(course.recovered()).isCloseTo(600_000 / 8_000.0, within(1.0));
    }

    @Test
    void aNewNodeReadsEveryHash() {
        assertThat(fleet(1_000).play(COSTS, Fleet.Event.NEW_NODE).recovered()).isCloseTo(0, within(0.2));
        Fleet large = new Fleet(1, 2, 4, 1e7, 1e5, 1_000, 64e9, 64e9, 125e6);
        assertThat(large.play(COSTS, Fleet.Event.NEW_NODE).recovered()).isCloseTo(100 - Fleet.FROM, within(0.5));
    }

    @Test
    void whatIsTooMuchNeverEnds() {
        assertThat(fleet(11_000).play(COSTS, Fleet.Event.REDIS_AWAY).recovered()).isInfinite();
    }
}
