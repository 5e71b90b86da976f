package dev.weir.storage.replication;

import java.util.Arrays;

/**
 * The places in its history up to which a node has served one follower: the last one that the follower had for certain,
 * and every later one that it was sent. A follower that returns after the log has dropped its place is at one of them,
 * with the same checksum, if this node has everything that the follower has. Thread-safe.
 */
final class SentPositions {
    /** More than two answers have. */
    static final int MOST = 1 << 16;

    private long first;
    private long[] checksums;
    private int count;

    SentPositions() {
        this(-1, new long[0]);
    }

    /**
     * Restores places.
     *
     * @param first the revision of the first one; -1 for none
     * @param checksums the running checksums of consecutive revisions
     */
    SentPositions(long first, long[] checksums) {
        this.first = first;
        this.checksums = checksums.clone();
        this.count = checksums.length;
    }

    /** Records a place that the follower has and the log confirms. */
    synchronized void verified(long revision, long checksum) {
        int at = has(revision, checksum) ? (int) (revision - first) : -1;
        if (at < 0) {
            first = revision;
            checksums = new long[]{checksum};
            count = 1;
        } else if (at > 0) {
            checksums = Arrays.copyOfRange(checksums, at, count);
            count -= at;
            first = revision;
        }
    }

    /** Records that an update was sent. */
    synchronized void sent(long revision, long checksum) {
        if (first < 0 || revision > first + count || revision <= first) {
            return;
        }
        int at = (int) (revision - first);
        if (at >= MOST) {
            return;
        }
        if (at == checksums.length) {
            checksums = Arrays.copyOf(checksums, Math.max(16, checksums.length * 2));
        }
        checksums[at] = checksum;
        count = Math.max(count, at + 1);
    }

    /** Returns whether the history of this node has a place. */
    synchronized boolean has(long revision, long checksum) {
        return first >= 0 && revision >= first && revision - first < count
                && checksums[(int) (revision - first)] == checksum;
    }

    /** Returns the last revision recorded; -1 without one. */
    synchronized long last() {
        return first < 0 ? -1 : first + count - 1;
    }

    /** Consecutive places. */
    @SuppressWarnings("ArrayRecordComponent")
    record Places(long first, long[] checksums) {}

    /** Returns a copy of the places. */
    synchronized Places places() {
        return new Places(first, Arrays.copyOf(checksums, count));
    }
}
