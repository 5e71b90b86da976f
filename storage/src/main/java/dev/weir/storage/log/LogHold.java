package dev.weir.storage.log;

/**
 * A reader's claim to the updates after a revision. The log keeps them while they take no more than a number of bytes,
 * and while it does not need their space. {@link UpdateLog#has} tells whether they are there.
 */
public final class LogHold {
    private final long maxBytes;
    private volatile long revision;

    LogHold(long revision, long maxBytes) {
        this.revision = revision;
        this.maxBytes = maxBytes;
    }

    /** Gives up the updates up to a revision. */
    public void moveTo(long last) {
        revision = last;
    }

    /** Returns the last revision that the reader does not need. */
    public long revision() {
        return revision;
    }

    /** Returns the limit of the updates in bytes. */
    long maxBytes() {
        return maxBytes;
    }
}
