package dev.weir.storage.backend;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

import dev.weir.storage.StorageException;
import dev.weir.storage.log.LoggedUpdate;

/** A read-only view of what a backend has stored, beside the storage that may be using it; it shows one moment. */
public interface BackendView extends AutoCloseable {

    /** Returns whether a weir has ever opened the place: what only Rspamd has used has neither number nor revision. */
    boolean hasState();

    /** Returns the number of the storage; 0 without state. */
    long storageId() throws StorageException;

    /** Returns the revision of the last update; 0 without state. */
    long revision() throws StorageException;

    /** Returns the number of digests. */
    long count() throws StorageException;

    /** What is damaged, in words; empty for sound data. */
    List<String> damages();

    /** Rows that belong to nothing: they do no harm and take room. */
    List<String> leftovers();

    /**
     * Gives the recorded changes of stored hashes, by revision. Tags, ports and signatures are not recorded.
     *
     * @param before only revisions below it
     * @param digest only digests that begin with these lower-case hexadecimal digits
     */
    void audit(long before, String digest, Consumer<LoggedUpdate> target) throws StorageException;

    /**
     * Writes a compact copy that a backend of the same kind can open, readable by the user of the process alone.
     *
     * @throws StorageException if the copy cannot be written
     */
    void copyTo(Path target) throws StorageException;

    @Override
    void close() throws StorageException;
}
