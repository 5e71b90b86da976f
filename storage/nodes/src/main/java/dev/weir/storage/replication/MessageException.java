package dev.weir.storage.replication;

/** Bytes that are not a message of replication. */
public final class MessageException extends Exception {
    private static final long serialVersionUID = 1L;

    MessageException(String message) {
        super(message);
    }
}
