package dev.weir.storage.engine;

import java.util.List;
import java.util.Optional;

import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.log.Disk;
import dev.weir.storage.log.LogEndNote;

/** The state of an engine that outlives its process. */
public interface EngineFiles extends AutoCloseable {

    /**
     * Returns the place of the store, which is created if necessary.
     *
     * @throws StorageException if it cannot be used
     */
    CheckpointPlace openStore() throws StorageException;

    /** Returns what follows the log beside the checkpoints. */
    default List<Attachment> attachments() {
        return List.of();
    }

    /**
     * Returns the disk of the update log, which is created if necessary.
     *
     * @throws StorageException if it cannot be used
     */
    Disk openLog() throws StorageException;

    /** Returns what is known about the end of the update log from outside its folder. */
    LogEndNote logEnd(long storageId);

    /** Returns whether a storage has run here, although there may be neither a store nor an update log. */
    boolean hasRun();

    /** Returns what an operator must know of the small files beside the log and the store. */
    default List<Trouble> troubles() {
        return List.of();
    }

    /**
     * Returns what is known of the time of the last run; empty if nothing is.
     *
     * @param storageId the number of the storage
     * @throws StorageException if it cannot be read
     */
    Optional<LastRun> lastRun(long storageId) throws StorageException;

    /** Replaces {@link #lastRun}. A failure is logged; the next start then knows the time less precisely. */
    void saveLastRun(long storageId, LastRun last);

    /** Releases everything, so that another process can use it. */
    @Override
    void close() throws StorageException;
}
