package dev.weir.storage.brake;

/**
 * A removal of hashes for another reason than their own age by steadily elapsed time.
 *
 * @param name the kind of the removal, one of each kind at a time: a word such as {@code expiry}
 * @param basis everything on which the decision is based, such as the identity and the position of the other party;
 *            another basis makes another removal
 * @param why the reason for the operator; a clause such as "the leader does not have them"
 * @param hashes the number of hashes that would be removed
 * @param total the number of hashes that are stored
 */
public record MassRemoval(String name, String basis, String why, long hashes, long total) {
    public MassRemoval {
        if (!name.matches("[a-z]{1,20}") || hashes < 0 || total < 0) {
            throw new IllegalArgumentException("no removal: " + name + " " + hashes + " of " + total);
        }
    }
}
