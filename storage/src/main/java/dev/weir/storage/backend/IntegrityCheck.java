package dev.weir.storage.backend;

/** A search for damage in everything that a backend has stored, for a thread of its own. */
public interface IntegrityCheck extends Runnable {

    /** The damage, in words for the operator; empty while none is found. Any thread may ask. */
    String damage();

    /** Makes {@link #run} return within some milliseconds and leave nothing open. Any thread may call it. */
    void end();
}
