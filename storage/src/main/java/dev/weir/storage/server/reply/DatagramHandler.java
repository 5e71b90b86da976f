package dev.weir.storage.server.reply;

import dev.weir.wire.Protocol;

/**
 * Answers datagrams, and frames, which are datagrams on a stream (docs/reference/protocol.md#frames). One handler
 * serves one thread.
 */
@FunctionalInterface
public interface DatagramHandler {
    /** Bytes that the array for replies must hold at least: the longest reply and the header of its encryption. */
    int MAX_REPLY = Protocol.REPLY_HEADER + Protocol.MAX_REPLY;

    /**
     * Handles one datagram or frame, whose bytes it may overwrite. Never throws.
     *
     * @return how many bytes of {@code reply} to send back at once; 0 for none
     */
    int handle(byte[] datagram, int length, Peer from, byte[] reply);
}
