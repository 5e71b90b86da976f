package dev.weir.storage.access.gate;

import dev.weir.storage.access.RateLimit;

/**
 * The leaky bucket of one key (docs/reference/storage.md#limits-of-keys). Refused requests do not fill it, so it drains
 * while a key is over the limit.
 */
final class Bucket {
    private final Guards guard = new Guards(1);
    private double level;
    private long last;

    /** Adds a request. Returns false if it is over the limit. Does not allocate. */
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
            guard.release(0);
        }
    }

    /** Returns the state as of the last request. */
    State state() {
        guard.await(0);
        try {
            return new State(level, last);
        } finally {
            guard.release(0);
        }
    }

    /** Restores the state from before a restart. */
    void restore(State state) {
        guard.await(0);
        try {
            level = state.level();
            last = state.last();
        } finally {
            guard.release(0);
        }
    }

    /**
     * A snapshot of a bucket.
     *
     * @param level the number of requests in the bucket
     * @param last the time of the last request in milliseconds since the epoch
     */
    record State(double level, long last) {}
}
