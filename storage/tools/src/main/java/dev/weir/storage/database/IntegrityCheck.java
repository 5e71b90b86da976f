package dev.weir.storage.database;

/** A search for damage in all data of a backend, for a separate thread. */
public interface IntegrityCheck extends Runnable {
    /** The check of data that needs none. */
    IntegrityCheck NONE = new IntegrityCheck() {
        @Override
        public String damage() {
            return "";
        }

        @Override
        public void end() {
            // The check has already ended.
        }

        @Override
        public void run() {
            // There is nothing to check.
        }
    };

    /** Returns a description of the damage for the operator; empty while none is found. Any thread may ask. */
    String damage();

    /** Makes {@link #run} return within milliseconds and close everything. Any thread may call this. */
    void end();
}
