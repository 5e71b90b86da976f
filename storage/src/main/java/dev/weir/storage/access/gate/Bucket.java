package dev.weir.storage.access.gate;

import dev.weir.storage.access.RateLimit;

/**
 * The leaky bucket of one key (docs/reference/storage.md#limits-of-keys): over the limit it is full, and drains while
 * requests are refused.
 */
final class Bucket {
    private final Guards guard = new Guards(1);
    private double level;
    private long last;

    /** Adds a request; false if it is one too many. Allocates nothing. */
    boolean add(RateLimit limit, long now) {
        if (!guard.take(0)) {
            return true;
        }
        try {
            if (now > last) {
                level = limit.drained(level, now - last);
            }
            last = now;
            if (level >= limit.burst()) {
                return false;
            }
            level += 1;
            return true;
        } finally {
            guard.giveBack(0);
        }
    }

    /** What is in it, as of the last request. */
    State state() {
        guard.await(0);
        try {
            return new State(level, last);
        } finally {
            guard.giveBack(0);
        }
    }

    /** Takes over what was in it before a restart. */
    void restore(State state) {
        guard.await(0);
        try {
            level = state.level();
            last = state.last();
        } finally {
            guard.giveBack(0);
        }
    }

    /**
     * A look into a bucket.
     *
     * @param level requests in it
     * @param last milliseconds since the epoch of the last request
     */
    record State(double level, long last) {}
}
