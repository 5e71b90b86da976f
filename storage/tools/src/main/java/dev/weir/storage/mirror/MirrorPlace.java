package dev.weir.storage.mirror;

import java.util.Optional;
import java.util.function.BooleanSupplier;

import dev.weir.storage.StorageException;
import dev.weir.storage.database.DatabaseFile;

/** The place of a mirror, and the work on it besides copying updates. One thread uses it. */
public interface MirrorPlace {

    /** Returns the backend in which the mirror is. */
    DatabaseFile backend();

    /**
     * Returns the command that makes a stopped storage go on with the mirror instead of the store; empty if the mirror
     * is not the database of the storage's folder.
     */
    Optional<String> adoption();

    /**
     * Called before the mirror is written, or before its backend is opened for writing.
     *
     * @throws StorageException if that cannot be noted; the mirror stays as it is then
     */
    void opening() throws StorageException;

    /** Called after the backend of the mirror was closed, if the place has what Weir left there. */
    void closed();

    /**
     * Builds the mirror from the store and replaces the old one with it. Takes minutes.
     *
     * @param stopped whether to give up
     * @throws StorageException if it cannot be built, or was given up; the old mirror stays then
     */
    void build(BooleanSupplier stopped) throws StorageException;
}
