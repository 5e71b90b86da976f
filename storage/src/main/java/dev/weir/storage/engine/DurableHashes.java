package dev.weir.storage.engine;

import dev.weir.storage.StorageException;
import dev.weir.storage.backend.IntegrityCheck;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.LogFollower;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;

/** The hashes that outlive an engine, without the updates that only the log has. They are in a backend or in a store. */
interface DurableHashes {

    /** How messages name the place: the database, or the store. */
    String name();

    /** What it means that a stop leaves updates in the log. */
    String ifLeftBehind();

    /** The number of the storage, which its log must have. */
    long storageId() throws StorageException;

    /** The update up to which the log is not needed. */
    long revision() throws StorageException;

    /** The index. {@link Recovery} applies the updates behind {@link #revision} to it. */
    HashIndex index();

    /**
     * Ends the recovery: the index has every update of the log.
     *
     * @throws StorageException if what the next start needs cannot be written
     */
    void recovered(UpdateLog log) throws StorageException;

    /** What follows the log from now on. */
    LogFollower follower(UpdateLog log, Timing timing, StorageClock clock);

    /** A check of the stored data that runs while the engine does. */
    IntegrityCheck check();

    /**
     * Releases everything after the last update.
     *
     * @param complete whether the index has every update of the log
     */
    void close(UpdateLog log, boolean complete) throws StorageException;

    /** Releases everything after a start that failed. */
    void abandon() throws StorageException;
}
