package dev.weir.storage.log;

import java.util.Arrays;
import java.util.StringJoiner;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many lives of many storages ({@link Simulation}). A failing seed is named and replays with
 * {@code mvn test -pl storage -Dtest=SimulationTest -Dweir.sim.seed=N}; profile {@code long} tries more of them.
 */
class SimulationTest {
    private static final int SEEDS = Integer.getInteger("weir.sim.seeds", 1_000);
    private static final Long ONE = Long.getLong("weir.sim.seed");

    @Test
    void everyLifeKeepsWhatTheOneBeforePromised() {
        long[] counts = new long[Fault.values().length];
        long start = System.nanoTime();
        if (ONE != null) {
            run(ONE, counts);
            return;
        }
        for (long seed = 1; seed <= SEEDS; seed++) {
            run(seed, counts);
        }
        StringJoiner line = new StringJoiner(", ");
        Arrays.stream(Fault.values()).forEach(fault -> line.add(fault + " " + counts[fault.ordinal()]));
        System.out.printf("simulator: %d seeds in %d ms: %s%n", SEEDS, (System.nanoTime() - start) / 1_000_000, line);
        for (Fault fault : Fault.values()) {
            assertThat(counts[fault.ordinal()]).as("a simulation in which %s never happens proves little", fault)
                    .isPositive();
        }
    }

    private static void run(long seed, long[] counts) {
        try {
            new Simulation(seed, counts).run();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + " fails: " + e.getMessage()
                    + "\nreplay it with -Dweir.sim.seed=" + seed, e);
        }
    }
}
