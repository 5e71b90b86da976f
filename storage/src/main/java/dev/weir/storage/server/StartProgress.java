package dev.weir.storage.server;

/** Is told how far a start has come; by the thread that starts, so it had better be quick. */
public interface StartProgress {
    /**
     * The database is being loaded.
     *
     * @param hashes that are loaded
     * @param of how many there are about
     */
    void loading(long hashes, long of);

    /**
     * The index that the last stop left is being read instead.
     *
     * @param bytes that are read
     * @param of length of the file
     */
    void reading(long bytes, long of);
}
