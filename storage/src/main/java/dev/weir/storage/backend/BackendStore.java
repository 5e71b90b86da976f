package dev.weir.storage.backend;

import java.io.IOException;
import java.util.Optional;

import dev.weir.storage.StorageException;

/** The place where a {@link Backend} keeps its hashes between two runs, such as a file. */
public interface BackendStore {

    /** How messages name the place. */
    String name();

    /**
     * Opens the backend, creating it if it does not exist, and takes over what another program has changed.
     *
     * @throws StorageException if it cannot be read or written, or holds something else
     */
    Backend open() throws StorageException;

    /**
     * Opens a backend whose {@link #fingerprint} is still that of the last {@link Backend#close}. That spares the
     * search for changes by another program.
     *
     * @throws StorageException as {@link #open}
     */
    Backend reopen() throws StorageException;

    /**
     * What changes whenever a program writes to the place.
     *
     * @return empty if there is nothing yet, or if a program has changes that are not settled
     * @throws IOException if the place cannot be read
     */
    Optional<Fingerprint> fingerprint() throws IOException;

    /** Returns a check of the stored data that runs while the backend is in use. */
    IntegrityCheck integrityCheck();

    /**
     * Opens a read-only view beside whatever program uses the place.
     *
     * @throws StorageException if it cannot be read at all
     */
    BackendView view() throws StorageException;

    /**
     * Removes everything that belongs to the place. Does nothing if there is nothing.
     *
     * @throws IOException if something stays
     */
    void delete() throws IOException;
}
