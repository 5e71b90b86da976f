package dev.weir.storage.replication;

import dev.weir.wire.key.PublicKey;

/**
 * A follower that a leader serves.
 *
 * @param name its name in messages and metrics
 * @param key its public key
 * @param feed what it gets
 * @param mayUpdate whether the leader takes updates of its clients
 * @param holdBytes the size of the updates that the log keeps for it while it is away; beyond, it starts from a
 *            checkpoint
 */
public record FollowerKey(String name, PublicKey key, Feed feed, boolean mayUpdate, long holdBytes) {
    /** The size of the updates that the log keeps for a follower unless told otherwise. */
    public static final long DEFAULT_HOLD = 1L << 30;
}
