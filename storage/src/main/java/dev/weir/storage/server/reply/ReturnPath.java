package dev.weir.storage.server.reply;

/** The way back to where a request came from; for the one thread that makes late replies. */
@FunctionalInterface
public interface ReturnPath {
    /**
     * Takes the first {@code length} bytes, which leave with the next flush at the latest; what goes wrong is counted.
     */
    void send(byte[] reply, int length);
}
