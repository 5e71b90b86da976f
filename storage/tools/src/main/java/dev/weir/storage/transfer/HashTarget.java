package dev.weir.storage.transfer;

import java.util.List;

import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;

/** A target of hashes. For one thread at a time. */
public interface HashTarget extends AutoCloseable {
    /** The result of {@link #begin} if the same content was added before. */
    long DONE = Long.MAX_VALUE;

    /**
     * A hash with its position in the source.
     *
     * @param position greater than that of the previous hash
     */
    record Item(long position, StoredHash hash) {}

    /**
     * The effect of writing some hashes.
     *
     * @param added the number of new hashes
     * @param merged the number of existing hashes that changed
     * @param unchanged the number of existing hashes that did not change
     */
    record Written(long added, long merged, long unchanged) {
        /** No hashes. */
        public static final Written NONE = new Written(0, 0, 0);

        /** Returns the sum. */
        public Written plus(Written other) {
            return new Written(added + other.added, merged + other.merged, unchanged + other.unchanged);
        }
    }

    /** Returns the name of the target for users; never with a password. */
    String name();

    /**
     * The announced content.
     *
     * @param fingerprint the fingerprint of the source
     * @param expected approximate number of hashes in the source, or {@link HashSource#UNKNOWN}
     * @param merge the treatment of existing digests
     * @param restart whether to ignore the progress of an earlier run
     */
    record Plan(long fingerprint, long expected, Merge merge, boolean restart) {}

    /**
     * Begins or resumes.
     *
     * @return the position after which to continue: {@link HashSource#START} for everything, {@link #DONE} for nothing
     */
    long begin(Plan plan) throws StorageException;

    /** Writes hashes completely or not at all, with the position of the last one. */
    Written write(List<Item> items, Omissions omissions) throws StorageException;

    /** Completes the target. When this returns, it is durable. */
    void finish() throws StorageException;

    /** Closes files and connections. Without {@link #finish} before, a later run can resume. */
    @Override
    void close() throws StorageException;
}
