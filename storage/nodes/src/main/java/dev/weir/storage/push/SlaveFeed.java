package dev.weir.storage.push;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

import dev.weir.model.Digest;
import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.ConsumerHealth;
import dev.weir.storage.log.ConsumerStatus;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.LogConsumer;
import dev.weir.storage.log.UpdateLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The side of a master: it sends the updates of the log to one slave, each batch until the slave has it. It notes a
 * batch durably before it sends it and after the slave took it. {@link #run} is for one thread.
 *
 * <p>A slave of Weir says which place in the log it has. If that is another one than the feed has noted, the log
 * decides: if it has this place with the same history, the feed goes on there. Otherwise one of the two was restored or
 * emptied, no one can tell which updates the slave has, and the feed stops and asks.
 *
 * <p>Rspamd knows only numbers of batches. A batch keeps its number until the slave took it, so a slave that has it
 * already refuses it. Rspamd answers 200 also if it refused a batch. So the feed asks the slave, as a client does, for
 * a hash that the slave lacked before. If it still lacks it, and no batch can have reached the slave before, the feed
 * sends the batch again with a greater number; otherwise it stops and asks.
 */
final class SlaveFeed implements LogConsumer, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(SlaveFeed.class);

    /** The most updates in one batch, in about 3 MB. */
    private static final int MAX_BATCH = 10_000;

    /** The most that the log keeps for a slave that is away. */
    private static final long MAX_HELD = 1L << 30;

    /** The most hashes that are looked for before a batch is sent. */
    private static final int PROBES = 4;

    private static final Duration RAISED_PAUSE = Duration.ofMillis(100);
    private static final long STEP = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LARGEST = PushedUpdates.LARGEST;
    private static final String STEP_OUT = ". Nothing is sent, because updates could count twice or be missing: copy "
            + "the database, and give the slave section another name "
            + "(docs/operate/nodes.md#when-a-mirror-stops-and-asks)";

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
    private final LogClaim claim;
    /** Why the noted position does not count; empty if it does. */
    private String strayed = "";
    private volatile boolean closed;
    private final ConsumerHealth health;
    /** Why the feed waits for an operator; empty if it does not. */
    private volatile String stopped = "";
    /** Why the slave may lack updates that it will not get; empty if nothing says so. */
    private volatile String lacking = "";
    /** Whether nothing was noted of the slave, and if so, whether what was noted is lost. */
    private boolean begins;
    private boolean forgotten;
    private volatile SlaveProgress progress;
    private int raised;
    /** Whether the batch after the position may have reached the slave before. */
    private boolean again;
    /** Whether no update after the position was ever sent. */
    private boolean untouched;
    /** Whether the slave must say its place before anything is sent. */
    private volatile boolean asks = true;
    /** Whether the slave has said a place in this run. */
    private boolean placed;
    /** A hash that a batch must have brought to a slave of Rspamd, which lacks it still. */
    private Optional<Digest> missing = Optional.empty();

    /** A condition that only an operator can end. */
    private static final class StoppedException extends IOException {
        private static final long serialVersionUID = 1;

        StoppedException(String message) {
            super(message);
        }
    }

    /**
     * How long a feed waits.
     *
     * @param visible until a hash of a batch must be there
     * @param firstPause after the first failure
     * @param lastPause the longest pause after many failures, and while an operator must decide
     */
    record Patience(Duration visible, Duration firstPause, Duration lastPause) {
        static final Patience USUAL = new Patience(Duration.ofSeconds(5), Duration.ofSeconds(1),
                Duration.ofMinutes(1));
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
        SlaveProgress known = state.slave(slave.name());
        UpdateLog.Tip tip = log.tip();
        if (known == null) {
            this.untouched = true;
            known = new SlaveProgress(tip.revision(), OptionalLong.of(tip.checksum()), first, 0, false);
            state.slave(slave.name(), known);
            this.begins = true;
            this.forgotten = state.isForgotten();
        } else if (!isOwn(known)) {
            this.strayed = "this storage no longer has its own history up to update " + known.position()
                    + ", to which slave " + slave.name() + " had come: it was restored or replaced";
            LOG.error("{}", strayed);
        }
        this.progress = known;
        // The batch may have reached the slave before the last stop.
        this.again = known.end() != 0;
        this.claim = log.claim("slave " + slave.name(), LogClaim.Retention.upTo(MAX_HELD),
                Math.min(known.position(), tip.revision()));
        this.health = new ConsumerHealth(log, claim, known.position(),
                new ConsumerHealth.Words("slave " + slave.name(), "gets no updates", "gets updates"),
                System::nanoTime);
    }

    /** Returns whether the log has the history up to a noted position. */
    private boolean isOwn(SlaveProgress known) throws StorageException {
        if (known.checksum().isEmpty()) {
            return known.position() <= log.tip().revision();
        }
        OptionalLong there = log.checksumAt(known.position());
        // What the log no longer has cannot be sent, which is noticed later.
        return there.isEmpty()
                ? known.position() < log.tip().revision() && !log.has(known.position() + 1)
                : there.getAsLong() == known.checksum().getAsLong();
    }

    @Override
    public ConsumerStatus status() {
        return health.status(closed || !stopped.isEmpty());
    }

    PushNode.Slave figures() {
        SlaveProgress now = progress;
        return new PushNode.Slave(slave.name(), Math.max(0, log.tip().revision() - now.position()), now.revision(),
                batches.sum(), updates.sum(), failures.sum(), refusals.sum(), unproven.sum(), lost.sum(), untold.sum(),
                health.failure());
    }

    /** Returns why the feed waits for an operator; empty if it does not. */
    Optional<String> stopped() {
        return stopped.isEmpty() ? Optional.empty() : Optional.of("slave " + slave.name() + ": " + stopped);
    }

    /** Returns why the slave may lack updates that it will not get; empty if nothing says so. */
    Optional<String> lacking() {
        return lacking.isEmpty() ? Optional.empty() : Optional.of("slave " + slave.name() + ": " + lacking);
    }

    /** Returns whether the slave must say its place before anything is sent. */
    boolean asks() {
        return asks;
    }

    /** Makes {@link #run} return after one more attempt to send what is there, however long that takes. */
    @Override
    public void finish(Duration atMost) {
        closed = true;
    }

    @Override
    public void run() {
        Duration pause = patience.firstPause();
        try {
            while (true) {
                boolean last = closed;
                health.reached(progress.position());
                boolean due = last
                        ? log.tip().revision() > progress.position()
                        : asks || log.awaitAfter(progress.position(), Duration.ofMillis(500));
                if (due) {
                    boolean sent = attempt();
                    if (!sent && raised > 0) {
                        pauseFor(RAISED_PAUSE);
                    } else if (!sent) {
                        pauseFor(stopped.isEmpty() ? pause : patience.lastPause());
                        pause = pause.multipliedBy(2).compareTo(patience.lastPause()) > 0
                                ? patience.lastPause()
                                : pause.multipliedBy(2);
                    } else {
                        pause = patience.firstPause();
                        if (log.tip().revision() - progress.position() < MAX_BATCH) {
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
            log.release(claim);
        }
    }

    private void pauseFor(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        while (!closed && System.nanoTime() - until < 0) {
            LockSupport.parkNanos(this, Math.min(STEP, Math.max(1, until - System.nanoTime())));
        }
    }

    /** Sends the next batch. Returns whether the slave has taken it. */
    boolean attempt() throws InterruptedException {
        try {
            send();
            if (!health.failure().isEmpty()) {
                LOG.info("slave {} gets updates again", slave.name());
            }
            health.works();
            stopped = "";
            return true;
        } catch (StoppedException e) {
            stopped = String.valueOf(e.getMessage());
            failed(stopped, null);
            return false;
        } catch (IOException | StorageException e) {
            failed(Reason.of(e), null);
            return false;
        } catch (RuntimeException e) {
            failed("an unexpected failure: " + Reason.of(e), e);
            return false;
        }
    }

    private void failed(String reason, @Nullable RuntimeException unexpected) {
        failures.increment();
        if (!reason.equals(health.failure())) {
            if (reason.equals(stopped)) {
                LOG.error("slave {} gets no updates: {}", slave.name(), reason);
            } else {
                LOG.warn("slave {} gets no updates: {}", slave.name(), reason, unexpected);
            }
        }
        health.fails(reason);
    }

    private void send() throws IOException, StorageException, InterruptedException {
        if (missing.isPresent()) {
            lookAgain();
            return;
        }
        if (asks) {
            settle(ask());
            asks = false;
        }
        SlaveProgress now = progress;
        long tip = log.tip().revision();
        if (tip <= now.position()) {
            return;
        }
        if (!log.has(now.position() + 1)) {
            skip(tip);
            return;
        }
        long end = again ? now.end() : Math.min(tip, now.position() + MAX_BATCH);
        PushSource.Commands commands = source.commands(now.position(), end, slave.key().bytes());
        BatchSpan span = new BatchSpan(place(now.position()), place(end), !now.taken());
        if (!commands.changing() && !placed) {
            // A slave of Weir hears of every update, so that it does not stay behind.
            save(new SlaveProgress(end, OptionalLong.of(span.to().checksum()), now.revision(), 0, now.taken()));
            again = false;
            return;
        }
        save(now.sending(end));
        boolean repeated = again;
        again = true;
        long number = push(commands.elements(), span, repeated);
        untold.add(commands.untold());
        batches.increment();
        updates.add(commands.elements().size());
        taken(span.to(), number);
    }

    private void taken(LogPlace to, long number) throws StorageException {
        save(new SlaveProgress(to.position(), OptionalLong.of(to.checksum()), number, 0, true));
        again = false;
        untouched = false;
        raised = 0;
    }

    /** Leaves out what the log no longer has, for a slave that does not say its place. */
    private void skip(long tip) throws IOException, StorageException, InterruptedException {
        long position = progress.position();
        SlavePlace there = ask();
        if (there instanceof SlavePlace.At at && at.place().position() != position) {
            goOnAt(at.place());
            return;
        }
        if (!(there instanceof SlavePlace.Untold)) {
            throw new StoppedException("it was away for too long: it lacks the updates " + (position + 1) + " to "
                    + tip + ", which the update log no longer has" + STEP_OUT);
        }
        lost.add(tip - position);
        LOG.error("slave {} was away for too long: it lacks the updates {} to {}, and needs a fresh copy",
                slave.name(), position + 1, tip);
        // A number is left out, so that the slave notices it as well.
        LogPlace end = place(tip);
        save(new SlaveProgress(end.position(), OptionalLong.of(end.checksum()), next(), 0, progress.taken()));
        again = false;
    }

    private LogPlace place(long revision) throws StorageException {
        return new LogPlace(log.storageId(), revision, log.checksumAt(revision)
                .orElseThrow(() -> new StorageException("the update log does not have update " + revision)));
    }

    private long next() {
        return progress.revision() >= LARGEST ? LARGEST : progress.revision() + 1;
    }

    private void save(SlaveProgress next) throws StorageException {
        state.slave(slave.name(), next);
        progress = next;
        claim.moveTo(next.position());
    }

    /** Asks the slave for its place, with a batch that every slave refuses. */
    private SlavePlace ask() throws IOException, InterruptedException {
        UpdateLog.Tip tip = log.tip();
        LogPlace here = new LogPlace(log.storageId(), tip.revision(), tip.checksum());
        byte[] question = new PushedUpdates(0, List.of()).write();
        IOException unreachable = new IOException("it has no host");
        for (PushSettings.Host host : slave.hosts()) {
            try {
                PushTransport.Reply reply = transport.push(slave, host, question, new BatchSpan(here, here, false));
                if (reply.status() >= 500) {
                    unreachable = new IOException(host + " answers " + reply.status());
                    continue;
                }
                placed |= !(reply.place() instanceof SlavePlace.Untold);
                return reply.place();
            } catch (IOException e) {
                unreachable = new IOException(host + ": " + Reason.of(e), e);
            }
        }
        throw unreachable;
    }

    /** Decides where a slave goes on whose place is another one than noted, or about which nothing is noted. */
    private void settle(SlavePlace there) throws IOException, StorageException {
        switch (there) {
            case SlavePlace.At at -> goOnAt(at.place());
            case SlavePlace.Doubtful _ -> throw new StoppedException("it does not know what it has of this storage, "
                    + "because a file of it was lost or damaged, or it was restored from a backup" + STEP_OUT);
            case SlavePlace.Nothing _ -> {
                if (progress.taken() && progress.checksum().isPresent()) {
                    throw new StoppedException("it has taken batches of this storage, and knows nothing of them now: "
                            + "it was emptied, or restored from a backup" + STEP_OUT);
                }
                if (!strayed.isEmpty()) {
                    throw new StoppedException(strayed + STEP_OUT);
                }
                tellBeginning();
            }
            case SlavePlace.Untold _ -> {
                tellBeginning();
                if (!strayed.isEmpty()) {
                    UpdateLog.Tip tip = log.tip();
                    lacks("this storage was restored or replaced");
                    save(new SlaveProgress(tip.revision(), OptionalLong.of(tip.checksum()), next(), 0, false));
                    strayed = "";
                    again = false;
                    untouched = true;
                }
            }
        }
    }

    /** Says what a slave of which nothing was noted does not get. */
    private void tellBeginning() {
        if (begins && forgotten) {
            lacks("the file that told what it has is damaged or of another storage");
        } else if (begins) {
            LOG.info("slave {} gets the updates from now on; the hashes that the storage already has need a copy",
                    slave.name());
        }
        begins = false;
    }

    private void lacks(String why) {
        lacking = "it gets the updates from now on. It may lack earlier ones, because " + why
                + ": copy the database (docs/operate/nodes.md#cold-sync)";
        LOG.error("slave {}: {}", slave.name(), lacking);
    }

    private void goOnAt(LogPlace there) throws IOException, StorageException {
        long tip = log.tip().revision();
        if (there.storage() != log.storageId() || there.position() > tip) {
            throw new StoppedException("it has the updates of this storage up to " + there.position() + ", and this "
                    + "storage only those up to " + tip + ": it was restored from an older copy" + STEP_OUT);
        }
        OptionalLong own = log.checksumAt(there.position());
        if (own.isEmpty()) {
            throw new StoppedException("it has the updates of this storage up to " + there.position()
                    + ", and the update log no longer reaches back to that one" + STEP_OUT);
        }
        if (own.getAsLong() != there.checksum()) {
            throw new StoppedException("it has other updates up to " + there.position() + " than this storage: one of "
                    + "the two was restored from an older copy" + STEP_OUT);
        }
        if (there.position() != progress.position() || !strayed.isEmpty()) {
            LOG.warn("slave {} has the updates up to {}, and not up to {} as noted: it goes on there", slave.name(),
                    there.position(), progress.position());
        }
        strayed = "";
        begins = false;
        taken(there, progress.revision());
    }

    /** Looks again for a hash of a batch that a slave of Rspamd did not show. */
    private void lookAgain() throws IOException, StorageException {
        for (PushSettings.Host host : slave.hosts()) {
            if (missing.isPresent() && SlaveProbe.has(host, missing.get()).orElse(false)) {
                LOG.info("slave {} has batch {} by now", slave.name(), next());
                missing = Optional.empty();
                taken(place(progress.end()), next());
                return;
            }
        }
        throw new StoppedException(stopped);
    }

    /** Sends a batch to the first host that answers. Returns its number when the slave has it. */
    private long push(List<PushedUpdates.Element> elements, BatchSpan span, boolean repeated)
            throws IOException, StorageException, InterruptedException {
        IOException unreachable = new IOException("it has no host");
        for (PushSettings.Host host : slave.hosts()) {
            Optional<Digest> probe = repeated || placed ? Optional.empty() : unknown(host, elements);
            PushTransport.Reply reply;
            try {
                reply = transport.push(slave, host, new PushedUpdates(next(), elements).write(), span);
            } catch (IOException e) {
                unreachable = new IOException(host + ": " + Reason.of(e), e);
                continue;
            }
            if (reply.status() != 200 && reply.status() != 409) {
                throw new IOException(host + " answers " + reply.status());
            }
            if (reply.place() instanceof SlavePlace.Untold) {
                judge(host, reply, probe, repeated);
                return next();
            }
            placed = true;
            if (reply.status() == 409) {
                refusals.increment();
                differs(host, reply);
            }
            return Math.max(next(), reply.revision());
        }
        throw unreachable;
    }

    /** Goes on where a slave of Weir is that refused a batch, which counts as taken if the slave has it. */
    private void differs(PushSettings.Host host, PushTransport.Reply reply) throws IOException, StorageException {
        asks = true;
        long before = progress.position();
        if (reply.place() instanceof SlavePlace.Nothing && progress.checksum().isEmpty()) {
            // Both had a counter of an earlier version, and no places yet.
            legacy(host, reply.revision());
            return;
        }
        settle(reply.place());
        asks = false;
        throw new IOException(host + " has another place than noted: it goes on after update " + progress.position()
                + " instead of " + before);
    }

    /** Decides by the number alone. Returns if the slave has the batch that was sent again. */
    private void legacy(PushSettings.Host host, long theirs) throws IOException {
        if (again && theirs == next()) {
            return;
        }
        throw new StoppedException(host + " has batch " + theirs + " and refuses batch " + next() + STEP_OUT);
    }

    private void judge(PushSettings.Host host, PushTransport.Reply reply, Optional<Digest> probe, boolean repeated)
            throws IOException, StorageException {
        if (reply.status() == 409) {
            if (!reply.isExact()) {
                throw new IOException(host + " answers " + reply.status());
            }
            if (!repeated || reply.revision() != next()) {
                refuse(host, reply.revision());
            }
            return;
        }
        if (reply.isExact()) {
            return;
        }
        if (probe.isEmpty()) {
            unproven.increment();
        } else if (!appears(host, probe.get())) {
            if (!untouched) {
                missing = probe;
            }
            raised = Math.min(raised + 1, Integer.SIZE);
            refuse(host, progress.revision() + (1L << raised) - 1);
        }
    }

    /** Goes on above the number of the slave, if no update of the batch can have reached it before. */
    private void refuse(PushSettings.Host host, long theirs) throws IOException, StorageException {
        refusals.increment();
        long before = next();
        if (!untouched) {
            raised = 0;
            throw new StoppedException(host + " does not apply batch " + before + ", because it has a later one: this "
                    + "storage was restored from an older copy, or another master uses the name" + STEP_OUT);
        }
        if (before >= LARGEST) {
            throw new IOException(host + " refuses every number of a batch");
        }
        save(progress.numbered(Math.min(theirs, LARGEST - 1)));
        // The slave refused the batch, and nothing of it was ever sent before.
        again = false;
        throw new IOException(host + " did not apply batch " + before + ", because it has a later one; trying "
                + next() + ". If this storage has sent to it before, the notes of that are lost, and it may lack "
                + "updates");
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
