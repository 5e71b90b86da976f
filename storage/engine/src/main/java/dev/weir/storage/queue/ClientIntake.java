package dev.weir.storage.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;

/**
 * The storing of updates of clients: each request once, and only what the index can take. For the writer's thread.
 */
final class ClientIntake {
    private final HashIndex index;
    private final Lookup lookup = new Lookup();
    private final IndexRoom room;
    private final RecentRequests recent;
    private final ExpirySweep sweep;
    private final BatchLog batches;
    private final Publisher publisher;
    private final UpdateCounts counts;

    ClientIntake(HashIndex index, IndexRoom room, RecentRequests recent, ExpirySweep sweep, BatchLog batches,
            Publisher publisher, UpdateCounts counts) {
        this.index = index;
        this.room = room;
        this.recent = recent;
        this.sweep = sweep;
        this.batches = batches;
        this.publisher = publisher;
        this.counts = counts;
    }

    /** Stores a batch. What the log has already is acknowledged again, and what the index cannot take is refused. */
    void store(List<QueuedUpdate> taken) {
        List<QueuedUpdate> fresh = new ArrayList<>(taken.size());
        List<QueuedUpdate> others = new ArrayList<>();
        separate(taken, fresh, others);
        boolean large = Publisher.isLarge(taken.size());
        List<QueuedUpdate> excess = takeOutExcessFlags(fresh);
        List<QueuedUpdate> withoutRoom = takeOutWithoutRoom(fresh);
        refuse(excess, ReplyDispatcher.Result.IMPOSSIBLE, large);
        refuse(withoutRoom, ReplyDispatcher.Result.FAILED, large);
        boolean done = batches.commit(fresh);
        if (done) {
            counts.addLogged(fresh);
            publisher.publish(fresh, large);
        } else {
            refuse(fresh, ReplyDispatcher.Result.FAILED, large);
        }
        if (done && excess.isEmpty() && withoutRoom.isEmpty()) {
            publisher.sendStored(others, large);
        } else {
            tellKnown(others, large);
        }
    }

    /**
     * Separates what is to be stored from what needs no storing.
     *
     * @param fresh receives the updates to store, also the removals that belong before them
     * @param others receives repeated requests, and renewals of a hash that is renewed already
     */
    private void separate(List<QueuedUpdate> taken, List<QueuedUpdate> fresh, List<QueuedUpdate> others) {
        Map<Digest, Long> renewed = new HashMap<>();
        for (QueuedUpdate pending : taken) {
            if (pending.update() instanceof Update.Refresh refresh) {
                Long earlier = renewed.get(refresh.digest());
                if ((earlier == null || refresh.time() > earlier) && sweep.addRemovalsBefore(refresh, fresh)) {
                    renewed.put(refresh.digest(), refresh.time());
                    fresh.add(pending);
                } else {
                    others.add(pending);
                }
            } else if (recent.add(pending.origin(), pending.update())) {
                fresh.add(pending);
            } else {
                others.add(pending);
                counts.addRepeated();
            }
        }
    }

    private void refuse(List<QueuedUpdate> updates, ReplyDispatcher.Result result, boolean large) {
        counts.addFailed(updates.size());
        for (QueuedUpdate pending : updates) {
            recent.forget(pending.origin(), pending.update());
        }
        publisher.tell(updates, result, large);
    }

    /** Acknowledges repetitions of what was stored before, and refuses those of what has just been refused. */
    private void tellKnown(List<QueuedUpdate> repetitions, boolean large) {
        Map<Boolean, List<QueuedUpdate>> known = repetitions.stream()
                .collect(Collectors.partitioningBy(pending -> recent.knows(pending.origin(), pending.update())));
        known.forEach((isStored, updates) -> {
            if (isStored) {
                publisher.sendStored(updates, large);
            } else {
                publisher.tell(updates, false, large);
            }
        });
    }

    /**
     * Removes and returns the writes that would give a hash more flags beyond 255 than it can have. Their number is
     * known here, because every earlier update is visible.
     */
    private List<QueuedUpdate> takeOutExcessFlags(List<QueuedUpdate> updates) {
        List<QueuedUpdate> excess = new ArrayList<>();
        Map<Digest, Set<Integer>> odd = new HashMap<>();
        for (QueuedUpdate pending : updates) {
            // An import sends no more than fits, in an order of its own.
            if (pending.origin().address() != null && pending.update() instanceof Update.Write write
                    && FlagValue.isOdd(write.flag())) {
                Set<Integer> flags = odd.computeIfAbsent(write.digest(), this::oddFlags);
                if (flags.size() >= StoredHash.MAX_ODD_FLAGS && !flags.contains(write.flag())) {
                    excess.add(pending);
                } else {
                    flags.add(write.flag());
                }
            }
        }
        updates.removeAll(excess);
        return excess;
    }

    private Set<Integer> oddFlags(Digest digest) {
        HashIndex.KnownHash known = index.known(digest, lookup);
        return known == null
                ? new HashSet<>()
                : known.flags().stream().filter(FlagValue::isOdd).map(FlagValue::flag)
                        .collect(Collectors.toCollection(HashSet::new));
    }

    /** Removes and returns the updates for which the index has no room, before anything is acknowledged. */
    private List<QueuedUpdate> takeOutWithoutRoom(List<QueuedUpdate> updates) {
        List<QueuedUpdate> writes = updates.stream().filter(pending -> pending.update() instanceof Update.Write)
                .toList();
        if (writes.isEmpty() || room.reserveForClients(writes.size())) {
            return List.of();
        }
        updates.removeIf(pending -> pending.update() instanceof Update.Write);
        return writes;
    }
}
