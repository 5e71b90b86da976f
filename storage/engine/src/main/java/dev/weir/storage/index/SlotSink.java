package dev.weir.storage.index;

import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/**
 * A receiver of every hash that gets a record id in an index, so that the hash can be stored under this id. Only the
 * writer of the index calls it.
 */
public interface SlotSink {
    /** A sink that stores nothing. */
    SlotSink NONE = new SlotSink() {
        @Override
        public void reserve(int hashes) {
            // There is always room for nothing.
        }

        @Override
        public void put(int id, long[] digest, @Nullable Signature signature, long revision) {
            // Nothing is stored.
        }
    };

    /**
     * Makes room for some hashes, and waits for the disk if need be.
     *
     * @throws CheckpointUnwritableException if there is no room because the disk fails
     */
    void reserve(int hashes);

    /**
     * Receives a hash. Returns at once: room was reserved, and readers of the index wait meanwhile.
     *
     * @param id of the record, unique among the hashes with a signature, or among those without
     * @param digest eight words that the callee copies
     * @param signature null for a hash without one
     * @param revision number of the update that gave the hash this id
     */
    void put(int id, long[] digest, @Nullable Signature signature, long revision);
}
