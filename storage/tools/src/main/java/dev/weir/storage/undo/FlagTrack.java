package dev.weir.storage.undo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import dev.weir.model.FlagValue;
import org.jspecify.annotations.Nullable;

/**
 * One flag of one hash on its way through the audit trail, by revision. An undo may have a million of them, most with
 * one change.
 */
final class FlagTrack {
    private static final long[] NONE = {};

    private final int flag;
    private @Nullable FlagTrack next;

    /** The selected changes whose weight is still there, by revision. */
    private long[] revisions = NONE;
    private long[] weights = NONE;
    private int count;

    /** The contributions that earlier undos took back, by the revision of the undo; null before the first one. */
    private @Nullable Map<Long, Long> undone;
    private long sum;
    private boolean touched;

    /** Starts the track of a flag. */
    FlagTrack(int flag) {
        this.flag = flag;
    }

    /** Returns the track of a flag of this hash, from this track on; a new one becomes the last. */
    FlagTrack of(int wanted) {
        FlagTrack track = this;
        while (track.flag != wanted) {
            if (track.next == null) {
                track.next = new FlagTrack(wanted);
            }
            track = track.next;
        }
        return track;
    }

    int flag() {
        return flag;
    }

    /** Returns the flag of the same hash that the trail has next; null after the last one. */
    @Nullable
    FlagTrack next() {
        return next;
    }

    /** Returns whether the selection changed this flag. */
    boolean isTouched() {
        return touched;
    }

    void write(long revision, long weight, boolean selected, OptionalLong undoes) {
        sum = FlagValue.add(sum, weight);
        touched |= selected;
        if (selected) {
            add(revision, weight);
        } else if (undoes.isPresent()) {
            takeBack(revision, weight, undoes.getAsLong());
        }
    }

    private void takeBack(long revision, long weight, long undoes) {
        Map<Long, Long> before = undone == null ? new HashMap<>() : undone;
        undone = before;
        long target = before.getOrDefault(undoes, undoes);
        before.put(revision, target);
        int at = Arrays.binarySearch(revisions, 0, count, target);
        if (at >= 0) {
            weights[at] += weight;
        }
    }

    void delete(long revision, boolean selected, boolean byUndo) {
        touched |= selected;
        long others = sum - Arrays.stream(weights, 0, count).sum();
        if (!byUndo || !selected) {
            count = 0;
        }
        if (selected && !byUndo && others != 0) {
            add(revision, -others);
        }
        sum = 0;
    }

    private void add(long revision, long weight) {
        if (count == revisions.length) {
            int size = Math.max(1, 2 * count);
            revisions = Arrays.copyOf(revisions, size);
            weights = Arrays.copyOf(weights, size);
        }
        revisions[count] = revision;
        weights[count] = weight;
        count++;
    }

    /** Returns what is left to take back. */
    List<UndoStep.Contribution> contributions() {
        List<UndoStep.Contribution> left = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            if (weights[i] != 0) {
                left.add(new UndoStep.Contribution(revisions[i], weights[i]));
            }
        }
        return left;
    }
}
