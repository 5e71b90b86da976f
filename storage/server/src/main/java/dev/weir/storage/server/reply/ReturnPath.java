package dev.weir.storage.server.reply;

/** A path for late replies to the sender of a request. For the one thread that creates late replies. */
@FunctionalInterface
public interface ReturnPath {
    /**
     * Accepts the first {@code length} bytes as a reply. The next flush sends it at the latest. Failures are counted.
     */
    void send(byte[] reply, int length);
}
