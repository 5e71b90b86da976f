package dev.weir.storage.engine;

import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.storage.StorageException;
import dev.weir.storage.backend.BackendStore;
import dev.weir.storage.log.Disk;

/** Everything of an engine that outlives its process. */
public interface EngineStore extends AutoCloseable {

    /**
     * The place of the store, if the hashes are in one and not in a backend.
     *
     * @throws StorageException if it cannot be used
     */
    default Optional<StorePlace> openStore() throws StorageException {
        return Optional.empty();
    }

    /** The place of the backend. */
    BackendStore backend();

    /**
     * The disk of the update log, created if it does not exist.
     *
     * @throws StorageException if it cannot be used
     */
    Disk openLog() throws StorageException;

    /** The place of the index that a stop leaves. */
    SnapshotStore snapshot();

    /** A recent time of the last run, in milliseconds since 1970; empty if it is unknown. */
    OptionalLong lastTime();

    /** Replaces {@link #lastTime}. A failure is logged: the next start then knows the time less exactly. */
    void saveLastTime(long millis);

    /** Releases everything, so that another process may use it. */
    @Override
    void close() throws StorageException;
}
