package dev.weir.storage.engine;

/** The progress of a start. The thread that starts reports it, so an implementation must be quick. */
public interface StartProgress {
    /** Ignores it. */
    StartProgress NONE = new StartProgress() {
        @Override
        public void loading(long hashes, long of) {}

        @Override
        public void reading(long bytes, long of) {}

        @Override
        public void carrying(long hashes, long of) {}
    };

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

    /**
     * A store takes over the hashes of a database.
     *
     * @param hashes that it has taken over
     * @param of how many there are about
     */
    void carrying(long hashes, long of);
}
