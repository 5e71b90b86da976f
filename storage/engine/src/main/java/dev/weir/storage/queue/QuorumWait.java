package dev.weir.storage.queue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;

/** Stored updates whose clients wait until other nodes have them, too. For the writer's thread. */
final class QuorumWait {
    /** The maximum number of waiting updates. Beyond it, the oldest get an error before their time. */
    private static final int MAX_WAITING = 200_000;

    private final Quorum quorum;
    private final LongSupplier nanos;
    private final Deque<Entry> entries = new ArrayDeque<>();

    private int waiting;

    private record Entry(long revision, long deadline, List<QueuedUpdate> updates) {}

    QuorumWait(Quorum quorum, LongSupplier nanos) {
        this.quorum = quorum;
        this.nanos = nanos;
    }

    /** Returns whether stored updates must wait at all. */
    @SuppressWarnings("ReferenceEquality")
    boolean isNeeded() {
        return quorum != Quorum.NONE;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Keeps updates until enough nodes have everything up to a revision. */
    void add(long revision, List<QueuedUpdate> updates) {
        if (!updates.isEmpty()) {
            waiting += updates.size();
            entries.add(new Entry(revision, nanos.getAsLong() + quorum.patience().toNanos(), updates));
        }
    }

    /** Returns the next updates that enough nodes have; empty if there are none. */
    List<QueuedUpdate> reached() {
        Entry first = entries.peek();
        return first != null && first.revision() <= quorum.reached() ? remove() : List.of();
    }

    private List<QueuedUpdate> remove() {
        List<QueuedUpdate> updates = entries.remove().updates();
        waiting -= updates.size();
        return updates;
    }

    /**
     * Returns the next updates that waited too long; empty if there are none.
     *
     * @param all whether every update has waited long enough
     */
    List<QueuedUpdate> late(boolean all) {
        Entry first = entries.peek();
        return first != null && (all || waiting > MAX_WAITING || nanos.getAsLong() - first.deadline() >= 0)
                ? remove()
                : List.of();
    }
}
