package dev.weir.storage.queue;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import dev.weir.storage.log.UpdateLog;

/**
 * The last step of a batch: its updates become visible, and their clients get the outcomes. Clients may have to wait
 * until other nodes have the updates, too. For the writer's thread.
 */
final class Publisher implements AutoCloseable {
    /** The number of clients from which on replying takes longer than waking another thread. */
    private static final int WORTH_A_THREAD = 8;

    /** The number of clients whose replies leave together, so that the first of many need not wait for the last. */
    private static final int TOLD_TOGETHER = 16;

    private final UpdateLog log;
    private final Consumer<QueuedUpdate> visible;
    private final Role role;
    private final UpdateCounts counts;
    private final QuorumWait parked;
    private final ReplyDispatcher replies;

    /**
     * Creates a publisher that sends outcomes on the calling thread.
     *
     * @param visible applies an update to the index
     * @param quorum the condition of an acknowledgment
     * @param told runs after the outcomes of a batch were sent
     */
    Publisher(UpdateLog log, Consumer<QueuedUpdate> visible, Role role, Quorum quorum, LongSupplier nanos,
            UpdateCounts counts, Runnable told) {
        this.log = log;
        this.visible = visible;
        this.role = role;
        this.counts = counts;
        this.parked = new QuorumWait(quorum, nanos);
        this.replies = new ReplyDispatcher(told);
    }

    /** Starts the thread that sends the outcomes of large batches. */
    void start(Thread.UncaughtExceptionHandler died) {
        replies.start(died);
    }

    /** Returns whether the thread for large batches should send the outcomes of one with some number of clients. */
    static boolean isLarge(int clients) {
        return clients >= WORTH_A_THREAD;
    }

    /**
     * Makes logged updates visible, and sends their outcomes.
     *
     * @param large whether they are of a large batch
     */
    void publish(List<QueuedUpdate> updates, boolean large) {
        for (int from = 0; from < updates.size(); from += TOLD_TOGETHER) {
            List<QueuedUpdate> together = updates.subList(from, Math.min(from + TOLD_TOGETHER, updates.size()));
            together.forEach(visible);
            sendStored(together, large);
        }
    }

    /**
     * Tells clients that their updates are stored, as soon as enough nodes have them.
     *
     * @param large whether they are of a large batch
     */
    void sendStored(List<QueuedUpdate> updates, boolean large) {
        if (parked.isNeeded() && role.leads()) {
            parked.add(log.handed(), List.copyOf(updates));
        } else {
            tell(updates, true, large);
        }
    }

    /** Tells clients now whether their updates are stored. */
    void tell(List<QueuedUpdate> updates, boolean stored) {
        tell(updates, stored, isLarge(updates.size()));
    }

    /**
     * Tells clients now whether their updates are stored.
     *
     * @param large whether they are of a large batch
     */
    void tell(List<QueuedUpdate> updates, boolean stored, boolean large) {
        tell(updates, stored ? ReplyDispatcher.Result.STORED : ReplyDispatcher.Result.FAILED, large);
    }

    /**
     * Tells clients now what became of their updates.
     *
     * @param large whether they are of a large batch
     */
    void tell(List<QueuedUpdate> updates, ReplyDispatcher.Result result, boolean large) {
        if (updates.isEmpty()) {
            return;
        }
        ReplyDispatcher.Portion portion = new ReplyDispatcher.Portion(updates, result);
        if (large) {
            replies.hand(portion);
        } else {
            replies.send(portion);
        }
    }

    /** Returns whether clients wait for other nodes. */
    boolean hasParked() {
        return !parked.isEmpty();
    }

    /**
     * Tells the clients whose updates enough nodes have, and those who waited too long.
     *
     * @param all whether every client has waited long enough
     */
    void sendConfirmed(boolean all) {
        for (List<QueuedUpdate> told = parked.reached(); !told.isEmpty(); told = parked.reached()) {
            tell(told, true);
        }
        for (List<QueuedUpdate> told = parked.late(all); !told.isEmpty(); told = parked.late(all)) {
            counts.addUnreplicated(told.size());
            tell(told, ReplyDispatcher.Result.UNCONFIRMED, isLarge(told.size()));
        }
    }

    /** Sends the outcomes that the other thread still has, and ends it. */
    @Override
    public void close() {
        replies.close();
    }
}
