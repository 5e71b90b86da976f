package dev.weir.storage.replication;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import dev.weir.storage.StorageException;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The decisions of a follower: what it asks, and what it does with an answer. It applies only what continues its own
 * history, so answers may be lost, doubled, late or from another node. For one thread; any thread may ask for the
 * state.
 */
public final class Follower {
    private static final Logger LOG = LoggerFactory.getLogger(Follower.class);
    private static final int MOST_BYTES = 2 << 20;

    /** A contact that is not older counts as now, because the leader waits so long for news. */
    private static final Duration FRESH = Duration.ofSeconds(3);

    private final UpdateLog log;
    private final long node;
    private final LongSupplier nanos;
    private final BooleanSupplier hasHashes;
    private volatile State state;
    private volatile @Nullable Place discarding;

    /** The consequence of an answer. */
    public sealed interface Step {
        /**
         * Updates to apply.
         *
         * @param epoch the epoch to enter first
         * @param updates consecutive updates after the last one of this node; empty if there is nothing new
         */
        record Apply(LeaderEpoch epoch, List<LoggedUpdate> updates) implements Step {}

        /**
         * The log of the leader cannot continue that of this node, and nothing is destroyed by a copy without a word.
         *
         * @param reason why
         * @param ground why a copy may replace what this node has
         * @param extra the number of updates of this node that its leader lacks; -1 if unknown
         * @param leader the storage and the end of the leader
         */
        record StartAgain(String reason, Ground ground, long extra, Place leader) implements Step {}

        /**
         * This node has updates that its leader lacks, or nothing proves that it has none.
         *
         * @param reason a sentence with the positions of both
         * @param promoted whether the leader was promoted since
         */
        record Held(String reason, Place leader, boolean promoted) implements Step {}

        /** The leader does not serve this node now. */
        record Wait(String reason) implements Step {}
    }

    /** Why a copy of the leader may replace what a node has. */
    public enum Ground {
        /** The node has nothing. */
        EMPTY,
        /** The leader has shown that it has every update of the node. */
        PROVEN,
        /** An operator promoted the leader, which has the node's updates up to there. The further ones do not count. */
        PROMOTION,
        /** An operator said so. */
        DISCARD
    }

    /** A leader: its storage and the epoch under which it was asked. */
    public record Place(long storage, LeaderEpoch epoch) {
        boolean isSame(Place other) {
            return storage == other.storage && epoch.isSame(other.epoch);
        }
    }

    /**
     * The last known state of the leader.
     *
     * @param contactNanos when it last answered; 0 if never
     * @param revision its last revision
     * @param lagMillis how much older the last update of this node was than the clock of the leader; 0 if none is
     *            missing
     * @param session its number for {@link Message.Forward}
     * @param path the nodes above this one
     * @param failure why this node does not follow at present; empty if it does
     */
    public record State(long contactNanos, long revision, long lagMillis, long session, List<Long> path,
            String failure) {}

    /**
     * Creates a follower.
     *
     * @param node the number of the process
     * @param nanos a monotonic clock
     * @param hasHashes whether this node has hashes, which need not come from its log
     */
    public Follower(UpdateLog log, long node, LongSupplier nanos, BooleanSupplier hasHashes) {
        this.log = log;
        this.node = node;
        this.nanos = nanos;
        this.hasHashes = hasHashes;
        this.state = new State(0, 0, 0, 0, List.of(), "the leader has not answered yet");
    }

    /** Returns the state of the leader. */
    public State state() {
        return state;
    }

    /** Returns how many updates of the leader are missing, as far as known; -1 before its first updates. */
    public long behind() {
        State now = state;
        return now.contactNanos() == 0 ? -1 : Math.max(0, now.revision() - log.tip().revision());
    }

    /** Returns how old the hashes are in comparison with the leader's; empty before its first updates. */
    public OptionalLong lagSeconds() {
        State now = state;
        if (now.contactNanos() == 0) {
            return OptionalLong.empty();
        }
        Duration silent = Duration.ofNanos(nanos.getAsLong() - now.contactNanos());
        long extra = silent.compareTo(FRESH) > 0 ? silent.toMillis() : 0;
        return OptionalLong.of((now.lagMillis() + extra) / 1_000);
    }

    /** Returns the next question. */
    public Message.Pull question(int waitMillis) {
        UpdateLog.Tip tip = log.tip();
        return new Message.Pull(node, tip.epoch(), tip.revision(), tip.checksum(), MOST_BYTES, waitMillis);
    }

