package dev.weir.storage.transfer;

import java.util.function.LongConsumer;

import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;

/**
 * Somewhere hashes come from. A source never changes what it reads, and reads one state of it even while another
 * program writes. One thread at a time uses it.
 */
public interface HashSource extends AutoCloseable {
    /** The position before the first hash. */
    long START = Long.MIN_VALUE;

    /** What {@link #remaining} gives when there is no telling. */
    long UNKNOWN = -1;

    /** Takes what a source gives. */
    @FunctionalInterface
    interface Sink {
        /**
         * Takes one hash.
         *
         * @param position greater than that of the hash before
         */
        void accept(long position, StoredHash hash) throws StorageException;
    }

    /** What is read, for people; never with a password. */
    String name();

    /**
     * Does what has to be done before the other methods can answer: fetching from a service, for example.
     *
     * @param progress is told every now and then how many keys or rows there were so far
     */
    default void prepare(LongConsumer progress) throws StorageException {}

    /** About how many hashes come after a position, or {@link #UNKNOWN}. */
    long remaining(long after) throws StorageException;

    /**
     * Tells contents apart: as long as it is the same, a position of an earlier run means the same place, also in
     * another process.
     */
    long fingerprint() throws StorageException;

    /** Streams every hash after a position in order of positions, and counts what it leaves out. */
    void read(long after, Sink sink, Omissions omissions) throws StorageException;

    /** Told when everything that was read is settled in the target: what was kept to go on later can go. */
    default void done() throws StorageException {}

    @Override
    void close() throws StorageException;
}
