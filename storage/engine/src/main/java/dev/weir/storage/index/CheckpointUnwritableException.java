package dev.weir.storage.index;

import java.io.IOException;

/** Thrown when the index has no room for an update because the store of its hashes cannot be written. */
public final class CheckpointUnwritableException extends IndexFullException {
    private static final long serialVersionUID = 1;

    /** Creates an exception with the reason. */
    public CheckpointUnwritableException(IOException cause) {
        super("the store cannot be written: " + cause.getMessage(), cause);
    }
}
