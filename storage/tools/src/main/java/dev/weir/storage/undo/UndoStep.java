package dev.weir.storage.undo;

import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/**
 * The part of an undo that concerns one flag of one hash.
 *
 * @param changes what to take back
 * @param before the value now; 0 if the flag is not stored
 * @param stored whether the flag is stored now
 * @param signature the signature, which brings a removed hash back; null if unknown or absent, and in a rehearsal
 */
public record UndoStep(Digest digest, int flag, List<Contribution> changes, long before, boolean stored,
        @Nullable Signature signature) {
    /** Copies the list. */
    public UndoStep {
        changes = List.copyOf(changes);
    }

    /**
     * What one change brought.
     *
     * @param revision the change; 0 for the whole value of a hash
     * @param weight what it added to the value
     */
    public record Contribution(long revision, long weight) {}

    /** Returns what all changes together brought. */
    public long brought() {
        long sum = 0;
        for (Contribution change : changes) {
            sum += change.weight();
        }
        return sum;
    }

    /** Returns whether the undo removes the flag, because nothing remains of its value. */
    public boolean removes() {
        return stored && brought() > 0 && before - brought() <= 0;
    }

    /** Returns the value afterwards; 0 if the flag is removed. */
    public long after() {
        return removes() ? 0 : before - brought();
    }

    /** Returns whether there is something to do: what a missing flag had is gone already. */
    public boolean isNeeded() {
        long brought = brought();
        return brought != 0 && (stored || brought < 0);
    }
}
