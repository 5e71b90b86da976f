package dev.weir.storage.waves;

import java.util.Arrays;

/**
 * The order in which signatures that were seen once make room. Each belongs to one of {@value #SHARES} lists, by a
 * keyed hash of the network that asked, oldest first. The oldest of the longest list goes. So a network that floods the
 * table displaces its own signatures once it has more than any other list, and those of others stay.
 */
final class NetworkShares {
    static final int SHARES = 64;
    private static final int NONE = -1;

    /** The bytes for each signature. */
    static final int BYTES = 2 * Integer.BYTES + 1;

    private final int[] next;
    private final int[] previous;
    private final byte[] shares;
    private final int[] oldest = new int[SHARES];
    private final int[] newest = new int[SHARES];
    private final int[] lengths = new int[SHARES];
    private int size;

    NetworkShares(int slots) {
        this.next = new int[slots];
        this.previous = new int[slots];
        this.shares = new byte[slots];
        Arrays.fill(oldest, NONE);
        Arrays.fill(newest, NONE);
    }

    void add(int slot, int networkHash) {
        int share = networkHash & (SHARES - 1);
        shares[slot] = (byte) share;
        next[slot] = NONE;
        previous[slot] = newest[share];
        if (newest[share] == NONE) {
            oldest[share] = slot;
        } else {
            next[newest[share]] = slot;
        }
        newest[share] = slot;
        lengths[share]++;
        size++;
    }

    void remove(int slot) {
        int share = shares[slot];
        if (previous[slot] == NONE) {
            oldest[share] = next[slot];
        } else {
            next[previous[slot]] = next[slot];
        }
        if (next[slot] == NONE) {
            newest[share] = previous[slot];
        } else {
            previous[next[slot]] = previous[slot];
        }
        lengths[share]--;
        size--;
    }

    /** Returns the slot that makes room. There must be one. */
    int victim() {
        int longest = 0;
        for (int i = 1; i < SHARES; i++) {
            longest = lengths[i] > lengths[longest] ? i : longest;
        }
        return oldest[longest];
    }

    /** Returns the oldest slot of a list, or -1. */
    int oldest(int share) {
        return oldest[share];
    }

    int size() {
        return size;
    }
}
