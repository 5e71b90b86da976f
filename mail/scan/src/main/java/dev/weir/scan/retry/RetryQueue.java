package dev.weir.scan.retry;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import dev.weir.scan.retry.PendingUpdate.Content;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A durable queue of updates that a server has not confirmed. It stores them in a file, sends them again with growing
 * pauses, and removes each once the server confirms or refuses it. It survives restarts and crashes.
 *
 * <p>The updates of one rule and server keep their order, and a newer update of a queued digest must be queued too
 * ({@link #holds}). One that the server cannot store now lets those of other digests pass. Rules do not wait for each
 * other, because a server may answer one key and not another.
 *
 * <p>Delivery is at least once: if a confirmation is lost, or the process ends before recording it, the update is sent
 * again with the same tag, from the same port if that is free. Weir's storage recognizes the repetition within half a
 * minute of the last one, so pauses
 * are shorter than that; Rspamd's adds the weight twice.
 *
 * <p>The queue holds at most {@value #MOST} updates. It rejects further ones and reports that to the caller.
 * Thread-safe.
 */
public final class RetryQueue implements AutoCloseable {
    /** The maximum number of pending updates. */
    public static final int MOST = 65_536;
    private static final int BATCH = 64;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    /** With the attempts themselves, less than the time for which Weir's storage recognizes a repetition. */
    private static final Duration MOST_PAUSE = Duration.ofSeconds(15);
    private static final Logger LOG = LoggerFactory.getLogger(RetryQueue.class);

    private final RetryLog log;
    private final Delivery delivery;
    private final Duration firstPause;
    private final Clock clock;
    private final ScheduledThreadPoolExecutor thread;
    /** Guarded by this object. Only the queue's thread modifies it. */
    private final SequencedMap<Long, PendingUpdate> pending;
    /** The number of pending updates for each target and digest, which {@link #holds} reads from any thread. */
    private final Map<Waiting, Integer> waiting = new ConcurrentHashMap<>();
    /** Targets with a delivery in progress or a scheduled attempt. For the queue's thread only. */
    private final Map<Target, Duration> pauses = new HashMap<>();
    /**
     * The number of the last update that a target could not store now; the next attempt begins behind it. For the
     * queue's thread only.
     */
    private final Map<Target, Long> postponed = new HashMap<>();
    private final LongAdder refused = new LongAdder();
    private final Optional<String> damage;
    private volatile Duration longestPause;

    /** A server of a rule. */
    private record Target(String rule, String server) {
        static Target of(PendingUpdate update) {
            return new Target(update.rule(), update.server());
        }

        boolean isOf(PendingUpdate update) {
            return server.equals(update.server()) && rule.equals(update.rule());
        }
    }

    private record Waiting(Target target, ByteBuffer digest) {
        static Waiting of(PendingUpdate update) {
            return new Waiting(Target.of(update), update.digest());
        }
    }

    /** The outcome of delivering an update. */
    public enum Verdict {
        /** The server confirmed the update. */
        CONFIRMED,
        /** The server refused the update; another attempt is pointless. */
        REFUSED,
        /** The server answered that it cannot store the update now. */
        NOT_NOW,
        /** The server did not answer. */
        NO_ANSWER,
        /** No rule has that server any more. */
        NO_SUCH_SERVER
    }

    /** The transport of updates. */
    @FunctionalInterface
    public interface Delivery {
        /** Sends updates of one rule to one server and returns a verdict for each of them. */
        CompletableFuture<List<Verdict>> deliver(String rule, String server, List<Content> updates);
    }

    private RetryQueue(RetryLog.Opened opened, Delivery delivery, Duration firstPause, Duration longestPause,
            Clock clock) {
        this.log = opened.log();
        this.pending = opened.pending();
        this.damage = opened.sentence();
        this.delivery = delivery;
        this.firstPause = firstPause;
        this.longestPause = atMost(longestPause);
        this.clock = clock;
        pending.values().forEach(update -> waiting.merge(Waiting.of(update), 1, Integer::sum));
        this.thread = new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().name("weir-retry").daemon().factory());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Opens a queue and begins to send its updates.
     *
     * @param longestPause the maximum pause between two attempts at one server; longer ones than 15 s count as that
     * @throws IOException if the file is unusable
     */
    public static RetryQueue open(Path file, Delivery delivery, Duration longestPause) throws IOException {
        return open(file, delivery, FIRST_PAUSE, longestPause, Clock.systemUTC());
    }

    static RetryQueue open(Path file, Delivery delivery, Duration firstPause, Duration longestPause, Clock clock)
            throws IOException {
        RetryLog.Opened opened = RetryLog.open(file);
        if (opened.sentence().isPresent()) {
            LOG.error("{}", opened.sentence().get());
        } else if (opened.cutBytes() > 0) {
            LOG.warn("removed {} bytes of an incomplete record from the retry queue {}", opened.cutBytes(), file);
        }
        RetryQueue queue = new RetryQueue(opened, delivery, firstPause, longestPause, clock);
        if (!opened.pending().isEmpty()) {
            LOG.info("updates that wait in the retry queue {}: {}", file, opened.pending().size());
        }
        queue.thread.execute(queue::schedule);
        return queue;
    }

    /** Changes the maximum pause between two attempts at one server. */
    public void retune(Duration pause) {
        longestPause = atMost(pause);
    }

    Duration longestPause() {
        return longestPause;
    }

    private static Duration atMost(Duration pause) {
        return pause.compareTo(MOST_PAUSE) > 0 ? MOST_PAUSE : pause;
    }

    /** Returns a sentence about the file, if it was damaged when this was opened. */
    public Optional<String> damage() {
        return damage;
    }

    /** Returns the number of updates since the start that a server refused for good. */
    public long refused() {
        return refused.sum();
    }

    /** Returns the number of pending updates. */
    public synchronized int size() {
        return pending.size();
    }

    /** Returns the pending updates. */
    public synchronized List<PendingUpdate> pending() {
        return List.copyOf(pending.values());
    }

    /**
     * Returns whether an update of this digest waits for the server of the rule, so that a newer one must be queued
     * behind it.
     */
    public boolean holds(String rule, String server, byte[] digest) {
        return !waiting.isEmpty()
                && waiting.containsKey(new Waiting(new Target(rule, server), ByteBuffer.wrap(digest)));
    }

    /**
     * Stores updates.
     *
     * @return how many of them, from the first on, are on disk: fewer than all if the queue or the disk is full
     */
    public CompletableFuture<Integer> add(List<Content> updates) {
        try {
            return CompletableFuture.supplyAsync(() -> keep(updates), thread);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(0);
        }
    }

    private int keep(List<Content> updates) {
        List<Content> fitting = updates.subList(0, Math.min(updates.size(), Math.max(0, MOST - size())));
        if (fitting.size() < updates.size()) {
            LOG.error("the retry queue is full; updates lost: {}", updates.size() - fitting.size());
        }
        if (fitting.isEmpty()) {
            return 0;
        }
        try {
            List<PendingUpdate> added = log.add(fitting, clock.instant().getEpochSecond());
            synchronized (this) {
                for (PendingUpdate update : added) {
                    pending.put(update.id(), update);
                    waiting.merge(Waiting.of(update), 1, Integer::sum);
                }
            }
        } catch (IOException e) {
            LOG.error("writing the retry queue failed; updates lost: {}", updates.size(), e);
            return 0;
        }
        schedule();
        return fitting.size();
    }

    /** Schedules an attempt for every target that has pending updates and no scheduled attempt. */
    private void schedule() {
        List<Target> targets;
        synchronized (this) {
            targets = pending.values().stream().map(Target::of).distinct().toList();
        }
        for (Target target : targets) {
            if (pauses.putIfAbsent(target, firstPause) == null) {
                later(target, firstPause);
            }
        }
    }

    private void later(Target target, Duration pause) {
        double jitter = 0.75 + 0.5 * ThreadLocalRandom.current().nextDouble();
        try {
            var _ = thread.schedule(() -> attempt(target), (long) (pause.toNanos() * jitter),
                    TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("the queue closes");
        }
    }

    private void attempt(Target target) {
        List<PendingUpdate> batch = nextBatch(target, postponed.getOrDefault(target, 0L));
        if (batch.isEmpty() && postponed.remove(target) != null) {
            batch = nextBatch(target, 0);
        }
        if (batch.isEmpty()) {
            pauses.remove(target);
            return;
        }
        CompletableFuture<List<Verdict>> verdicts;
        try {
            verdicts = delivery.deliver(target.rule(), target.server(),
                    batch.stream().map(PendingUpdate::content).toList());
        } catch (RuntimeException e) {
            // Without a verdict, no further attempt at this target would follow.
            LOG.error("updates for {} could not be sent; they will be tried again", target.server(), e);
            verdicts = CompletableFuture.failedFuture(e);
        }
        List<PendingUpdate> sent = batch;
        try {
            var _ = verdicts.whenCompleteAsync((found, error) -> settle(target, sent,
                    error == null && found.size() == sent.size()
                            ? found
                            : sent.stream().map(update -> Verdict.NO_ANSWER).toList()),
                    thread);
        } catch (RejectedExecutionException e) {
            LOG.debug("the queue closes");
        }
    }

    /**
     * Returns the oldest updates of a target behind a number, except those that must not overtake an earlier update of
     * the same digest.
     */
    private synchronized List<PendingUpdate> nextBatch(Target target, long behind) {
        List<PendingUpdate> batch = new ArrayList<>();
        Set<ByteBuffer> earlier = new HashSet<>();
        for (PendingUpdate update : pending.values()) {
            if (!target.isOf(update)) {
                continue;
            }
            boolean first = earlier.add(update.digest());
            if (update.id() <= behind) {
                continue;
            }
            if (batch.size() == BATCH) {
                break;
            }
            // Two updates of one digest never share a batch, because datagrams can overtake each other.
            if (first) {
                batch.add(update);
            } else if (behind == 0) {
                break;
            }
        }
        return batch;
    }

    private void settle(Target target, List<PendingUpdate> batch, List<Verdict> verdicts) {
        List<PendingUpdate> ended = new ArrayList<>();
        Map<Verdict, Integer> counts = new LinkedHashMap<>();
        for (int i = 0; i < batch.size(); i++) {
            Verdict verdict = verdicts.get(i);
            counts.merge(verdict, 1, Integer::sum);
            if (verdict != Verdict.NO_ANSWER && verdict != Verdict.NOT_NOW) {
                ended.add(batch.get(i));
            }
        }
        refused.add(counts.getOrDefault(Verdict.REFUSED, 0));
        if (!ended.isEmpty()) {
            LOG.info("retry queue: {} of {} updates for {} ended: {}", ended.size(), batch.size(), target.server(),
                    counts);
            finish(ended);
        }
        if (counts.containsKey(Verdict.NO_ANSWER)) {
            postponed.remove(target);
        } else if (counts.containsKey(Verdict.NOT_NOW)) {
            postponed.put(target, batch.getLast().id());
        }
        Duration pause = ended.size() == batch.size()
                ? Duration.ZERO
                : doubled(pauses.getOrDefault(target, firstPause));
        pauses.put(target, pause.isZero() ? firstPause : pause);
        later(target, pause);
    }

    private Duration doubled(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(longestPause) > 0 ? longestPause : twice;
    }

    private void finish(List<PendingUpdate> ended) {
        synchronized (this) {
            for (PendingUpdate update : ended) {
                pending.remove(update.id());
                waiting.computeIfPresent(Waiting.of(update), (key, count) -> count == 1 ? null : count - 1);
            }
        }
        try {
            log.end(ended);
            List<PendingUpdate> left;
            synchronized (this) {
                left = List.copyOf(pending.values());
            }
            log.shrink(left);
        } catch (IOException | RuntimeException e) {
            // After a restart these updates are sent again. Until then, memory has the correct state.
            LOG.error("writing the retry queue failed", e);
        }
    }

    /** Stops the queue. Pending updates are sent after the next start. */
    @Override
    public void close() {
        // Not shutdownNow: an interrupt would close the file during a write.
        thread.shutdown();
        boolean interrupted = false;
        while (true) {
            try {
                if (thread.awaitTermination(1, TimeUnit.MINUTES)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        try {
            log.close();
        } catch (IOException e) {
            LOG.warn("the retry queue did not close", e);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
