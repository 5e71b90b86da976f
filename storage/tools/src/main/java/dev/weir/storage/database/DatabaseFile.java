package dev.weir.storage.database;

import java.io.IOException;
import java.util.Optional;

import dev.weir.storage.StorageException;
import dev.weir.storage.view.StorageView;

/** The place where a {@link HashDatabase} keeps its hashes between two runs, such as a file. */
public interface DatabaseFile {

    /** Returns the name of the place for messages. */
    String name();

    /** Returns whether there is a backend in the place. */
    boolean exists();

    /**
     * Opens the backend, or creates it. Accepts changes that another program has made.
     *
     * @throws StorageException if the place cannot be read or written, or contains something else
     */
    HashDatabase open() throws StorageException;

    /**
     * Opens a backend whose {@link #fingerprint} has not changed since {@link HashDatabase#close}. This skips the
     * search for changes by another program.
     *
     * @throws StorageException as {@link #open}
     */
    HashDatabase reopen() throws StorageException;

    /**
     * Returns a value that changes whenever a program writes to the place.
     *
     * @return empty if the place does not exist, or a program has incomplete changes
     * @throws IOException if the place cannot be read
     */
    Optional<FileState> fingerprint() throws IOException;

    /**
     * Returns what distinguishes the place from another one that is later put there under the same name.
     *
     * @return empty if the place does not exist
     * @throws IOException if it cannot be read
     */
    Optional<Object> identity() throws IOException;

    /** Returns a check of the stored data that runs while the backend is in use. */
    IntegrityCheck integrityCheck();

    /**
     * Opens a read-only view, also while another program uses the place.
     *
     * @throws StorageException if it cannot be read at all
     */
    StorageView view() throws StorageException;

    /**
     * Deletes everything that belongs to the place. Does nothing if it does not exist.
     *
     * @throws IOException if something cannot be deleted
     */
    void delete() throws IOException;
}
