package dev.weir.storage.backend;

/** A search for damage in everything that a backend has stored, for a thread of its own. */
public interface IntegrityCheck extends Runnable {
    /** A check of data that needs none. */
    IntegrityCheck NONE = new IntegrityCheck() {
        @Override
        public String damage() {
            return "";
        }

        @Override
        public void end() {
            // It has ended already.
        }

        @Override
        public void run() {
            // There is nothing to check.
        }
    };

    /** Returns the damage, in words for the operator; empty while none is found. Any thread may ask. */
    String damage();

    /** Makes {@link #run} return within some milliseconds and leave nothing open. Any thread may call it. */
    void end();
}
