package dev.weir.bench.nodes;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.weir.bench.load.Asker;
import dev.weir.bench.load.BackgroundLoad;
import dev.weir.bench.load.LearnLoad;
import dev.weir.bench.load.LearnResult;
import dev.weir.bench.peer.ProcessorTime;
import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.load.population.Population;
import dev.weir.wire.reply.Reply;

/** Kills a standby and then its leader under a load of learns, and looks for everything that was acknowledged. */
final class KillMeasurement {
    private static final Population POPULATION = new Population(0x6b69_6c6c_0000_0000L, 0);
    private static final int CLIENTS = 1024;
    private static final int ASKERS = 16;

    /** A client waits longer than the leader waits for the standby. */
    private static final Duration TIMEOUT = Duration.ofSeconds(7);

    private final ReplicatedPair pair;
    private final int rate;
    private final Duration part;
    private final List<String> complaints = new ArrayList<>();
    private int learned;

    /**
     * What happened.
     *
     * @param quiet learns before anything is killed
     * @param leaderTime seconds of a processor that each of these took at the leader
     * @param standbyTime seconds of a processor that each of these took at the standby
     * @param standby learns while the standby is killed and starts again
     * @param leader learns until the leader is killed
     * @param away time from the kill of the standby until it follows again
     * @param promoted time from the kill of the leader until the standby leads
     * @param acknowledged number of learns that were acknowledged in all
     * @param complaints what is missing or wrong; empty if nothing is
     */
    record Result(LearnResult quiet, double leaderTime, double standbyTime, LearnResult standby, LearnResult leader,
            Duration away, Duration promoted, int acknowledged, List<String> complaints) {}

    /**
     * Prepares a measurement.
     *
     * @param command the command line that runs {@code weir}
     * @param rate learns a second
     * @param part how long each of the three parts of the load lasts
     */
    KillMeasurement(Workspace workspace, List<String> command, int rate, Duration part) throws IOException {
        this.pair = new ReplicatedPair(workspace, command, "acknowledge = \"replicated\";");
        this.rate = rate;
        this.part = part;
    }

    /** Measures. The processes that are left are ended with the workspace. */
    Result run() throws IOException, InterruptedException {
        WeirProcess leader = pair.lead(pair.first());
        WeirProcess standby = pair.follow(pair.second());
        ReplicatedPair.awaitFollowing(standby, 0);
        // The first part warms both up.
        LearnResult all = finish(load(leader, part));
        double leaderTime = ProcessorTime.of(leader.pid());
        double standbyTime = ProcessorTime.of(standby.pid());
        LearnResult quiet = finish(load(leader, part));
        double quietly = quiet.acknowledged().cardinality();
        leaderTime = (ProcessorTime.of(leader.pid()) - leaderTime) / quietly;
        standbyTime = (ProcessorTime.of(standby.pid()) - standbyTime) / quietly;
        BackgroundLoad<LearnResult> running = load(leader, part);
        Thread.sleep(part.dividedBy(3));
        long killed = System.nanoTime();
        standby.close();
        standby = pair.follow(pair.second());
        ReplicatedPair.awaitFollowing(standby, 0);
        Duration away = Duration.ofNanos(System.nanoTime() - killed);
        LearnResult without = finish(running);
        running = load(leader, part.multipliedBy(2));
        Thread.sleep(part);
        killed = System.nanoTime();
        leader.close();
        int status = standby.control("/promote").path("status").asInt(-1);
        Duration promoted = Duration.ofNanos(System.nanoTime() - killed);
        if (status != 0) {
            throw new IOException("the standby is not promoted");
        }
        LearnResult last = finish(running);
        all = all.plus(quiet).plus(without).plus(last);
        check("the promoted standby", standby, all.acknowledged());
        WeirProcess returned = pair.follow(pair.first());
        ReplicatedPair.awaitFollowing(returned, standby.control("/status").path("revision").asLong(0));
        check("the old leader, which follows now,", returned, all.acknowledged());
        return new Result(quiet, leaderTime, standbyTime, without, last, away, promoted,
                all.acknowledged().cardinality(), complaints);
    }

    /** Starts a load of new hashes. */
    private BackgroundLoad<LearnResult> load(WeirProcess leader, Duration time) {
        int first = learned;
        return BackgroundLoad.start("learns", () -> LearnLoad.run(leader.address(),
                new LearnLoad.Plan(CLIENTS, TIMEOUT, 0, true, rate), POPULATION, first,
                new LearnLoad.Extent.Time(Duration.ZERO, time)));
    }

    private LearnResult finish(BackgroundLoad<LearnResult> load) throws IOException, InterruptedException {
        LearnResult result = load.await();
        learned += result.sent();
        return result;
    }

    /** Each hash was learned once, so a learn that is lost or counts twice shows in its value. */
    private void check(String who, WeirProcess node, BitSet acknowledged) throws IOException, InterruptedException {
        int wrong = 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(ASKERS)) {
            List<Future<Integer>> parts = new ArrayList<>();
            for (int i = 0; i < ASKERS; i++) {
                int remainder = i;
                parts.add(threads.submit(() -> wrong(node, acknowledged, remainder)));
            }
            for (Future<Integer> part : parts) {
                wrong += part.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("the storage cannot be asked", e.getCause());
        }
        if (wrong > 0) {
            complaints.add(String.format(Locale.ROOT, "%s lacks %,d of %,d acknowledged learns, or has other values",
                    who, wrong, acknowledged.cardinality()));
        }
    }

    private static int wrong(WeirProcess node, BitSet acknowledged, int remainder) throws IOException {
        int wrong = 0;
        try (Asker asker = new Asker(node.address())) {
            for (int n = acknowledged.nextSetBit(0); n >= 0; n = acknowledged.nextSetBit(n + 1)) {
                if (n % ASKERS == remainder) {
                    Reply reply = asker.check(POPULATION.digest(n))
                            .orElseThrow(() -> new IOException("the storage does not answer"));
                    wrong += POPULATION.isAnswer(n, reply) ? 0 : 1;
                }
            }
        }
        return wrong;
    }
}
