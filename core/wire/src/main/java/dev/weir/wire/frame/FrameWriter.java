package dev.weir.wire.frame;

import java.nio.ByteBuffer;

import dev.weir.wire.Protocol;

/** An encoder for frames of the stream transport (docs/reference/protocol.md#frames). */
public final class FrameWriter {
    private FrameWriter() {}

    /**
     * Appends the length of a frame and the frame.
     *
     * @param length 1..{@link Protocol#MAX_FRAME}
     * @throws IllegalArgumentException if the length is out of range
     * @throws java.nio.BufferOverflowException if the target has no room for the frame and its length
     */
    public static void put(ByteBuffer target, byte[] bytes, int offset, int length) {
        if (length < 1 || length > Protocol.MAX_FRAME) {
            throw new IllegalArgumentException("a frame of " + length + " bytes");
        }
        target.put((byte) length).put((byte) (length >> Byte.SIZE)).put(bytes, offset, length);
    }
}
