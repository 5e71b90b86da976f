package dev.weir.scan.retry;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import dev.weir.scan.retry.PendingUpdate.Content;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Updates that a server did not confirm: kept in a file, sent again with growing pauses, gone once the server confirms
 * or refuses. Survives restarts and crashes.
 *
 * <p>The updates of one server keep their order, and a newer update of the same digest must be queued
 * behind ({@link #holds}). An update counts at least once: where the confirmation was lost, or the process died before
 * it
 * was noted, it is sent again, with its old tag, by which Weir's storage tells a repetition within half a minute;
 * Rspamd's
 * does not, and adds the weight twice.
 *
 * <p>Bounded: {@value #MOST} updates; what does not fit is not kept and its caller is told so. Thread-safe.
 */
public final class RetryQueue implements AutoCloseable {
    /** Updates that wait at most; some 27 MB of file and memory. */
    public static final int MOST = 65_536;
    private static final int BATCH = 64;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(RetryQueue.class);

    private final RetryLog log;
    private final Delivery delivery;
    private final Duration firstPause;
    private final Clock clock;
    private final ScheduledThreadPoolExecutor thread;
    /** Guarded by this object; changed by the thread only. */
    private final SequencedMap<Long, PendingUpdate> pending;
    /** How many updates of a digest wait for a server: what {@link #holds} looks into, from any thread. */
    private final Map<Waiting, Integer> waiting = new ConcurrentHashMap<>();
    /** Servers that something is on its way to, or that wait for their next attempt. For the thread. */
    private final Map<String, Duration> pauses = new HashMap<>();
    private volatile Duration longestPause;

    private record Waiting(String server, ByteBuffer digest) {
        static Waiting of(PendingUpdate update) {
            return new Waiting(update.server(), ByteBuffer.wrap(update.content().digest()));
        }
    }

    /** What became of an update. */
    public enum Verdict {
        /** The server has it. */
        CONFIRMED,
        /** The server does not want it; asking again is of no use. */
        REFUSED,
        /** The server did not answer. */
        NO_ANSWER,
        /** No rule has that server any more. */
        NO_SUCH_SERVER
    }

    /** Sends updates. */
    @FunctionalInterface
    public interface Delivery {
        /** Sends updates of one rule to one server; a verdict for each of them. */
        CompletableFuture<List<Verdict>> deliver(String rule, String server, List<Content> updates);
    }

    private RetryQueue(RetryLog.Opened opened, Delivery delivery, Duration firstPause, Duration longestPause,
            Clock clock) {
        this.log = opened.log();
        this.pending = opened.pending();
        this.delivery = delivery;
        this.firstPause = firstPause;
        this.longestPause = longestPause;
        this.clock = clock;
        pending.values().forEach(update -> waiting.merge(Waiting.of(update), 1, Integer::sum));
        this.thread = new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().name("weir-retry").daemon().factory());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Opens a queue and begins to send what is in it.
     *
     * @param longestPause between two attempts at one server
     * @throws IOException if the file cannot be used
     */
    public static RetryQueue open(Path file, Delivery delivery, Duration longestPause) throws IOException {
        return open(file, delivery, FIRST_PAUSE, longestPause, Clock.systemUTC());
    }

    static RetryQueue open(Path file, Delivery delivery, Duration firstPause, Duration longestPause, Clock clock)
            throws IOException {
        RetryLog.Opened opened = RetryLog.open(file);
        if (opened.cutBytes() > 0) {
            LOG.warn("cut {} half-written bytes off the retry queue {}", opened.cutBytes(), file);
        }
        RetryQueue queue = new RetryQueue(opened, delivery, firstPause, longestPause, clock);
        if (!opened.pending().isEmpty()) {
            LOG.info("{} updates wait in the retry queue {}", opened.pending().size(), file);
        }
        queue.thread.execute(queue::schedule);
        return queue;
    }

    /** Goes on with another longest pause between two attempts at one server. */
    public void retune(Duration pause) {
        longestPause = pause;
    }

    /** How many updates wait. */
    public synchronized int size() {
        return pending.size();
    }

    /** Whether an update of this digest waits for the server, so that a newer one must wait behind it. */
    public boolean holds(String server, byte[] digest) {
        return !waiting.isEmpty() && waiting.containsKey(new Waiting(server, ByteBuffer.wrap(digest)));
    }

    /**
     * Keeps updates.
     *
     * @return how many of them, counted from the front, are on the disk: less than all if the queue or the disk is full
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
            LOG.error("the retry queue is full: {} updates are lost", updates.size() - fitting.size());
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
            LOG.error("the retry queue cannot be written: {} updates are lost", updates.size(), e);
            return 0;
        }
        schedule();
        return fitting.size();
    }

    /** Makes sure that every server that something waits for has an attempt to come. */
    private void schedule() {
        List<String> servers;
        synchronized (this) {
            servers = pending.values().stream().map(PendingUpdate::server).distinct().toList();
        }
        for (String server : servers) {
            if (pauses.putIfAbsent(server, firstPause) == null) {
                later(server, firstPause);
            }
        }
    }

    private void later(String server, Duration pause) {
        double jitter = 0.75 + 0.5 * ThreadLocalRandom.current().nextDouble();
        try {
            var _ = thread.schedule(() -> attempt(server), (long) (pause.toNanos() * jitter),
                    TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("the queue closes");
        }
    }

    private void attempt(String server) {
        List<PendingUpdate> batch = nextBatch(server);
        if (batch.isEmpty()) {
            pauses.remove(server);
            return;
        }
        CompletableFuture<List<Verdict>> verdicts;
        try {
            verdicts = delivery.deliver(batch.getFirst().rule(), server,
                    batch.stream().map(PendingUpdate::content).toList());
        } catch (RuntimeException e) {
            // Without a verdict there would be no further attempt at this server.
            LOG.error("updates for {} could not be sent; they are tried again", server, e);
            verdicts = CompletableFuture.failedFuture(e);
        }
        try {
            var _ = verdicts.whenCompleteAsync((found, error) -> settle(server, batch,
                    error == null && found.size() == batch.size()
                            ? found
                            : batch.stream().map(update -> Verdict.NO_ANSWER).toList()),
                    thread);
        } catch (RejectedExecutionException e) {
            LOG.debug("the queue closes");
        }
    }

    /** The oldest updates of a server, as many in a row as are of one rule. */
    private synchronized List<PendingUpdate> nextBatch(String server) {
        List<PendingUpdate> batch = new ArrayList<>();
        for (PendingUpdate update : pending.values()) {
            if (update.server().equals(server)) {
                if (batch.size() == BATCH
                        || (!batch.isEmpty() && !batch.getFirst().rule().equals(update.rule()))
                        || batch.stream().anyMatch(other -> other.isAbout(server, update.content().digest()))) {
                    // Two updates of one digest never share a batch: datagrams overtake each other.
                    break;
                }
                batch.add(update);
            }
        }
        return batch;
    }

    private void settle(String server, List<PendingUpdate> batch, List<Verdict> verdicts) {
        List<PendingUpdate> ended = new ArrayList<>();
        Map<Verdict, Integer> counts = new LinkedHashMap<>();
        for (int i = 0; i < batch.size(); i++) {
            counts.merge(verdicts.get(i), 1, Integer::sum);
            if (verdicts.get(i) != Verdict.NO_ANSWER) {
                ended.add(batch.get(i));
            }
        }
        if (!ended.isEmpty()) {
            LOG.info("retry queue: {} of {} updates for {} ended: {}", ended.size(), batch.size(), server, counts);
            finish(ended);
        }
        Duration pause = ended.size() == batch.size()
                ? Duration.ZERO
                : doubled(pauses.getOrDefault(server, firstPause));
        pauses.put(server, pause.isZero() ? firstPause : pause);
        later(server, pause);
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
            // They are sent again after a restart; until then the memory knows better.
            LOG.error("the retry queue cannot be written", e);
        }
    }

    /** Stops; what waits is sent after the next start. */
    @Override
    public void close() {
        // Not shutdownNow: an interrupt would close the file under the update that is being written.
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
