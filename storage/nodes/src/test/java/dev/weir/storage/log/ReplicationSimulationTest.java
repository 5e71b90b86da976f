package dev.weir.storage.log;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
 * Many runs of several nodes ({@link ReplicationSimulation}), one on each processor. A failing seed is named and can be
 * replayed with {@code -Dweir.sim.seed=N}. Profile {@code long} runs ten thousand seeds, which takes half an hour on
 * two processors; {@code -Dweir.sim.first=N} begins with another one than 1.
 */
class ReplicationSimulationTest {
    private static final int ALL = Integer.getInteger("weir.sim.seeds", 100);
    private static final long FIRST = Long.getLong("weir.sim.first", 1);
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
    @Tag("seeds")
    void aFollowerIsNeverWrongAndOnlyLate() throws InterruptedException {
        Map<ReplicationSimulation.Event, Long> events = new EnumMap<>(ReplicationSimulation.Event.class);
        long start = System.nanoTime();
        int seeds = ONE == null ? ALL : 1;
        try (ExecutorService threads = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
            long first = ONE == null ? FIRST : ONE;
            List<Future<Map<ReplicationSimulation.Event, Long>>> runs = LongStream.range(first, first + seeds)
                    .mapToObj(seed -> threads.submit(() -> run(seed))).toList();
            try {
                for (Future<Map<ReplicationSimulation.Event, Long>> run : runs) {
                    run.get().forEach((event, times) -> events.merge(event, times, Long::sum));
                }
            } catch (ExecutionException e) {
                threads.shutdownNow();
                throw new AssertionError(e.getCause());
            }
        }
        System.out.printf("simulator of replication: %d seeds in %d ms: %s%n", seeds,
                (System.nanoTime() - start) / 1_000_000, events);
        if (ONE == null) {
            assertThat(events).as("a simulation in which an event never happens proves little")
                    .containsOnlyKeys(ReplicationSimulation.Event.values());
        }
    }

    /** A seed of each fault that this simulator has found (CONTRIBUTING.md#build-and-test). */
    @ParameterizedTest(quoteTextArguments = false, name = "seed {0}: {1}")
    @CsvSource(delimiter = '|',
            textBlock = """
                    1185 | a follower was promoted that lacked updates from before its epoch
                    16 | a follower copied a leader that lacked updates of it
                    2219 | a power cut left a hole in the log of a leader, and a follower waited for good for what was there
                    4632 | a simulated follower applied what a former leader had sent, because it did not wait for its outcome
                    3951 | a follower copied a leader that had gone back to an older folder since it proved that it lacked nothing
                    1283 | a copy told a partial node of a renewal that its updates do not have
                    """)
    void runsWhatOnceFailed(long seed, String fault) {
        run(seed);
    }

    private static Map<ReplicationSimulation.Event, Long> run(long seed) {
        Map<ReplicationSimulation.Event, Long> events = new EnumMap<>(ReplicationSimulation.Event.class);
        try {
            new ReplicationSimulation(seed, events).run();
            return events;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + " fails: " + e.getMessage()
                    + "\nreplay it with -Dweir.sim.seed=" + seed, e);
        }
    }
}
