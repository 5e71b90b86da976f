package dev.weir.storage.queue;

import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexFullException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The room of the index, which is reserved before updates are logged. It reports when there is none left. For the
 * writer's thread, except {@link #isFull}.
 */
final class IndexRoom {
    private static final Logger LOG = LoggerFactory.getLogger(IndexRoom.class);

    private final HashIndex index;
    private volatile boolean full;

    /** Observes an index. */
    IndexRoom(HashIndex index) {
        this.index = index;
    }

    /** Returns whether the last updates found no room. Any thread may ask. */
    boolean isFull() {
        return full;
    }

    /** Reserves room for writes of clients. Returns false if there is none. */
    boolean reserveForClients(int writes) {
        if (!reserve(writes, "updates are rejected")) {
            return false;
        }
        if (full) {
            LOG.info("the index has room for learns again");
            full = false;
        }
        return true;
    }

    /** Reserves room for updates of the leader. Returns false if there is none. */
    boolean reserveForLeader(int updates) {
        if (!reserve(updates, "the updates of the leader are not taken")) {
            return false;
        }
        full = false;
        return true;
    }

    private boolean reserve(int writes, String consequence) {
        try {
            index.makeRoom(writes);
            return true;
        } catch (IndexFullException e) {
            if (!full) {
                LOG.error("{}, checks continue: {}; there are {} hashes", consequence, e.getMessage(), index.size());
                full = true;
            }
            return false;
        }
    }
}
