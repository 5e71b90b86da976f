package dev.weir.storage.engine;

import java.util.Optional;

import dev.weir.storage.StorageException;
import dev.weir.storage.backend.IntegrityCheck;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.LogFollower;
import dev.weir.storage.queue.MirrorFeeder;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;

/**
 * The hashes that outlive an engine, without the updates that only the log has. They are in a backend or in a store.
 */
interface DurableHashes {

    /** Returns the name of the place for messages: the database, or the store. */
    String name();

    /** Returns the consequence of a stop that leaves updates in the log. */
    String ifLeftBehind();

    /** Returns the identifier of the storage, which its log must have, too. */
    long storageId() throws StorageException;

    /** Returns the last revision for which the log is not needed. */
    long revision() throws StorageException;

    /** Returns the index. {@link Recovery} applies the updates after {@link #revision} to it. */
    HashIndex index();

    /**
     * Ends the recovery: the index has every update of the log.
     *
     * @throws StorageException if what the next start needs cannot be written
     */
    void recovered(UpdateLog log) throws StorageException;

    /** Returns the follower of the log for the running engine. */
    LogFollower follower(UpdateLog log, Timing timing, StorageClock clock);

    /** Returns the feeder of the mirror for the running engine; empty without a mirror. */
    Optional<MirrorFeeder> mirror(UpdateLog log, Timing timing, StorageClock clock);

    /** Returns the state of a store; empty for a database. Any thread may ask. */
    Optional<StoreFigures> figures();

    /** Returns a check of the stored data that runs while the engine does. */
    IntegrityCheck check();

    /**
     * Releases everything after the last update.
     *
     * @param complete whether the index has every update of the log
     */
    void close(UpdateLog log, boolean complete) throws StorageException;

    /** Releases everything after a failed start. */
    void abandon() throws StorageException;
}
