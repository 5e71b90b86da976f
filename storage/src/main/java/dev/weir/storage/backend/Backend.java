package dev.weir.storage.backend;

import java.util.function.Consumer;
import java.util.function.LongConsumer;

import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.UpdateBatch;

/**
 * Keeps hashes on disk or in another service. One thread at a time uses it.
 *
 * <p>The meaning of an update is that of {@link dev.weir.storage.index.HashIndex#apply}: after the same updates, what
 * {@link #load} gives equals what the index holds.
 */
public interface Backend extends AutoCloseable {

    /** Returns a number that was drawn when this storage was made: an update log of another one does not fit it. */
    long storageId() throws StorageException;

    /** Returns the number of digests. */
    long count() throws StorageException;

    /** Which share of them has a signature, 0 to 1: an estimate, for reserving room. */
    double signedShare() throws StorageException;

    /** Returns the revision of the last update that was applied; 0 before the first. */
    long revision() throws StorageException;

    /**
     * Streams every hash.
     *
     * @param progress is told every now and then how many hashes there were so far
     */
    void load(Consumer<StoredHash> hashes, LongConsumer progress) throws StorageException;

    /**
     * Applies a batch wholly or not at all, and notes its last revision together with it. When this returns, both are
     * on disk. Updates of the batch whose revision is not above {@link #revision} were applied before and are left out.
     *
     * @throws StorageException if nothing of the batch was applied
     * @throws IllegalArgumentException if the batch begins later than one behind {@link #revision}: updates are missing
     */
    void apply(UpdateBatch batch) throws StorageException;

    /**
     * Does what keeps the files small, if it is worth it and there is room for it. Takes long; the index answers
     * meanwhile.
     *
     * @param spare bytes to leave free on the disk at every moment
     * @return whether anything was done; the log of the program says so where only room was missing
     */
    boolean compact(long spare) throws StorageException;

    /** Settles everything and closes files and connections. */
    @Override
    void close() throws StorageException;
}
