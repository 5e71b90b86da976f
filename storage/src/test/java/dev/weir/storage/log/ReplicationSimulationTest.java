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
 * Many runs of several nodes ({@link ReplicationSimulation}). A failing seed is named and can be replayed with {@code
 * -Dweir.sim.seed=N}. Profile {@code long} runs more seeds.
 */
class ReplicationSimulationTest {
    /** A run takes as long as thirty of the other simulators. */
    private static final int ALL = Math.max(80, Integer.getInteger("weir.sim.seeds", 0) / 30);
    private static final @Nullable Long ONE = Long.getLong("weir.sim.seed");

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.weir.storage");

    @BeforeEach
    void silence() {
        logger.setLevel(ONE == null ? Level.OFF : Level.DEBUG);
    }

    @AfterEach
    void noSilence() {
        logger.setLevel(null);
    }

    @Test
    void aFollowerIsNeverWrongAndOnlyLate() {
        Map<ReplicationSimulation.Event, Long> events = new EnumMap<>(ReplicationSimulation.Event.class);
        long start = System.nanoTime();
        for (long seed = ONE == null ? 1 : ONE; seed <= (ONE == null ? ALL : ONE); seed++) {
            try {
                new ReplicationSimulation(seed, events).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + " fails: " + e.getMessage()
                        + "\nreplay it with -Dweir.sim.seed=" + seed, e);
            }
        }
        System.out.printf("simulator of replication: %d seeds in %d ms: %s%n", ONE == null ? ALL : 1,
                (System.nanoTime() - start) / 1_000_000, events);
        if (ONE == null) {
            assertThat(events).as("a simulation in which an event never happens proves little")
                    .containsOnlyKeys(ReplicationSimulation.Event.values());
        }
    }
}
