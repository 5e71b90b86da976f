package dev.weir.storage.push;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.weir.testkit.TestFolders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many runs of a master and its slave ({@link PushSimulation}). A failing seed is named and can be replayed with {@code
 * -Dweir.sim.seed=N}. The profiles {@code peers} and {@code long} run others.
 */
class PushSimulationTest {
    /** Both sides restart with real files, which takes longer than the other simulators. */
    private static final int SEEDS = Math.max(1, Integer.getInteger("weir.sim.seeds", 50) / 4);
    private static final long FIRST = Long.getLong("weir.sim.first", 1);
    private static final @Nullable Long ONE = Long.getLong("weir.sim.seed");

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.weir.storage");

    /** Thousands of restarts are quick without a disk. */
    @TempDir(factory = TestFolders.InMemory.class)
    private Path folder = Path.of("");

    /** Silences the log, because failures are intended here, except in a replay of one seed. */
    @BeforeEach
    void silence() {
        logger.setLevel(ONE == null ? Level.OFF : Level.DEBUG);
    }

    @AfterEach
    void noSilence() {
        logger.setLevel(null);
    }

    @Test
    @Tag("seeds")
    void nothingCountsTwiceAndNothingIsMissingWithoutARefusal() throws Exception {
        Map<PushSimulation.Event, Long> events = new EnumMap<>(PushSimulation.Event.class);
        long start = System.nanoTime();
        for (long seed = ONE == null ? FIRST : ONE; seed < (ONE == null ? FIRST + SEEDS : ONE + 1); seed++) {
            run(seed, events);
        }
        System.out.printf("simulator of pushes: %d seeds in %d ms: %s%n", SEEDS,
                (System.nanoTime() - start) / 1_000_000, events);
        if (ONE == null) {
            assertThat(events).as("a simulation in which an event never happens proves little")
                    .containsOnlyKeys(PushSimulation.Event.values());
        }
    }

    /** A seed of each fault that this simulator has found (CONTRIBUTING.md#build-and-test). */
    @ParameterizedTest(quoteTextArguments = false, name = "seed {0}: {1}")
    @CsvSource(delimiter = '|',
            textBlock = """
                    54 | a slave that lost its notes noted a doubt about another master, and took the batches of the first one twice
                    414 | a slave that lost the answer to its first batch, and then its notes, took the batch twice
                    111 | a restored slave lacked updates, because the simulated master had nothing more to send and did not ask
                    1613 | a slave restored from before its first batch was expected to tell a master without notes what it lacks
                    372 | a slave that had taken nothing was expected to tell a master without notes what it lacks
                    """)
    void runsWhatOnceFailed(long seed, String fault) throws Exception {
        run(seed, new EnumMap<>(PushSimulation.Event.class));
    }

    private void run(long seed, Map<PushSimulation.Event, Long> events) throws Exception {
        Path place = folder.resolve("seed-" + seed);
        try {
            new PushSimulation(seed, place, events).run();
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed + " fails: " + e.getMessage()
                    + "\nreplay it with -Dweir.sim.seed=" + seed, e);
        }
        CopiedFolder.delete(place);
    }
}
