package dev.weir.bench.nodes;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.bench.load.Asker;
import dev.weir.bench.load.BackgroundLoad;
import dev.weir.bench.load.LearnLoad;
import dev.weir.bench.load.LearnResult;
import dev.weir.bench.peer.ProcessorTime;
import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.speed.Dataset;
import dev.weir.bench.speed.Pinning;
import dev.weir.load.population.Population;

/** Measures the first copy of a follower while its leader learns. */
final class CopyMeasurement {
    private static final Pattern COPIED = Pattern.compile("copied (\\d+) hashes with update \\d+ from the leader: "
            + "(\\d+) MiB in (\\d+) s");
    private static final Population LEARNED = new Population(0x636f_7079_0000_0000L, 0);
    private static final int CLIENTS = 64;
    private static final int SAMPLE = 1000;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration STEP = Duration.ofSeconds(1);
    private static final int QUIET_STEPS = 10;

    private final Workspace workspace;
    private final List<String> command;
    private final long hashes;
    private final int rate;
    private final PrintWriter progress;

    /**
     * What happened.
     *
     * @param copied number of hashes of the copy
     * @param mebibytes what the leader sent for them
     * @param copy the time until the copy was complete
     * @param whole the time from the start of the follower until it answered and had all updates
     * @param leaderTime seconds of a processor that the leader used meanwhile
     * @param followerTime seconds of a processor that the follower used
     * @param before learns at the leader before the follower started
     * @param meanwhile learns at the leader until the follower had everything
     * @param wrong hashes of a sample that the follower lacks, or that have another value
     */
    record Result(long copied, long mebibytes, Duration copy, Duration whole, double leaderTime, double followerTime,
            LearnResult before, LearnResult meanwhile, int wrong) {}

    /**
     * Prepares a measurement.
     *
     * @param command the command line that runs {@code weir}
     * @param hashes the number of hashes that the leader has at first
     * @param rate learns a second
     */
    CopyMeasurement(Workspace workspace, List<String> command, long hashes, int rate, PrintWriter progress) {
        this.workspace = workspace;
        this.command = command;
        this.hashes = hashes;
        this.rate = rate;
        this.progress = progress;
    }

    Result run() throws IOException, InterruptedException {
        ReplicatedPair pair = new ReplicatedPair(workspace, command, "");
        Path filled = new Dataset(workspace.folder(), command, Pinning.none(), progress).weir(hashes, true);
        Files.move(filled, pair.first().data());
        try (WeirProcess leader = pair.lead(pair.first())) {
            LearnResult before = learn(leader, 0, QUIET_STEPS, new AtomicBoolean());
            AtomicBoolean enough = new AtomicBoolean();
            double leaderTime = ProcessorTime.of(leader.pid());
            long begun = System.nanoTime();
            BackgroundLoad<LearnResult> learning = BackgroundLoad.start("learns",
                    () -> learn(leader, before.sent(), Integer.MAX_VALUE, enough));
            try (WeirProcess follower = pair.follow(pair.second())) {
                ReplicatedPair.awaitFollowing(follower,
                        leader.control("/status").path("revision").asLong(Long.MAX_VALUE));
                Duration whole = Duration.ofNanos(System.nanoTime() - begun);
                double leaderUsed = ProcessorTime.of(leader.pid()) - leaderTime;
                double followerUsed = ProcessorTime.of(follower.pid());
                enough.set(true);
                LearnResult meanwhile = learning.await();
                ReplicatedPair.awaitFollowing(follower,
                        leader.control("/status").path("revision").asLong(Long.MAX_VALUE));
                String log = Files.readString(follower.log());
                Matcher copied = COPIED.matcher(log);
                if (!copied.find()) {
                    throw new IOException("the follower has not copied its leader:\n" + log);
                }
                return new Result(Long.parseLong(copied.group(1)), Long.parseLong(copied.group(2)),
                        Duration.ofSeconds(Long.parseLong(copied.group(3))), whole, leaderUsed, followerUsed, before,
                        meanwhile, wrong(follower, before, meanwhile));
            } finally {
                enough.set(true);
            }
        }
    }

    /** Learns in steps of a second until enough is learned. */
    private LearnResult learn(WeirProcess leader, int first, int steps, AtomicBoolean enough) throws IOException {
        LearnLoad.Plan plan = new LearnLoad.Plan(CLIENTS, TIMEOUT, 3, true, rate);
        LearnLoad.Extent.Time time = new LearnLoad.Extent.Time(Duration.ZERO, STEP);
        LearnResult all = LearnLoad.run(leader.address(), plan, LEARNED, first, time);
        for (int i = 1; i < steps && !enough.get(); i++) {
            all = all.plus(LearnLoad.run(leader.address(), plan, LEARNED, first + all.sent(), time));
        }
        return all;
    }

    /** Asks the follower for some hashes of the copy and some that were learned meanwhile. */
    private int wrong(WeirProcess follower, LearnResult before, LearnResult meanwhile) throws IOException {
        Population stored = Dataset.population(hashes);
        SplittableRandom random = new SplittableRandom(hashes);
        int wrong = 0;
        try (Asker asker = new Asker(follower.address())) {
            for (int i = 0; i < SAMPLE; i++) {
                wrong += isRight(asker, stored, random.nextLong(hashes)) ? 0 : 1;
                wrong += some(random, asker, before) + some(random, asker, meanwhile);
            }
        }
        return wrong;
    }

    private static int some(SplittableRandom random, Asker asker, LearnResult learns) throws IOException {
        if (learns.acknowledged().isEmpty()) {
            return 0;
        }
        int number = learns.acknowledged().nextSetBit(random.nextInt(learns.acknowledged().length()));
        return isRight(asker, LEARNED, number) ? 0 : 1;
    }

    private static boolean isRight(Asker asker, Population population, long number) throws IOException {
        return asker.check(population.digest(number)).filter(reply -> population.isAnswer(number, reply)).isPresent();
    }
}
