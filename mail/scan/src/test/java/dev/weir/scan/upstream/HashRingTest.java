package dev.weir.scan.upstream;

import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class HashRingTest {
    private static int[] owners(HashRing ring) {
        Random random = new Random(7);
        int[] owners = new int[2000];
        for (int i = 0; i < owners.length; i++) {
            byte[] digest = new byte[64];
            random.nextBytes(digest);
            owners[i] = ring.owner(digest);
        }
        return owners;
    }

    @Test
    void sharesAreNearlyEven() {
        HashRing ring = new HashRing(List.of("a:1", "b:1", "c:1"), List.of(0, 0, 0));
        for (double share : ring.shares(3)) {
            assertThat(share).isBetween(0.22, 0.45);
        }
    }

    @Test
    void greaterWeightsHaveGreaterShares() {
        double[] shares = new HashRing(List.of("a:1", "b:1"), List.of(3, 1)).shares(2);
        assertThat(shares[0]).isBetween(0.65, 0.85);
        assertThat(shares[0] + shares[1]).isBetween(0.999, 1.001);
    }

    @Test
    void addingAShardMovesOnlyItsDigests() {
        int[] before = owners(new HashRing(List.of("a:1", "b:1", "c:1"), List.of(0, 0, 0)));
        int[] after = owners(new HashRing(List.of("a:1", "b:1", "c:1", "d:1"), List.of(0, 0, 0, 0)));
        int moved = 0;
        for (int i = 0; i < before.length; i++) {
            if (before[i] != after[i]) {
                assertThat(after[i]).isEqualTo(3);
                moved++;
            }
        }
        assertThat(moved).isBetween(300, 700);
    }
}