    /** Records that the leader cannot be reached. */
    public void failed(String reason) {
        State old = state;
        state = new State(old.contactNanos(), old.revision(), old.lagMillis(), 0, old.path(), reason);
    }

    /** Decides what to do with an answer. */
    public Step receive(Message answer) {
        return switch (answer) {
            case Message.Batch batch -> receive(batch);
            case Message.Unfit unfit -> unfit(unfit);
            case Message.Refused refused -> waits(refused.reason());
            default -> waits("the leader sent an unexpected answer");
        };
    }

    /**
     * Returns whether the consequence of an answer gives the ground for a copy that an earlier one gave. If an older
     * copy has replaced the folder of the leader meanwhile, it may lack what it had.
     */
    public static boolean confirms(Step step, Step.StartAgain earlier) {
        return step instanceof Step.StartAgain now && now.ground() == earlier.ground()
                && now.leader().isSame(earlier.leader());
    }

    private Step waits(String reason) {
        failed(reason);
        return new Step.Wait(reason);
    }

    private Step receive(Message.Batch batch) {
        UpdateLog.Tip tip = log.tip();
        if (batch.path().contains(node)) {
            return waits("the nodes follow each other in a circle");
        }
        if (tip.epoch().outranks(batch.epoch())) {
            return waits("the leader knows only epoch " + batch.epoch() + ", and this node has " + tip.epoch());
        }
        if (batch.from() != tip.revision() || batch.before() != tip.checksum()) {
            // A late or doubled answer.
            return new Step.Wait("the answer belongs to another request");
        }
        long next = tip.revision();
        for (LoggedUpdate update : batch.updates()) {
            next++;
            if (update.revision() != next) {
                return waits("the leader left out update " + next);
            }
        }
        long lag = batch.updates().isEmpty() || next >= batch.revision()
                ? 0
                : Math.max(0, batch.now() - batch.updates().getLast().millis());
        state = new State(nanos.getAsLong(), batch.revision(), lag, batch.session(), batch.path(), "");
        // The permission was for this time.
        discarding = null;
        return new Step.Apply(batch.epoch(), batch.updates());
    }

    /** Records that an operator gives up what this node has in favor of a leader. It counts for this leader only. */
    public void discardFor(Place leader) {
        discarding = leader;
    }

    private Step unfit(Message.Unfit unfit) {
        UpdateLog.Tip tip = log.tip();
        if (unfit.from() != tip.revision() || unfit.before() != tip.checksum()) {
            return new Step.Wait("the answer belongs to another request");
        }
        Place leader = new Place(unfit.storage(), unfit.epoch());
        Place given = discarding;
        if (tip.revision() == 0 && !hasHashes.getAsBoolean()) {
            return startAgain(unfit, Ground.EMPTY, 0, leader);
        }
        if (given != null && given.isSame(leader)) {
            return startAgain(unfit, Ground.DISCARD, -1, leader);
        }
        if (tip.epoch().outranks(unfit.epoch())) {
            return waits("the leader knows only epoch " + unfit.epoch() + ", and this node has " + tip.epoch());
        }
        if (unfit.proven()) {
            return startAgain(unfit, Ground.PROVEN, 0, leader);
        }
        boolean promoted = unfit.epoch().number() > tip.epoch().number() && !unfit.epoch().fresh();
        if (promoted && unfit.fork().filter(this::has).isPresent()) {
            return startAgain(unfit, Ground.PROMOTION, tip.revision() - unfit.fork().orElseThrow().revision(), leader);
        }
        String reason = "this node (storage " + name(log.storageId()) + ") ends with update " + tip.revision()
                + " of epoch " + tip.epoch() + ", its leader (storage " + name(unfit.storage()) + ") with "
                + unfit.at().revision() + " of epoch " + unfit.epoch() + ": " + unfit.reason();
        failed(reason);
        return new Step.Held(reason, leader, promoted);
    }

    private static String name(long storage) {
        return String.format(Locale.ROOT, "%016x", storage);
    }

    private Step startAgain(Message.Unfit unfit, Ground ground, long extra, Place leader) {
        failed("it starts from a checkpoint: " + unfit.reason());
        return new Step.StartAgain(unfit.reason(), ground, extra, leader);
    }

    /** Returns whether the history of this node has a place. */
    private boolean has(Message.Fork place) {
        try {
            OptionalLong own = log.checksumAt(place.revision());
            return own.isPresent() && own.getAsLong() == place.checksum();
        } catch (StorageException e) {
            LOG.warn("the place where this node left its leader is unknown: {}", e.getMessage());
            return false;
        }
    }
}
