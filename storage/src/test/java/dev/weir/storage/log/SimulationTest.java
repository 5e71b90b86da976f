package dev.weir.storage.log;

import java.util.EnumMap;
import java.util.Map;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many lives of many storages ({@link Simulation}). A failing seed is named and replays with
 * {@code -Dweir.sim.seed=N}; profile {@code long} tries more of them.
 */
class SimulationTest {
    private static final int SEEDS = Integer.getInteger("weir.sim.seeds", 1_000);
    private static final @Nullable Long ONE = Long.getLong("weir.sim.seed");

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.weir.storage");

    /** What goes wrong here goes wrong on purpose; only who replays one seed wants to read of it. */
    @BeforeEach
    void silence() {
        logger.setLevel(ONE == null ? Level.OFF : Level.DEBUG);
    }

    @AfterEach
    void noSilence() {
        logger.setLevel(null);
    }

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
