package dev.weir.storage.engine;

import java.io.IOException;
import java.util.Optional;

import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Snapshot;

/** The place where an engine leaves its index for the next start. Losing it costs time, never hashes. */
public interface SnapshotStore {

    /** Returns the name of the place for messages. */
    String name();

    /**
     * Returns the origin of the snapshot.
     *
     * @return empty if there is no snapshot, or one in another format
     */
    Optional<Snapshot.Origin> origin() throws IOException;

    /**
     * Reads the snapshot of {@code origin}.
     *
     * @return empty if there is no snapshot, or one of another origin
     * @throws IOException if it cannot be read or is damaged
     */
    Optional<HashIndex> read(Snapshot.Origin origin, Snapshot.Progress progress) throws IOException;

    /** Replaces the snapshot. The index must not change meanwhile. */
    void write(Snapshot.Origin origin, HashIndex index) throws IOException;

    /** Deletes the snapshot, if there is one. */
    void delete() throws IOException;

    /** Returns the number of bytes that can still be written. */
    long usableBytes() throws IOException;
}
