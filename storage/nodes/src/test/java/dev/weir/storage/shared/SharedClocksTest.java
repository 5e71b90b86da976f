package dev.weir.storage.shared;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SharedClocksTest {
    private static SharedPeer peer(long silent, long ahead) {
        return new SharedPeer("b2", "machine", silent, 0, 0, 0, ahead);
    }

    /** Two clocks of three decide, so one that differs from Redis alone changes no time. */
    @Test
    void theTimeOfRedisCountsIfAnotherNodeAgreesWithIt() {
        SharedClocks clocks = new SharedClocks();
        clocks.redis(10_000, 2_000);
        assertThat(clocks.isOff()).isTrue();
        assertThat(clocks.correction()).isZero();
        clocks.peers(List.of(peer(SharedClocks.RECENT + 1, 0), peer(0, SharedClocks.BOUND + 1)));
        assertThat(clocks.correction()).isZero();
        clocks.peers(List.of(peer(SharedClocks.RECENT, -SharedClocks.BOUND)));
        assertThat(clocks.correction()).isEqualTo(-8_000);
        clocks.redis(2_000 + SharedClocks.BOUND, 2_000);
        assertThat(clocks.isOff()).isFalse();
        assertThat(clocks.correction()).isZero();
    }
}
