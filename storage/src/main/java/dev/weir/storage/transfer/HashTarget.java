package dev.weir.storage.transfer;

import java.util.List;

import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;

/** Somewhere hashes go to. One thread at a time uses it. */
public interface HashTarget extends AutoCloseable {
    /** What {@link #begin} gives when this very content was added before. */
    long DONE = Long.MAX_VALUE;

    /**
     * A hash and its place in the source.
     *
     * @param position greater than that of the hash before
     */
    record Item(long position, StoredHash hash) {}

    /**
     * What became of some hashes.
     *
     * @param added had not been there
     * @param merged were there and changed
     * @param unchanged were there and stayed as they were
     */
    record Written(long added, long merged, long unchanged) {
        /** Nothing. */
        public static final Written NONE = new Written(0, 0, 0);

        /** Both together. */
        public Written plus(Written other) {
            return new Written(added + other.added, merged + other.merged, unchanged + other.unchanged);
        }
    }

    /** What is written, for people; never with a password. */
    String name();

    /**
     * What is about to come.
     *
     * @param fingerprint of the source
     * @param expected about how many hashes the source has, or {@link HashSource#UNKNOWN}
     * @param merge what happens to digests that are there
     * @param restart forget how far an earlier run came
     */
    record Plan(long fingerprint, long expected, Merge merge, boolean restart) {}

    /**
     * Begins or goes on.
     *
     * @return the position after which to go on: {@link HashSource#START} for all, {@link #DONE} for nothing
     */
    long begin(Plan plan) throws StorageException;

    /** Takes hashes wholly or not at all, and with them the position of the last one. */
    Written write(List<Item> items, Omissions omissions) throws StorageException;

    /** Settles everything: when this returns, the target is complete. */
    void finish() throws StorageException;

    /** Closes files and connections; without {@link #finish} before, what was written waits for the next run. */
    @Override
    void close() throws StorageException;
}
