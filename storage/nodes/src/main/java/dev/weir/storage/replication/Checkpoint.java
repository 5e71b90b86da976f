package dev.weir.storage.replication;

import dev.weir.storage.StorageException;
import dev.weir.storage.transfer.HashSource;

/**
 * The hashes of a node as of one revision, for reading.
 *
 * @param source the hashes; closed by its user
 * @param revision the last update that they have
 */
public record Checkpoint(HashSource source, long revision) {
    /** The place where checkpoints come from. */
    @FunctionalInterface
    public interface Origin {
        /** Pins the present state. */
        Checkpoint open() throws StorageException;
    }
}
