package dev.weir.storage.brake;

/**
 * A removal that waits for an operator.
 *
 * @param id the name and a random number, so that a confirmation never applies to another removal
 * @param removal what would be removed, and why
 */
public record WaitingRemoval(String id, MassRemoval removal) {

    /** Returns what would happen and why, as a sentence without a full stop. */
    public String sentence() {
        return id + " would remove " + removal.hashes() + " of " + removal.total() + " hashes: " + removal.why();
    }
}
