package dev.weir.storage.engine;

import java.time.InstantSource;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.Role;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;
import dev.weir.storage.queue.UpdateQueue;
import org.jspecify.annotations.Nullable;

/**
 * The part of an engine that answers requests: lookups in the index, and a bounded queue of updates. Any thread may use
 * it. A lookup allocates nothing, and takes a lock only after repeated collisions with updates.
 */
public final class LiveHashes {
    private final HashIndex index;
    private final UpdateQueue queue;
    private final Timing timing;
    private final InstantSource clock;
    private final StorageClock storageClock;
    private final Role role;
    private final @Nullable MissListener missed;

    /**
     * Combines the parts of an engine.
     *
     * @param clock the time of day, which may be wrong
     * @param storageClock the time by which hashes age
     * @param role the part of this node
     * @param missed is told of lookups without an answer; null if that is of no interest
     */
    public LiveHashes(HashIndex index, UpdateQueue queue, Timing timing, InstantSource clock, StorageClock storageClock,
            Role role, @Nullable MissListener missed) {
        this.role = role;
        this.missed = missed;
        this.index = index;
        this.queue = queue;
        this.timing = timing;
        this.clock = clock;
        this.storageClock = storageClock;
    }

    /** Returns the time of day, in milliseconds since 1970. */
    public long now() {
        return clock.millis();
    }

    /**
     * Looks up a hash with its flags that are not expired.
     *
     * @param nowMillis the time of day, in milliseconds since 1970
     * @return whether {@code lookup} contains a match
     */
    public boolean find(Lookup lookup, long nowMillis) {
        return index.find(lookup, oldestSeconds(nowMillis));
    }

    /**
     * Looks for a hash that protects the template of a mail, with its flags that are not expired; see
     * {@link HashIndex#findProtected}.
     *
     * @param nowMillis the time of day, in milliseconds since 1970
     */
    public boolean findProtected(Lookup lookup, long nowMillis) {
        return index.findProtected(lookup, oldestSeconds(nowMillis));
    }

    /** Takes note of a lookup without an answer that a client got. Neither waits nor allocates. */
    public void missed(Lookup lookup) {
        if (missed != null) {
            missed.put(lookup.digest(), lookup.shingles(), lookup.hasShingles(), lookup.lowestThreshold());
        }
    }

    private long oldestSeconds(long nowMillis) {
        long expire = timing.expireSeconds();
        return expire == 0 ? Long.MIN_VALUE : storageClock.trusted(nowMillis) / 1_000 - expire;
    }

    /** Returns what is known of the hash with a digest, with expired flags, or null. */
    public HashIndex.@Nullable KnownHash known(Digest digest, Lookup lookup) {
        return index.known(digest, lookup);
    }

    /** Returns the digests that begin with some hexadecimal digits, see {@link HashIndex#withPrefix}. */
    public List<Digest> withPrefix(String prefix, int most) {
        return index.withPrefix(prefix, most);
    }

    /** Returns the index itself, for comparisons of signatures. */
    public HashIndex index() {
        return index;
    }

    /** Returns the number of hashes. */
    public long size() {
        return index.size();
    }

    /** Returns the age at which flags expire, in seconds; 0 if they never do. */
    public long expireSeconds() {
        return timing.expireSeconds();
    }

    /**
     * Returns the time to record in an update, in seconds since 1970, never less than the time by which hashes age.
     *
     * @param nowMillis the time of day, in milliseconds since 1970
     */
    public long recordedSeconds(long nowMillis) {
        return storageClock.later(nowMillis) / 1_000;
    }

    /**
     * Queues an update; on a follower, for its leader. Returns false if the queue is full, or if this node takes no
     * updates. Never blocks.
     */
    public boolean offer(QueuedUpdate update) {
        return role.leads() ? queue.offer(update) : role.forward(update);
    }

    /** Queues an update of the leader of this node. Returns false if the queue is full. Never blocks. */
    public boolean offerOfLeader(QueuedUpdate update) {
        return queue.offer(update);
    }

    /** Queues an update without a waiting client. Returns false unless plenty of room is left for those of clients. */
    public boolean offerRefresh(QueuedUpdate update) {
        return role.leads() ? queue.hasRoomForRefresh() && queue.offer(update) : role.forward(update);
    }

    /** Returns the number of waiting updates. */
    int queued() {
        return queue.size();
    }

    /** Returns whether the queue is full. */
    boolean isQueueFull() {
        return queue.isFull();
    }

    /** Returns the memory of the index in bytes. */
    long indexBytes() {
        return index.bytes();
    }

    /** Returns how often a full posting list displaced a hash. */
    long crowded() {
        return index.crowded();
    }
}
