package dev.weir.bench.nodes;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import dev.weir.bench.load.BackgroundLoad;
import dev.weir.bench.load.LearnLoad;
import dev.weir.bench.load.LearnResult;
import dev.weir.bench.peer.ProcessorTime;
import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.speed.Case;
import dev.weir.bench.speed.Contender;
import dev.weir.bench.speed.Dataset;
import dev.weir.bench.speed.Pinning;
import dev.weir.load.population.Population;
import dev.weir.load.query.Rule;
import dev.weir.load.stream.StreamResult;

/** Measures checks at a follower beside a storage alone that has the same hashes, in turns. */
final class FollowerChecks {
    private static final Population LEARNED = new Population(0x6368_6b73_0000_0000L, 0);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int CLIENTS = 64;
    private static final int OUTSTANDING = 256;
    /** The rate of a storage is steady if that of the next turn differs by less, in both directions. */
    private static final double STEADY = 0.05;
    /** The most turns of the warm-up. On a noisy machine, rates never become steady. */
    private static final int WARM_UP_TURNS = 12;

    private static final Case MIX = Case.parse("miss=8,exact=1,fuzzy20=1");

    private final Workspace workspace;
    private final List<String> command;
    private final Pinning pinning;
    private final long hashes;
    private final int rate;
    private final Duration measured;
    private final PrintWriter progress;
    private int learned;

    /** What is asked, and what its leader does. */
    enum State {
        ALONE("a storage alone"),
        QUIET("a follower, without learns"),
        FOLLOWING("a follower, beside learns at its leader");

        final String title;

        State(String title) {
            this.title = title;
        }
    }

    /**
     * Prepares a measurement.
     *
     * @param command the command line that runs {@code weir}
     * @param hashes number of hashes
     * @param rate learns a second at the leader
     * @param measured the time of each measurement
     */
    FollowerChecks(Workspace workspace, List<String> command, Pinning pinning, long hashes, int rate,
            Duration measured, PrintWriter progress) {
        this.workspace = workspace;
        this.command = command;
        this.pinning = pinning;
        this.hashes = hashes;
        this.rate = rate;
        this.measured = measured;
        this.progress = progress;
    }

    /** Returns the points of all rounds, after a warm-up that does not count. */
    Map<State, List<CheckPoint>> run(int rounds) throws IOException, InterruptedException {
        Dataset dataset = new Dataset(workspace.folder(), command, pinning, progress);
        ReplicatedPair pair = new ReplicatedPair(workspace, pinning.everywhere(command), "");
        Path filled = dataset.weir(hashes, true);
        Path copy = dataset.copy(filled, workspace.newFolder("alone"));
        Files.move(filled, pair.first().data());
        Map<State, List<CheckPoint>> points = new EnumMap<>(State.class);
        try (WeirProcess alone = WeirProcess.start(workspace, pinning.server(command), copy);
                WeirProcess leader = pair.lead(pair.first());
                WeirProcess follower = pair.follow(pinning.server(command), pair.second())) {
            ReplicatedPair.awaitFollowing(follower, leader.control("/status").path("revision").asLong(0));
            beside(leader, follower);
            warmUp(alone, follower);
            for (int round = 0; round < rounds; round++) {
                for (State state : State.values()) {
                    points.computeIfAbsent(state, _ -> new ArrayList<>()).add(switch (state) {
                        case ALONE -> saturate(alone);
                        case QUIET -> saturate(follower);
                        case FOLLOWING -> beside(leader, follower);
                    });
                }
            }
        }
        return points;
    }

    /**
     * Asks two storages in turns until both rates are steady. Their compilers get equal chances, also if one storage
     * has answered more.
     */
    private void warmUp(WeirProcess one, WeirProcess other) throws IOException {
        double before = 0;
        double otherBefore = 0;
        for (int turn = 0; turn < WARM_UP_TURNS; turn++) {
            double now = saturate(one).rate();
            double otherNow = saturate(other).rate();
            if (isSteady(before, now) && isSteady(otherBefore, otherNow)) {
                return;
            }
            before = now;
            otherBefore = otherNow;
        }
        progress.println("The rates are not steady after " + WARM_UP_TURNS + " turns of warm-up.");
        progress.flush();
    }

    private static boolean isSteady(double before, double now) {
        return Math.abs(now - before) < STEADY * before;
    }

    private CheckPoint saturate(WeirProcess storage) throws IOException {
        Contender contender = new Contender("Weir", storage.address(), Rule.COUNT, null, 1);
        double before = ProcessorTime.of(storage.pid());
        StreamResult result = contender.saturate(MIX, Dataset.population(hashes), OUTSTANDING, Duration.ZERO, measured)
                .first();
        double used = ProcessorTime.of(storage.pid()) - before;
        return new CheckPoint(result.rate(), used / result.answered(), 0,
                result.wrong() + result.refused(), result.missing());
    }

    private CheckPoint beside(WeirProcess leader, WeirProcess follower)
            throws IOException, InterruptedException {
        BackgroundLoad<LearnResult> learning = BackgroundLoad.start("learns", () -> LearnLoad.run(leader.address(),
                new LearnLoad.Plan(CLIENTS, TIMEOUT, 3, true, rate), LEARNED, learned,
                new LearnLoad.Extent.Time(Duration.ZERO, measured)));
        CheckPoint point = saturate(follower);
        LearnResult result = learning.await();
        learned += result.sent();
        if (result.acknowledged().cardinality() < result.sent()) {
            throw new IOException("the leader did not acknowledge all learns");
        }
        return point;
    }
}
