package dev.weir.storage.replication;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

import dev.weir.storage.StorageException;
import dev.weir.storage.log.ConsumerHealth;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.LogConsumer;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.LogReleasedException;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.RunningChecksum;
import dev.weir.storage.log.SentUpdates;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.notes.NodeNotes;
import dev.weir.storage.queue.Role;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answers of a node to its followers. Only updates that every later start of this node will find are sent. A node
 * that follows another one answers, too: its log is the same, so followers can form a chain. Thread-safe.
 */
public final class Leader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Leader.class);

    private static final int READ = 512;
    /** The usual size of an update with a signature. */
    private static final int USUAL_BYTES = 416;
    private static final int MOST_BYTES = 4 << 20;
    private static final int MOST_WAIT = 5_000;
    /** The least time between two notes of a follower: each costs the time to pack and to read up to a mebibyte. */
    private static final Duration NOTE_PAUSE = Duration.ofSeconds(5);
    private static final Duration IDLE = Duration.ofMinutes(2);

    private final UpdateLog log;
    private final Role role;
    private final long node;
    private final Confirmations confirmations;
    private final Checkpoint.Origin checkpoints;
    private final Surroundings around;
    private final Inbox inbox;
    private final FollowerPositions positions;
    private volatile @Nullable NodeNotes notes;
    private final Map<String, Session> sessions = new ConcurrentHashMap<>();

    /** What a leader knows and tells of the nodes around it. */
    public interface Surroundings {
        /** Returns the numbers of the nodes above this one, the nearest first; empty for a node that leads itself. */
        List<Long> above();

        /** Receives an epoch of a follower that is higher than that of this node. */
        void higherEpoch(LeaderEpoch epoch);

        /** Returns the time of day in milliseconds since 1970. */
        long millis();
    }

    /**
     * The present state of a follower, as its leader sees it.
     *
     * @param unfit why this node cannot continue its history, if it may have updates that this node lacks; or empty
     */
    public record Follower(String name, long revision, long behind, Duration silent, boolean bootstrapping,
            String unfit) {}

    /** What a node remembers of one follower. Its monitor protects the reader. */
    private static final class Session {
        final LogClaim claim;
        final ConsumerHealth health;
        final SentPositions sent;
        volatile long seenNanos = System.nanoTime();
        volatile boolean seen;
        private boolean noted;
        private long notedNanos;
        @Nullable
        LogReader reader;
        long checksum;
        @Nullable
        CheckpointStream stream;

        Session(LogClaim claim, ConsumerHealth health, SentPositions sent) {
            this.claim = claim;
            this.health = health;
            this.sent = sent;
        }

        synchronized boolean mayNote() {
            long now = System.nanoTime();
            if (noted && now - notedNanos < NOTE_PAUSE.toNanos()) {
                return false;
            }
            noted = true;
            notedNanos = now;
            return true;
        }
    }

    /**
     * Creates the answers of a node.
     *
     * @param node the number of the process
     * @param followers those that may follow, for whom the log keeps updates from now on
     * @param inbox takes the updates of followers' clients
     * @param positions what is known of the places of followers
     */
    public Leader(UpdateLog log, Role role, long node, Collection<FollowerKey> followers, Confirmations confirmations,
            Checkpoint.Origin checkpoints, Surroundings around, Inbox inbox,
            FollowerPositions positions) {
        this.log = log;
        this.role = role;
        this.node = node;
        this.confirmations = confirmations;
        this.checkpoints = checkpoints;
        this.around = around;
        this.inbox = inbox;
        this.positions = positions;
        followers.forEach(this::session);
    }

    private Session session(FollowerKey follower) {
        // Until it asks, the log keeps what it has within the limit.
        return sessions.computeIfAbsent(follower.name(), name -> {
            LogClaim claim = claim(follower, 0);
            return new Session(claim, new ConsumerHealth(log, claim, -1,
                    new ConsumerHealth.Words(claim.name(), "gets no updates", "gets updates"), System::nanoTime),
                    positions.of(name));
        });
    }

    private LogClaim claim(FollowerKey follower, long revision) {
        return log.claim("follower " + follower.name(), LogClaim.Retention.upTo(follower.holdBytes()), revision);
    }

    /** Returns the state of every follower, by name. */
    public List<Follower> followers() {
        List<Follower> states = new ArrayList<>();
        new TreeMap<>(sessions).forEach((name, session) -> states.add(state(name, session)));
        return states;
    }

    private Follower state(String name, Session session) {
        long confirmed = session.health.position();
        return new Follower(name, confirmed,
                session.seen ? Math.max(0, log.tip().revision() - Math.max(0, confirmed)) : -1,
                Duration.ofNanos(System.nanoTime() - session.seenNanos), session.stream != null,
                session.health.failure());
    }

    /** Returns the followers as consumers of the log, by name. */
    public List<LogConsumer> consumers() {
        List<LogConsumer> consumers = new ArrayList<>();
        new TreeMap<>(sessions).forEach((name, session) -> consumers.add(
                () -> session.health.status(!NodeStatus.isPresent(state(name, session)))));
        return consumers;
    }

    /** Answers a question of a follower. Blocks for the time that the question allows. */
    public Message answer(FollowerKey follower, Message question) throws InterruptedException {
        if (question instanceof Message.Note note) {
            // A follower that only counts is not present: it may be stuck.
            return exchange(follower, note);
        }
        Session session = session(follower);
        session.seenNanos = System.nanoTime();
        session.seen = true;
        try {
            return switch (question) {
                case Message.Pull pull -> pull(follower, session, pull);
                case Message.Fetch fetch -> fetch(follower, session, fetch);
                case Message.Forward forward -> forward(follower, forward);
                default -> refused("this is an answer, not a request");
            };
        } catch (StorageException e) {
            LOG.warn("the follower {} cannot be served: {}", follower.name(), e.getMessage());
            return refused("the leader failed: " + e.getMessage());
        }
    }

    private Message refused(String reason) {
        return new Message.Refused(log.tip().epoch(), reason);
    }

    private @Nullable Message refuse(FollowerKey follower, long from, LeaderEpoch epoch) {
        List<Long> above = around.above();
        if (from == node || above.contains(from)) {
            return refused("the nodes follow each other in a circle");
        }
        if (epoch.outranks(log.tip().epoch())) {
            if (follower.feed().isWhole()) {
                around.higherEpoch(epoch);
            } else {
                // Otherwise any customer could stop this node.
                LOG.warn("the follower {} claims epoch {}, which only a follower that gets everything may",
                        follower.name(), epoch);
            }
            return refused("this node knows only epoch " + log.tip().epoch());
        }
        if (role.part() == Role.Part.FENCED) {
            return refused("this node takes no updates, because another one leads");
        }
        return null;
    }

    private Message pull(FollowerKey follower, Session session, Message.Pull pull)
            throws StorageException, InterruptedException {
        Message refusal = refuse(follower, pull.node(), pull.epoch());
        if (refusal != null) {
            return refusal;
        }
        synchronized (session) {
            LogReader reader = session.reader;
            if (reader == null || reader.next() != pull.revision() + 1 || session.checksum != pull.checksum()) {
                Message unfit = seek(session, pull);
                if (unfit != null) {
                    return unfit;
                }
            }
            confirm(follower, session, pull.revision());
        }
        if (pull.waitMillis() > 0) {
            // Without the monitor: a repeated question must not wait for this one.
            log.awaitAfter(pull.revision(), Duration.ofMillis(Math.min(pull.waitMillis(), MOST_WAIT)));
        }
        synchronized (session) {
            if (session.reader == null || session.reader.next() != pull.revision() + 1) {
                return refused("another request of this follower came in between");
            }
            try {
                return batch(follower, session, pull);
            } catch (LogReleasedException e) {
                // The log has deleted what comes next, or cannot read it. The place of the session proves that the
                // follower has the same updates up to here.
                close(session);
                return unfit(session, pull, true, String.valueOf(e.getMessage()));
            } catch (StorageException e) {
                // The next question looks for its place again.
                close(session);
                throw e;
            }
        }
    }

    private void confirm(FollowerKey follower, Session session, long revision) {
        session.claim.moveTo(revision);
        session.sent.verified(revision, session.checksum);
        session.health.works();
        session.health.reached(revision);
        CheckpointStream stream = session.stream;
        if (stream != null && revision >= stream.revision()) {
            endStream(session);
        }
        if (follower.feed().isWhole()) {
            // A follower with a part of the hashes is no copy.
            confirmations.confirm(follower.name(), revision);
        }
    }

    /** Moves the reader of a session. Returns an answer if this node does not continue the follower's history. */
    private @Nullable Message seek(Session session, Message.Pull pull) throws StorageException {
        close(session);
        UpdateLog.Tip tip = log.tip();
        if (pull.revision() > tip.revision()) {
            return unfit(session, pull, false, "the leader ends with update " + tip.revision() + ", the follower with "
                    + pull.revision());
        }
        OptionalLong checksum = log.checksumAt(pull.revision());
        if (checksum.isEmpty()) {
            boolean proven = session.sent.has(pull.revision(), pull.checksum());
            return unfit(session, pull, proven, "the log of the leader, which ends with update " + tip.revision()
                    + ", no longer has the updates after " + pull.revision()
                    + (proven ? "" : ", and nothing proves that both have the same updates up to there"));
        }
        if (checksum.getAsLong() != pull.checksum()) {
            return unfit(session, pull, false, pull.revision() == 0
                    ? "the follower has no updates yet"
                    : "up to update " + pull.revision() + ", the follower has other updates than the leader, which "
                            + "ends with update " + tip.revision());
        }
        session.reader = log.reader(pull.revision() + 1);
        session.checksum = pull.checksum();
        return null;
    }

    private Message unfit(Session session, Message.Pull pull, boolean proven, String reason) throws StorageException {
        UpdateLog.Tip tip = log.tip();
        if (proven || pull.revision() == 0) {
            session.health.works();
        } else {
            session.health.fails(reason);
        }
        return new Message.Unfit(log.storageId(), tip, pull.revision(), pull.checksum(), proven, fork(tip.epoch()),
                reason);
    }

    /** Returns the place where an epoch that a promotion began left the one before. */
    private Optional<Message.Fork> fork(LeaderEpoch epoch) throws StorageException {
        if (epoch.fresh() || epoch.first() == 0) {
            return Optional.empty();
        }
        long before = epoch.first() - 1;
        OptionalLong checksum = positions.beforeEpoch(epoch);
        if (checksum.isEmpty()) {
            checksum = log.checksumAt(before);
            checksum.ifPresent(sum -> positions.began(epoch, sum));
        }
        return checksum.isPresent()
                ? Optional.of(new Message.Fork(before, checksum.getAsLong()))
                : Optional.empty();
    }

    private Message batch(FollowerKey follower, Session session, Message.Pull pull) throws StorageException {
        LogReader reader = session.reader;
        if (reader == null) {
            return refused("the log is being read again");
        }
        long before = session.checksum;
        List<LoggedUpdate> updates = new ArrayList<>();
        int most = Math.min(Math.max(pull.mostBytes(), SentUpdates.MAX_BYTES), MOST_BYTES);
        long bytes = 0;
        while (bytes < most && reader.next() <= log.tip().revision()) {
            int count = (int) Math.min(READ, log.tip().revision() + 1 - reader.next());
            List<LoggedUpdate> read = reader.read(count);
            if (read.isEmpty()) {
                break;
            }
            for (LoggedUpdate update : read) {
                session.checksum = RunningChecksum.after(session.checksum, update);
                session.sent.sent(update.revision(), session.checksum);
                updates.add(follower.feed().apply(update));
                bytes += USUAL_BYTES;
            }
        }
        UpdateLog.Tip tip = log.tip();
        List<Long> path = new ArrayList<>(List.of(node));
        path.addAll(around.above());
        if (path.size() > Message.MAX_PATH) {
            return refused("more than " + Message.MAX_PATH + " nodes follow each other");
        }
        long millis = updates.isEmpty() ? 0 : updates.getLast().millis();
        return new Message.Batch(tip.epoch(), tip.revision(), millis, around.millis(), node, path, pull.revision(),
                before, session.checksum, updates);
    }

    private Message fetch(FollowerKey follower, Session session, Message.Fetch fetch)
            throws StorageException, InterruptedException {
        Message refusal = refuse(follower, fetch.node(), LeaderEpoch.NONE);
        if (refusal != null) {
            return refusal;
        }
        CheckpointStream stream;
        synchronized (session) {
            stream = session.stream;
            if (fetch.token() == 0 && fetch.part() == 0) {
                endStream(session);
                stream = begin(follower);
                session.stream = stream;
                LOG.info("the follower {} starts from a checkpoint with update {}", follower.name(),
                        stream.revision());
            }
        }
        if (stream == null || (fetch.token() != 0 && fetch.token() != stream.token())) {
            return refused("this checkpoint is no longer open; begin again");
        }
        CheckpointStream.Bytes part = stream.part(fetch.part(), MOST_WAIT);
        return new Message.Part(stream.token(), fetch.part(), part.last(), part.recent(), log.storageId(),
                log.tip().epoch(), stream.revision(), stream.checksum(), stream.start(), stream.hashes(),
                part.bytes());
    }

    private CheckpointStream begin(FollowerKey follower) throws StorageException {
        // Before the checkpoint is pinned, so that the updates behind it stay.
        LogClaim claim = claim(follower, Math.min(log.applied(), log.tip().revision()));
        Checkpoint checkpoint = null;
        boolean begun = false;
        try {
            checkpoint = checkpoints.open();
            claim.moveTo(checkpoint.revision());
            long revision = checkpoint.revision();
            long checksum = log.checksumAt(revision).orElseThrow(() -> new StorageException(
                    "the log no longer has the updates after the checkpoint of " + revision + "; try again"));
            CheckpointStream stream = new CheckpointStream(log, checkpoint, follower.feed(),
                    ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE), checksum, claim);
            begun = true;
            return stream;
        } finally {
            if (!begun) {
                log.release(claim);
                if (checkpoint != null) {
                    checkpoint.source().close();
                }
            }
        }
    }

    private void endStream(Session session) {
        CheckpointStream stream = session.stream;
        session.stream = null;
        if (stream != null) {
            stream.close();
            log.release(stream.claim());
        }
    }

    /** Notes where the epoch of the log began, while the log still knows it. */
    public void noteEpoch() throws StorageException {
        var _ = fork(log.tip().epoch());
    }

    /** Closes the checkpoints that no follower has asked for in the last minutes. Call it from time to time. */
    public void tidy() {
        for (Session session : sessions.values()) {
            synchronized (session) {
                CheckpointStream stream = session.stream;
                if (stream != null && stream.idleNanos() > IDLE.toNanos()) {
                    endStream(session);
                }
            }
        }
    }

    private Message forward(FollowerKey follower, Message.Forward forward) throws InterruptedException {
        if (!follower.mayUpdate()) {
            return refused("this follower may not update");
        }
        Message refusal = refuse(follower, forward.node(), LeaderEpoch.NONE);
        if (refusal != null) {
            return refusal;
        }
        if (forward.session() != node) {
            return refused("this request is for another process");
        }
        return inbox.take(follower.name(), forward);
    }

    /** Takes the note of a follower that is a whole copy and may update, and returns that of this node. */
    private Message exchange(FollowerKey follower, Message.Note note) {
        NodeNotes own = notes;
        if (own == null) {
            return refused("this node counts no waves");
        }
        if (!follower.mayUpdate() || !follower.feed().isWhole()) {
            return refused("only a follower that gets all updates and may update exchanges counts");
        }
        Message refusal = refuse(follower, note.node(), LeaderEpoch.NONE);
        if (refusal != null) {
            return refusal;
        }
        if (!session(follower).mayNote()) {
            return refused("this follower exchanged counts less than " + NOTE_PAUSE.toSeconds() + " seconds ago");
        }
        String name = "follower " + follower.name();
        own.read(name, false, note.bytes());
        return new Message.Note(node, own.write(name::equals));
    }

    /** Sets what this node tells its followers besides updates. */
    void exchange(NodeNotes own) {
        notes = own;
    }

    private static void close(Session session) {
        LogReader reader = session.reader;
        session.reader = null;
        if (reader != null) {
            try {
                reader.close();
            } catch (IOException e) {
                LOG.debug("closing a file of the log failed", e);
            }
        }
    }

    @Override
    public void close() {
        for (Session session : sessions.values()) {
            synchronized (session) {
                close(session);
                endStream(session);
            }
        }
    }
}
