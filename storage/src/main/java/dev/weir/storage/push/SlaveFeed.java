package dev.weir.storage.push;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

import dev.weir.model.Digest;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LogHold;
import dev.weir.storage.log.UpdateLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The side of a master: it sends the updates of the log to one slave, each batch until the slave has it. It notes a
 * batch durably before it sends it and after the slave took it. A batch keeps its number until the slave took it, so a
 * slave that has it already refuses it. {@link #run} is for one thread.
 *
 * <p>Rspamd answers 200 also if it refused a batch because of its number. So the feed asks the slave, as a client does,
 * for a hash that the slave lacked before. If it still lacks it, the feed sends the batch again with a greater number.
 */
final class SlaveFeed implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(SlaveFeed.class);

    /** The most updates in one batch, in about 3 MB. */
    private static final int MAX_BATCH = 10_000;

    /** The most that the log keeps for a slave that is away. */
    private static final long MAX_HELD = 1L << 30;

    /** The most hashes that are looked for before a batch is sent. */
    private static final int PROBES = 4;

    private static final Duration RAISED_PAUSE = Duration.ofMillis(100);
    private static final Duration LAST_PAUSE = Duration.ofMinutes(1);
    private static final long STEP = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LARGEST = 0xffff_ffffL;

    private final PushSettings.Slave slave;
    private final PushState state;
    private final PushSource source;
    private final UpdateLog log;
    private final PushTransport transport;
    private final Duration sync;
    private final Patience patience;
    private final LongAdder batches = new LongAdder();
    private final LongAdder updates = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private final LongAdder unproven = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final LongAdder untold = new LongAdder();
    private final LogHold hold;
    private volatile boolean closed;
    private volatile String failure = "";
    private volatile long position;
    private volatile long revision;
    private int raised;
    private boolean again;

    /**
     * How long a feed waits.
     *
     * @param visible until a hash of a batch must be there
     * @param firstPause after the first failure
     */
    record Patience(Duration visible, Duration firstPause) {
        static final Patience USUAL = new Patience(Duration.ofSeconds(5), Duration.ofSeconds(1));
    }

    /**
     * Creates a feed that begins with the next update if the slave is new.
     *
     * @param first the number before that of the first batch for a new slave
     * @param sync the time between two batches
     */
    SlaveFeed(PushSettings.Slave slave, PushState state, PushSource source, UpdateLog log, PushTransport transport,
            Duration sync, long first, Patience patience) throws StorageException {
        this.patience = patience;
        this.slave = slave;
        this.state = state;
        this.source = source;
        this.log = log;
        this.transport = transport;
        this.sync = sync;
        PushState.Progress known = state.slave(slave.name());
        long tip = log.tip().revision();
        if (known == null) {
            known = new PushState.Progress(log.storageId(), tip, first, 0);
            state.slave(slave.name(), known);
            LOG.info("slave {} gets the updates from now on; the hashes that the storage already has need a "
                    + "copy", slave.name());
        } else if (known.storage() != log.storageId() || known.position() > tip) {
            LOG.warn("slave {} had come to update {} of another history: it gets the updates from now on, and needs a "
                    + "fresh copy", slave.name(), known.position());
            known = new PushState.Progress(log.storageId(), tip, known.revision() + 1, 0);
            state.slave(slave.name(), known);
        }
        this.position = known.position();
        this.revision = known.revision();
        // The batch may have reached the slave before the last stop.
        this.again = known.end() != 0;
        this.hold = log.hold(position, MAX_HELD);
    }

    PushNode.Slave figures() {
        return new PushNode.Slave(slave.name(), Math.max(0, log.tip().revision() - position), revision, batches.sum(),
                updates.sum(), failures.sum(), refusals.sum(), unproven.sum(), lost.sum(), untold.sum(), failure);
    }

    /** Makes {@link #run} return after one more attempt to send what is there. */
    void close() {
        closed = true;
    }

    @Override
    public void run() {
        Duration pause = patience.firstPause();
        try {
            while (true) {
                boolean last = closed;
                if (last ? log.tip().revision() > position : log.awaitAfter(position, Duration.ofMillis(500))) {
                    boolean sent = attempt();
                    if (!sent && raised > 0) {
                        pauseFor(RAISED_PAUSE);
                    } else if (!sent) {
                        pauseFor(pause);
                        pause = pause.multipliedBy(2).compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : pause.multipliedBy(2);
                    } else {
                        pause = patience.firstPause();
                        if (log.tip().revision() - position < MAX_BATCH) {
                            pauseFor(sync);
                        }
                    }
                }
                if (last) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            log.release(hold);
        }
    }

    private void pauseFor(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        while (!closed && System.nanoTime() - until < 0) {
            LockSupport.parkNanos(this, Math.min(STEP, Math.max(1, until - System.nanoTime())));
        }
    }

    private boolean attempt() throws InterruptedException {
        try {
            send();
            if (!failure.isEmpty()) {
                LOG.info("slave {} gets updates again", slave.name());
            }
            failure = "";
            return true;
        } catch (IOException | StorageException e) {
            failed(String.valueOf(e.getMessage()), null);
            return false;
        } catch (RuntimeException e) {
            failed("an unexpected failure: " + e, e);
            return false;
        }
    }

    private void failed(String reason, @Nullable RuntimeException unexpected) {
        failures.increment();
        if (!reason.equals(failure)) {
            LOG.warn("slave {} gets no updates: {}", slave.name(), reason, unexpected);
        }
        failure = reason;
    }

    private void send() throws IOException, StorageException, InterruptedException {
        PushState.Progress now = new PushState.Progress(log.storageId(), position, revision, 0);
        long tip = log.tip().revision();
        if (!log.has(position + 1)) {
            lost.add(tip - position);
            LOG.error("slave {} was away for too long: it lacks the updates {} to {}, and needs a fresh copy",
                    slave.name(), position + 1, tip);
            // A number is left out, so that the slave notices it as well.
            save(now.taken(next(), tip));
            again = false;
            return;
        }
        PushState.Progress noted = state.slave(slave.name());
        long end = again && noted != null ? noted.end() : Math.min(tip, position + MAX_BATCH);
        PushSource.Commands commands = source.commands(position, end, slave.key().bytes());
        if (!commands.changing()) {
            save(new PushState.Progress(now.storage(), end, revision, 0));
            again = false;
            return;
        }
        state.slave(slave.name(), now.sending(end));
        boolean repeated = again;
        again = true;
        push(commands.elements(), repeated);
        again = false;
        untold.add(commands.untold());
        save(now.taken(next(), end));
        raised = 0;
        batches.increment();
        updates.add(commands.elements().size());
    }

    private long next() {
        return revision >= LARGEST ? LARGEST : revision + 1;
    }

    private void save(PushState.Progress progress) throws StorageException {
        state.slave(slave.name(), progress);
        position = progress.position();
        revision = progress.revision();
        hold.moveTo(position);
    }

    /** Sends a batch to the first host that answers. Returns when the slave has it. */
    private void push(List<PushedUpdates.Element> elements, boolean repeated)
            throws IOException, StorageException, InterruptedException {
        IOException unreachable = new IOException("it has no host");
        for (PushSettings.Host host : slave.hosts()) {
            Optional<Digest> probe = repeated ? Optional.empty() : unknown(host, elements);
            PushTransport.Reply reply;
            try {
                reply = transport.push(slave, host, new PushedUpdates(next(), elements).write());
            } catch (IOException e) {
                unreachable = new IOException(host + ": " + e.getMessage(), e);
                continue;
            }
            judge(host, reply, probe, repeated);
            return;
        }
        throw unreachable;
    }

    private void judge(PushSettings.Host host, PushTransport.Reply reply, Optional<Digest> probe, boolean repeated)
            throws IOException, StorageException, InterruptedException {
        if (reply.status() == 409 && reply.isExact()) {
            if (repeated && reply.revision() == next()) {
                return;
            }
            refuse(host, reply.revision());
        }
        if (reply.status() != 200) {
            throw new IOException(host + " answers " + reply.status());
        }
        if (reply.isExact()) {
            return;
        }
        if (probe.isEmpty()) {
            unproven.increment();
        } else if (!appears(host, probe.get())) {
            raised = Math.min(raised + 1, Integer.SIZE);
            refuse(host, revision + (1L << raised) - 1);
        }
    }

    /** Goes on above the number of the slave. */
    private void refuse(PushSettings.Host host, long theirs) throws IOException, StorageException {
        refusals.increment();
        long before = next();
        if (before >= LARGEST) {
            throw new IOException(host + " refuses every number of a batch");
        }
        PushState.Progress noted = state.slave(slave.name());
        PushState.Progress raisedTo = new PushState.Progress(log.storageId(), position, Math.min(theirs, LARGEST - 1),
                noted == null ? 0 : noted.end());
        save(raisedTo);
        // The slave refused the batch, so it is new to it.
        again = false;
        throw new IOException(host + " did not apply batch " + before + ", because it has a later one; trying "
                + next());
    }

    /** Returns a hash of a batch that the slave lacks, if it says so. */
    private static Optional<Digest> unknown(PushSettings.Host host, List<PushedUpdates.Element> elements) {
        Set<Digest> removed = new HashSet<>();
        List<Digest> added = new ArrayList<>();
        for (int i = elements.size() - 1; i >= 0; i--) {
            PushedUpdates.Element element = elements.get(i);
            if (element.command() == PushedUpdates.DELETE) {
                removed.add(element.digest());
            } else if (element.command() == PushedUpdates.ADD && element.value() > 0
                    && !removed.contains(element.digest()) && !added.contains(element.digest())
                    && added.size() < PROBES) {
                added.add(element.digest());
            }
        }
        for (Digest digest : added) {
            Optional<Boolean> there = SlaveProbe.has(host, digest);
            if (there.isEmpty()) {
                return Optional.empty();
            }
            if (!there.get()) {
                return Optional.of(digest);
            }
        }
        return Optional.empty();
    }

    /** Returns whether the slave has a hash now. A slave that says nothing more is believed. */
    private boolean appears(PushSettings.Host host, Digest digest) {
        long until = System.nanoTime() + patience.visible().toNanos();
        while (System.nanoTime() - until < 0) {
            Optional<Boolean> there = SlaveProbe.has(host, digest);
            if (there.isEmpty()) {
                unproven.increment();
                return true;
            }
            if (there.get()) {
                return true;
            }
            LockSupport.parkNanos(this, STEP);
        }
        return false;
    }
}
