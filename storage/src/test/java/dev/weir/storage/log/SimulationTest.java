package dev.weir.storage.log;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many runs of many storages ({@link Simulation}). A failing seed is named and can be replayed with {@code
 * -Dweir.sim.seed=N}. Profile {@code long} runs more seeds.
 */
class SimulationTest {
    private static final int SEEDS = Integer.getInteger("weir.sim.seeds", 1_000);
    private static final int SABOTAGED = 20;
    private static final @Nullable Long ONE = Long.getLong("weir.sim.seed");

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.weir.storage");

    /** Silences the log, because failures are intended here, except in a replay of one seed. */
    @BeforeEach
    void silence() {
        logger.setLevel(ONE == null ? Level.OFF : Level.DEBUG);
    }

    @AfterEach
    void noSilence() {
        logger.setLevel(null);
    }

    /** With the hashes in a backend. */
    @Test
    void everyRunKeepsThePromisesOfTheOneBefore() {
        runAll(false, EnumSet.complementOf(EnumSet.of(Fault.UPDATES_BESIDE_IMAGE, Fault.NO_MEMORY_IN_CHANGE,
                Fault.FLIP_IN_SLOT, Fault.FLIP_IN_FREE_SLOT, Fault.FLIP_IN_IMAGE, Fault.FLIP_IN_BOTH_MANIFESTS,
                Fault.FLIP_BESIDE_SLOTS)));
    }

    /** With the hashes in a store. */
    @Test
    void everyRunOfAStoreKeepsThePromisesOfTheOneBefore() {
        runAll(true, EnumSet.complementOf(EnumSet.of(Fault.BACKEND_DOWN, Fault.BACKEND_REFUSES,
                Fault.BACKEND_FAILS_AFTER, Fault.KEPT_INDEX)));
    }

    /** Each simulated write of slots asks whether a manifest names them. */
    @Test
    void findsIdsThatAreUsedAgainTooEarly() {
        long found = LongStream.rangeClosed(1, SABOTAGED).filter(seed -> {
            try {
                new Simulation(seed, new EnumMap<>(Fault.class), true).freeIdsEarly().run();
                return false;
            } catch (AssertionError e) {
                return String.valueOf(e.getMessage()).contains(Simulation.OVERWRITTEN);
            }
        }).count();
        assertThat(found).as("of %d seeds", SABOTAGED).isPositive();
    }

    private static void runAll(boolean hasStore, Set<Fault> expected) {
        Map<Fault, Long> counts = new EnumMap<>(Fault.class);
        long start = System.nanoTime();
        if (ONE != null) {
            run(ONE, counts, hasStore);
            return;
        }
        for (long seed = 1; seed <= SEEDS; seed++) {
            run(seed, counts, hasStore);
        }
        System.out.printf("simulator: %d seeds with %s in %d ms: %s%n", SEEDS,
                hasStore ? "a store" : "a backend", (System.nanoTime() - start) / 1_000_000, counts);
        assertThat(counts).as("a simulation in which a fault never happens proves little")
                .containsOnlyKeys(expected);
    }

    private static void run(long seed, Map<Fault, Long> counts, boolean hasStore) {
        try {
            new Simulation(seed, counts, hasStore).run();
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed + " fails: " + e.getMessage()
                    + "\nreplay it with -Dweir.sim.seed=" + seed, e);
        }
    }
}
