package dev.weir.storage.server;

/** Sends one datagram back to where another one came from. */
@FunctionalInterface
interface ReturnPath {
    /** Sends the first {@code length} bytes; what goes wrong is counted, not thrown. */
    void send(byte[] reply, int length);
}
