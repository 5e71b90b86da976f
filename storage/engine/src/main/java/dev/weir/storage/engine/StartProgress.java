package dev.weir.storage.engine;

/** The progress of a start. The thread that starts reports it, so an implementation must be quick. */
public interface StartProgress {
    /** Ignores it. */
    StartProgress NONE = new StartProgress() {
        @Override
        public void loading(long hashes, long of) {}

        @Override
        public void carrying(long hashes, long of) {}
    };

    /**
     * The store is being loaded.
     *
     * @param hashes that are loaded
     * @param of how many there are about
     */
    void loading(long hashes, long of);

    /**
     * A store takes over the hashes of a database.
     *
     * @param hashes that it has taken over
     * @param of how many there are about
     */
    void carrying(long hashes, long of);
}
