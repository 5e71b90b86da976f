package dev.weir.storage.view;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import dev.weir.model.Digest;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LoggedUpdate;

/** A read-only view of a backend's data at one moment, also while a storage uses it. */
public interface StorageView extends AutoCloseable {

    /**
     * Returns whether Weir has ever opened the place. Data that only Rspamd has used has no identifier and no revision.
     */
    boolean hasState();

    /** Returns the identifier of the storage; 0 without state. */
    long storageId() throws StorageException;

    /** Returns the revision of the last update; 0 without state. */
    long revision() throws StorageException;

    /** Returns the number of digests. */
    long count() throws StorageException;

    /** Returns descriptions of damage; empty for sound data. */
    List<String> damages();

    /** Returns descriptions of orphaned rows, which are harmless but use space. */
    List<String> leftovers();

    /**
     * Streams recorded changes of stored hashes, by revision. Tags, ports and signatures are not recorded.
     *
     * @param query the wanted changes; the target may get others, too
     */
    void audit(AuditQuery query, Consumer<LoggedUpdate> target) throws StorageException;

    /**
     * Streams the recorded changes of some hashes, hash by hash, those of each by revision.
     *
     * @param before only revisions below this
     */
    void audit(long before, Set<Digest> digests, Consumer<LoggedUpdate> target) throws StorageException;

    /**
     * Writes a compact copy that a backend of the same kind can open. Only the user of the process can read it.
     *
     * @throws StorageException if the copy cannot be written
     */
    void copyTo(Path target) throws StorageException;

    @Override
    void close() throws StorageException;
}
