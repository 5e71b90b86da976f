package dev.weir.storage.backend;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.Update;
import dev.weir.storage.UpdateBatch;

/**
 * Keeps hashes on disk or in another service. One thread at a time uses it.
 *
 * <p>The meaning of an update is that of {@link dev.weir.storage.index.HashIndex#apply}: after the same batches, what
 * {@link #load} gives equals what the index holds.
 */
public interface Backend extends AutoCloseable {

    /** Number of digests. */
    long count() throws StorageException;

    /** The revision of the last batch that was applied; 0 before the first. */
    long revision() throws StorageException;

    /**
     * Streams every hash.
     *
     * @param progress is told every now and then how many hashes there were so far
     */
    void load(Consumer<StoredHash> hashes, LongConsumer progress) throws StorageException;

    /**
     * Applies a batch wholly or not at all. When this returns, the batch is on disk. A batch whose revision is not
     * above {@link #revision} was applied before and is ignored.
     *
     * @throws StorageException if nothing of the batch was applied
     */
    void apply(UpdateBatch batch) throws StorageException;

    /**
     * Removes flags that last changed before a moment, wholly or not at all.
     *
     * @param oldest seconds since the epoch of the oldest change to keep
     * @param limit the most to remove at once
     * @return what was removed, in order; fewer than {@code limit} means that nothing more is due
     */
    List<Update.Delete> expire(long oldest, int limit) throws StorageException;

    /** Settles everything and lets go of files and connections. */
    @Override
    void close() throws StorageException;
}
