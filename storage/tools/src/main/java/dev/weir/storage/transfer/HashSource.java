package dev.weir.storage.transfer;

import java.util.function.LongConsumer;

import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;

/**
 * A source of hashes. It never changes what it reads, and reads one consistent state even while another program writes.
 * For one thread at a time.
 */
public interface HashSource extends AutoCloseable {
    /** The position before the first hash. */
    long START = Long.MIN_VALUE;

    /** The result of {@link #remaining} if the number is unknown. */
    long UNKNOWN = -1;

    /** A receiver of hashes. */
    @FunctionalInterface
    interface Sink {
        /**
         * Receives one hash.
         *
         * @param position greater than that of the previous hash
         */
        void accept(long position, StoredHash hash) throws StorageException;
    }

    /** Returns the name of the source for users; never with a password. */
    String name();

    /**
     * Does the work that the other methods require, such as fetching from a service.
     *
     * @param progress receives the number of keys or rows so far from time to time
     */
    default void prepare(LongConsumer progress) throws StorageException {}

    /** Returns the approximate number of hashes after a position, or {@link #UNKNOWN}. */
    long remaining(long after) throws StorageException;

    /**
     * Returns a value that identifies the content. While it is the same, positions stay valid, also in another process.
     */
    long fingerprint() throws StorageException;

    /** Streams every hash after a position, in order of positions, and counts omissions. */
    void read(long after, Sink sink, Omissions omissions) throws StorageException;

    /** Called when everything read is durable in the target, so that data for a resumption can be deleted. */
    default void done() throws StorageException {}

    @Override
    void close() throws StorageException;
}
