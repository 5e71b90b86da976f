package dev.weir.storage.waves;

import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.storage.Samples;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

class MissRingTest {
    private static final int QUIET = 1;
    private static final int BUSY = 2;

    private final MissRing ring = new MissRing();
    private final Miss miss = new Miss();

    private record Taken(Digest digest, int weight, int client, int network, int sender, int domain, boolean shingled,
            long lastShingle, boolean exempt) {}

    private void put(long digest, int network, boolean shingled) {
        long[] words = new long[Digest.WORDS];
        Samples.digest(digest).copyTo(words, 0);
        int at = ring.claim(network);
        if (at < 0) {
            return;
        }
        ring.put(at, words, Samples.shingles(digest), shingled, 9, -7, network, -9, 10, digest % 2 == 1);
    }

    private List<Taken> drain() {
        List<Taken> taken = new ArrayList<>();
        ring.drain(miss, one -> taken.add(new Taken(Digest.ofWords(one.digest(), 0), one.weight(), one.client(),
                one.network(), one.sender(), one.domain(), one.hasShingles() && one.threshold() == 9,
                one.shingles()[31], one.isExempt())));
        return taken;
    }

    @Test
    void whatIsPutIsTaken() {
        put(1, QUIET, true);
        put(2, -BUSY, false);
        List<Taken> taken = drain();
        assertThat(taken.get(0)).isEqualTo(new Taken(Samples.digest(1), 1, -7, QUIET, -9, 10, true,
                Samples.shingles(1)[31], true));
        assertThat(taken.get(1).digest()).isEqualTo(Samples.digest(2));
        assertThat(taken.get(1).network()).isEqualTo(-BUSY);
        assertThat(taken.get(1).shingled()).isFalse();
        assertThat(taken.get(1).exempt()).isFalse();
        assertThat(drain()).isEmpty();
    }

    @Test
    void whatDoesNotFitIsCounted() {
        for (int i = 0; i < MissRing.PLACES + 10; i++) {
            put(i, BUSY, false);
        }
        assertThat(ring.dropped()).isEqualTo(10);
        assertThat(drain()).hasSize(MissRing.PLACES);
    }

    @Test
    void aBusyNetworkIsSampledAndAQuietOneIsNot() {
        long sent = 0;
        long weight = 0;
        long quiet = 0;
        int rounds = 200;
        for (int round = 0; round < rounds; round++) {
            // The first rounds only make the ring sample.
            boolean counts = round >= 10;
            for (int i = 0; i < 1_800; i++) {
                put(i, BUSY, true);
                sent += counts ? 1 : 0;
                if (i % 600 == 0) {
                    put(1_000_000 + i, QUIET, true);
                }
            }
            for (Taken one : drain()) {
                if (one.network() == QUIET) {
                    quiet += counts ? 1 : 0;
                    assertThat(one.weight()).isEqualTo(1);
                } else if (counts) {
                    weight += one.weight();
                }
            }
        }
        assertThat(ring.sampling()).isGreaterThan(1);
        assertThat(ring.leftOut()).isPositive();
        assertThat(ring.dropped()).isZero();
        assertThat(quiet).isEqualTo(3 * (rounds - 10L));
        assertThat((double) weight).isCloseTo((double) sent, withinPercentage(3));
        for (int i = 0; i < 10; i++) {
            drain();
        }
        assertThat(ring.sampling()).as("in quiet times").isEqualTo(1);
    }
}
