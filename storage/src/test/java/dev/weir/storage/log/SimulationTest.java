package dev.weir.storage.log;

import java.util.EnumMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many lives of many storages ({@link Simulation}). A failing seed is named and replays with
 * {@code mvn test -pl storage -Dtest=SimulationTest -Dweir.sim.seed=N}; profile {@code long} tries more of them.
 */
class SimulationTest {
    private static final int SEEDS = Integer.getInteger("weir.sim.seeds", 1_000);
    private static final @Nullable Long ONE = Long.getLong("weir.sim.seed");

    @Test
    void everyLifeKeepsWhatTheOneBeforePromised() {
        Map<Fault, Long> counts = new EnumMap<>(Fault.class);
        long start = System.nanoTime();
        if (ONE != null) {
            run(ONE, counts);
            return;
        }
        for (long seed = 1; seed <= SEEDS; seed++) {
            run(seed, counts);
        }
        System.out.printf("simulator: %d seeds in %d ms: %s%n", SEEDS, (System.nanoTime() - start) / 1_000_000, counts);
        assertThat(counts).as("a simulation in which a fault never happens proves little")
                .containsOnlyKeys(Fault.values());
    }

    private static void run(long seed, Map<Fault, Long> counts) {
        try {
            new Simulation(seed, counts).run();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + " fails: " + e.getMessage()
                    + "\nreplay it with -Dweir.sim.seed=" + seed, e);
        }
    }
}
