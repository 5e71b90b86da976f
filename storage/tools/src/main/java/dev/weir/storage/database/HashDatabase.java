package dev.weir.storage.database;

import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.UpdateBatch;

/**
 * A store of hashes on disk or in another service. For one thread at a time.
 *
 * <p>Updates mean the same as in {@link dev.weir.storage.index.HashIndex#apply}: after the same updates, {@link #load}
 * returns what the index contains.
 */
public interface HashDatabase extends AutoCloseable {

    /** Returns the random number that identifies the storage. An update log of another storage does not fit. */
    long storageId() throws StorageException;

    /**
     * Gives a backend without hashes and without updates the number of a storage.
     *
     * @throws StorageException if it has hashes or updates, or cannot be written
     */
    void adopt(long storageId) throws StorageException;

    /**
     * Gives the backend a new random number, because its content came from another storage: neither the log of that one
     * nor an earlier log beside it goes on from here.
     */
    void renumber() throws StorageException;

    /** Returns the number of digests. */
    long count() throws StorageException;

    /** Returns the estimated share of digests with a signature, 0 to 1, for reserving room. */
    double signedShare() throws StorageException;

    /** Returns the revision of the last update that was applied; 0 before the first. */
    long revision() throws StorageException;

    /**
     * Returns the running checksum of the update log up to {@link #revision}. It shows whether the updates that the
     * backend has are those of a log.
     *
     * @return empty if it is not known, as after changes by another program
     */
    OptionalLong history() throws StorageException;

    /**
     * Records {@link #history}.
     *
     * @throws StorageException if it cannot be written
     */
    void keepHistory(long checksum) throws StorageException;

    /**
     * Streams every hash.
     *
     * @param progress receives the number of hashes so far from time to time
     */
    void load(Consumer<StoredHash> hashes, LongConsumer progress) throws StorageException;

    /**
     * Applies a batch completely or not at all, and records its last revision and its history with it. When this
     * returns, all of it is on disk. Updates up to {@link #revision} are skipped, because they were applied before.
     *
     * @throws StorageException if nothing of the batch was applied
     * @throws IllegalArgumentException if updates between {@link #revision} and the batch are missing
     */
    void apply(UpdateBatch batch) throws StorageException;

    /**
     * Reduces the size of the files if that is worthwhile and there is room for it. Takes long; meanwhile the index
     * answers.
     *
     * @param spare bytes to leave free on the disk at all times
     * @return whether anything was done; the log of the program reports a lack of room
     */
    boolean compact(long spare) throws StorageException;

    /** Completes all writes, and closes files and connections. */
    @Override
    void close() throws StorageException;
}
