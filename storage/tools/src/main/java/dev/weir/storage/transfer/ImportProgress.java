package dev.weir.storage.transfer;

import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;

import dev.weir.storage.StorageException;

/**
 * The beginning of an import into a folder that records the progress of imports: a position for each name, or
 * {@link HashTarget#DONE} for a complete {@code add}. That entry stays, so that the same content is never added twice.
 *
 * @param position where to continue
 * @param obsolete names to remove
 */
public record ImportProgress(long position, Set<String> obsolete) {

    /** Copies the names. */
    public ImportProgress {
        obsolete = Set.copyOf(obsolete);
    }

    /** Returns the name of an import of some content. */
    public static String name(Merge merge, long fingerprint) {
        return merge.key() + " " + HexFormat.of().toHexDigits(fingerprint);
    }

    /**
     * Decides where an import continues.
     *
     * @param known the recorded positions by name
     * @param restart whether to ignore the progress of an earlier run
     * @throws StorageException if an {@code add} of other content is incomplete, because another import would lose its
     *             progress
     */
    public static ImportProgress of(Map<String, Long> known, String name, boolean restart) throws StorageException {
        Set<String> obsolete = new HashSet<>();
        for (Map.Entry<String, Long> other : known.entrySet()) {
            boolean same = other.getKey().equals(name);
            boolean done = other.getValue() == HashTarget.DONE;
            if (!same && !done && !restart && other.getKey().startsWith(Merge.ADD.key() + " ")) {
                throw new StorageException("an import with --merge add was interrupted and is not this one, or its "
                        + "source has changed since; finish that one first, or use --restart to give it up (what it "
                        + "added stays added)");
            }
            if (same ? restart : !done) {
                obsolete.add(other.getKey());
            }
        }
        Long position = restart ? null : known.get(name);
        return new ImportProgress(position == null ? HashSource.START : position, obsolete);
    }
}
