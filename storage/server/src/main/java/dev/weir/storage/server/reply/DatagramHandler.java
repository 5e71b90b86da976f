package dev.weir.storage.server.reply;

import dev.weir.wire.Protocol;

/**
 * A handler that answers datagrams and frames, the datagrams of a stream (docs/reference/protocol.md#frames). Each
 * thread has a separate handler.
 */
@FunctionalInterface
public interface DatagramHandler {
    /** The minimum size of the reply array: the longest reply plus the header of its encryption. */
    int MAX_REPLY = Protocol.REPLY_HEADER + Protocol.MAX_REPLY;

    /**
     * Handles a datagram or frame. May overwrite its bytes. Never throws.
     *
     * @return the number of bytes of {@code reply} to send at once, or 0
     */
    int handle(byte[] datagram, int length, Peer from, byte[] reply);
}
