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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many runs of many storages ({@link Simulation}). A failing seed is named and can be replayed with {@code
 * -Dweir.sim.seed=N}. The profiles {@code peers} and {@code long} run more seeds.
 */
class SimulationTest {
    private static final int SEEDS = Integer.getInteger("weir.sim.seeds", 100);
    private static final long FIRST = Long.getLong("weir.sim.first", 1);
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

    /** With a mirror that may be away, or refuse what it has taken. */
    @Test
    @Tag("seeds")
    void everyRunWithAMirrorKeepsThePromisesOfTheOneBefore() {
        runAll(true, EnumSet.allOf(Fault.class));
    }

    @Test
    @Tag("seeds")
    void everyRunKeepsThePromisesOfTheOneBefore() {
        runAll(false, EnumSet.complementOf(EnumSet.of(Fault.BACKEND_DOWN, Fault.BACKEND_REFUSES,
                Fault.BACKEND_FAILS_AFTER, Fault.MIRROR_BUILT, Fault.MIRROR_REFUSED)));
    }

    /** A seed of each fault that this simulator has found (CONTRIBUTING.md#build-and-test). */
    @ParameterizedTest(quoteTextArguments = false, name = "seed {0}: {2}")
    @CsvSource(delimiter = '|',
            textBlock = """
                    2 | without one | after a power cut, the mark of the stop before came back and hid later updates
                    15 | without one | an index that lacked updates got into a checkpoint
                    833 | with a mirror | the end of a run did not wait for what the last sweep had queued
                    975 | with a mirror | updates that were refused, and lost with the log, counted as acknowledged
                    1013 | without one | an older folder was put back without its note about the end of the log
                    1528 | with a mirror | a start went on without the segments of a stopped log whose last sync had failed
                    2796 | without one | a refused batch that could not be cut off passed for the segment that was lost
                    450 | without one | an older copy of the log had refused updates in the place of acknowledged ones
                    68 | without one | the checksum of a segment behind a gap was compared with the note of an earlier update
                    2276 | without one | updates whose sync failed before a stop were expected to be told of
                    4596 | with a mirror | a refused update was expected to be in an older copy of the log
                    6019 | without one | the simulated clock went back to before 1970
                    6020 | without one | an older copy of a log had a refused update that the log had cut off
                    8168 | with a mirror | the log still listed a segment whose file was gone, so the mirror could not be opened
                    9737 | without one | a second loss of the clock file was expected to tell when a wrong clock had been set
                    1544 | with a mirror | a start was refused after a power cut: the log had noted what only the store had
                    """)
    void runsWhatOnceFailed(long seed, String mirror, String fault) {
        run(seed, new EnumMap<>(Fault.class), mirror.equals("with a mirror"));
    }

    /** Each simulated write of slots asks whether a manifest names them. */
    @Test
    void findsIdsThatAreUsedAgainTooEarly() {
        long found = LongStream.rangeClosed(1, SABOTAGED).filter(seed -> {
            try {
                new Simulation(seed, new EnumMap<>(Fault.class), false).freeIdsEarly().run();
                return false;
            } catch (AssertionError e) {
                return String.valueOf(e.getMessage()).contains(Simulation.OVERWRITTEN);
            }
        }).count();
        assertThat(found).as("of %d seeds", SABOTAGED).isPositive();
    }

    private static void runAll(boolean hasMirror, Set<Fault> expected) {
        Map<Fault, Long> counts = new EnumMap<>(Fault.class);
        long start = System.nanoTime();
        if (ONE != null) {
            run(ONE, counts, hasMirror);
            return;
        }
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            run(seed, counts, hasMirror);
        }
        System.out.printf("simulator: %d seeds with %s in %d ms: %s%n", SEEDS,
                hasMirror ? "a mirror" : "no mirror", (System.nanoTime() - start) / 1_000_000, counts);
        assertThat(counts).as("a simulation in which a fault never happens proves little")
                .containsOnlyKeys(expected);
    }

    private static void run(long seed, Map<Fault, Long> counts, boolean hasMirror) {
        try {
            new Simulation(seed, counts, hasMirror).run();
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed + " fails: " + e.getMessage()
                    + "\nreplay it with -Dweir.sim.seed=" + seed, e);
        }
    }
}
