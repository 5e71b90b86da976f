package dev.weir.storage.server.request;

import dev.weir.storage.access.FlagSet;
import dev.weir.storage.index.IndexMatch;
import dev.weir.wire.Protocol;

/**
 * The selection and order of a match's flags in a reply. Flags that are too young are omitted. Weak flags follow all
 * others; apart from that, higher values come first. For one thread; does not allocate.
 */
final class FlagOrder {
    /** The most flags that fit in a reply. */
    private static final int MOST = 1 + Protocol.MAX_EXTRA_FLAGS;

    private final int[] places = new int[MOST];
    private FlagSet hidden = FlagSet.none();
    private FlagSet weak = FlagSet.none();
    private double youngest;
    private int size;

    /**
     * Selects flags of a match.
     *
     * @param youngest a time in seconds since the epoch; flags that changed later are omitted
     */
    void choose(IndexMatch match, FlagSet weakFlags, double youngest) {
        this.weak = weakFlags;
        this.youngest = youngest;
        this.hidden = FlagSet.none();
        select(match);
    }

    /** Repeats the selection without the given flags, which may make room for others. */
    void remove(IndexMatch match, FlagSet flags) {
        if (!flags.isEmpty()) {
            this.hidden = flags;
            select(match);
        }
    }

    private void select(IndexMatch match) {
        size = 0;
        while (size < MOST) {
            int best = -1;
            for (int i = 0; i < match.flagCount(); i++) {
                if (isEligible(match, i) && (best < 0 || isBefore(match, i, best))) {
                    best = i;
                }
            }
            if (best < 0) {
                return;
            }
            places[size++] = best;
        }
    }

    private boolean isEligible(IndexMatch match, int place) {
        if (match.time(place) > youngest || hidden.contains(match.flag(place))) {
            return false;
        }
        for (int i = 0; i < size; i++) {
            if (places[i] == place) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the later of two places comes first. */
    private boolean isBefore(IndexMatch match, int later, int earlier) {
        boolean laterWeak = weak.contains(match.flag(later));
        boolean earlierWeak = weak.contains(match.flag(earlier));
        if (laterWeak != earlierWeak) {
            return earlierWeak;
        }
        if (match.value(later) != match.value(earlier)) {
            return match.value(later) > match.value(earlier);
        }
        // Place 0 is the stored primary flag, which another flag of equal value does not displace.
        return earlier != 0 && match.flag(later) < match.flag(earlier);
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    /** Returns the place in the match of the {@code i}-th selected flag. */
    int at(int i) {
        return places[i];
    }
}
