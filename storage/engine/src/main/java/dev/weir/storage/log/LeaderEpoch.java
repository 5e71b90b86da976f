package dev.weir.storage.log;

import java.util.Locale;

/**
 * The epoch under which updates are written. Each promotion begins one with the next number, and everything that breaks
 * the history of a log begins another one with the same number: a repair, a restored backup, an import into a database.
 * Of two nodes, the one whose epoch {@link #outranks} that of the other is the leader (docs/operate/nodes.md#fencing).
 *
 * @param number counts the promotions, from 1; 0 in a log of an earlier release
 * @param branch a random number, which distinguishes epochs of the same number
 * @param first the first revision of the epoch
 * @param fresh whether the running checksum starts again with the epoch, because what was before does not lead to it
 */
public record LeaderEpoch(int number, int branch, long first, boolean fresh) {
    /** The epoch of a log of an earlier release. */
    public static final LeaderEpoch NONE = new LeaderEpoch(0, 0, 0, false);

    /**
     * Returns whether a node with this epoch leads, and one with the other must not: after a later promotion, or if two
     * nodes were promoted from the same epoch, for one of them. An epoch that no promotion began outranks none of its
     * number, so a new node never claims to lead.
     */
    public boolean outranks(LeaderEpoch other) {
        return number > other.number || (number == other.number && !fresh && !other.fresh
                && Integer.compareUnsigned(branch, other.branch) > 0);
    }

    /** Returns whether two values name the same epoch. */
    public boolean isSame(LeaderEpoch other) {
        return number == other.number && branch == other.branch;
    }

    /** Returns the epoch for messages, such as {@code 3-9f1c02ab}. */
    @Override
    public String toString() {
        return number + "-" + String.format(Locale.ROOT, "%08x", branch);
    }
}
