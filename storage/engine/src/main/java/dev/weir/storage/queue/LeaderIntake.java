package dev.weir.storage.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.weir.storage.log.UpdateLog;

/** The storing of updates on a follower, exactly as the leader stored them. For the writer's thread. */
final class LeaderIntake {
    private final UpdateLog log;
    private final IndexRoom room;
    private final RecentRequests recent;
    private final BatchLog batches;
    private final Publisher publisher;
    private final UpdateCounts counts;

    LeaderIntake(UpdateLog log, IndexRoom room, RecentRequests recent, BatchLog batches, Publisher publisher,
            UpdateCounts counts) {
        this.log = log;
        this.room = room;
        this.recent = recent;
        this.batches = batches;
        this.publisher = publisher;
        this.counts = counts;
    }

    /** Stores a batch. What this node has already is acknowledged again, and what leaves a gap is refused. */
    void store(List<QueuedUpdate> taken) {
        List<QueuedUpdate> fresh = new ArrayList<>(taken.size());
        List<QueuedUpdate> known = new ArrayList<>();
        List<QueuedUpdate> unfit = new ArrayList<>();
        long last = log.handed();
        for (QueuedUpdate pending : taken) {
            long revision = Objects.requireNonNull(pending.led()).revision();
            if (revision <= last) {
                known.add(pending);
            } else if (revision == last + 1) {
                fresh.add(pending);
                last = revision;
            } else {
                unfit.add(pending);
            }
        }
        boolean large = Publisher.isLarge(taken.size());
        // The leader counts on what is on disk, and sends again what is not.
        if (room.reserveForLeader(fresh.size()) && batches.commitDurably(fresh)) {
            counts.addLogged(fresh);
            fresh.forEach(pending -> recent.add(pending.origin(), pending.update()));
            publisher.publish(fresh, large);
        } else {
            counts.addFailed(fresh.size());
            publisher.tell(fresh, false, large);
        }
        publisher.tell(known, true, large);
        publisher.tell(unfit, false, large);
    }
}
