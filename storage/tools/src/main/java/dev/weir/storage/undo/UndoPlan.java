package dev.weir.storage.undo;

import java.util.List;

/**
 * The consequences of an undo, computed without changing anything.
 *
 * @param revision the last revision that the plan considers
 * @param selected the number of selected changes
 * @param gone the number of flags of which nothing is left to take back
 * @param steps the flags to change, those of a hash together
 */
public record UndoPlan(long revision, long selected, long gone, List<UndoStep> steps) {
    /** Copies the list. */
    public UndoPlan {
        steps = List.copyOf(steps);
    }

    /** Returns the number of hashes that change. */
    public long hashes() {
        long hashes = 0;
        for (int i = 0; i < steps.size(); i++) {
            hashes += i == 0 || !steps.get(i).digest().equals(steps.get(i - 1).digest()) ? 1 : 0;
        }
        return hashes;
    }

    /** Returns the number of flags that are removed. */
    public long removed() {
        return steps.stream().filter(UndoStep::removes).count();
    }

    /** Returns the number of flags whose value falls. */
    public long lowered() {
        return steps.stream().filter(step -> !step.removes() && step.brought() > 0).count();
    }

    /** Returns the number of flags that are raised or come back. */
    public long raised() {
        return steps.stream().filter(step -> step.brought() < 0).count();
    }
}
