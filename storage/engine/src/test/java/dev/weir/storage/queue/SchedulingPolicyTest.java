package dev.weir.storage.queue;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SchedulingPolicyTest {
    private final List<String> asked = new ArrayList<>();
    private final SchedulingPolicy courtesy = new SchedulingPolicy(() -> asked.add("wait"), () -> asked.add("take"));

    @Test
    void usesTheBatchPolicyForSmallBatches() {
        small(SchedulingPolicy.SMALL_IN_A_ROW - 1);
        assertThat(asked).isEmpty();
        small(1000);
        assertThat(asked).containsExactly("wait");
    }

    @Test
    void oneLargeBatchDoesNotChangeThePolicy() {
        small(SchedulingPolicy.SMALL_IN_A_ROW);
        for (int i = 0; i < 10; i++) {
            large(SchedulingPolicy.LARGE_IN_A_ROW - 1);
            small(1);
        }
        assertThat(asked).containsExactly("wait");
    }

    @Test
    void usesTheDefaultPolicyDuringLargeBatches() {
        small(SchedulingPolicy.SMALL_IN_A_ROW);
        large(SchedulingPolicy.LARGE_IN_A_ROW);
        assertThat(asked).containsExactly("wait", "take");
        for (int i = 0; i < 10; i++) {
            small(SchedulingPolicy.SMALL_IN_A_ROW - 1);
            large(1);
        }
        assertThat(asked).containsExactly("wait", "take");
        small(SchedulingPolicy.SMALL_IN_A_ROW);
        assertThat(asked).containsExactly("wait", "take", "wait");
    }

    @Test
    void keepsTheDefaultPolicyForLargeBatches() {
        large(1000);
        small(1);
        large(1);
        assertThat(asked).isEmpty();
    }

    private void large(int times) {
        for (int i = 0; i < times; i++) {
            courtesy.batch(SchedulingPolicy.LARGE);
        }
    }

    private void small(int times) {
        for (int i = 0; i < times; i++) {
            courtesy.batch(SchedulingPolicy.LARGE - 1);
        }
    }
}
