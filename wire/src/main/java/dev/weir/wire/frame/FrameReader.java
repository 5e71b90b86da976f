package dev.weir.wire.frame;

import java.nio.ByteBuffer;

import dev.weir.wire.Protocol;

/**
 * Takes frames of the stream transport out of the bytes as they arrive, cut anywhere
 * (docs/reference/protocol.md#frames): a length of two bytes, little endian, then so many bytes, which are what a
 * datagram would be. It keeps nothing between two calls but the frame itself, so one reader serves all connections of a
 * thread; what is left of a source is the beginning of the next frame, fewer than {@link #MAX_BYTES} bytes, and is to
 * be put in front of what comes next.
 */
public final class FrameReader {
    /** Bytes of the length in front of a frame. */
    public static final int HEADER = 2;

    /** The longest frame with its length. */
    public static final int MAX_BYTES = HEADER + Protocol.MAX_FRAME;

    /** What a source begins with. */
    public enum Step {
        /** A frame, which was taken out of the source. */
        FRAME,
        /** A part of a frame, or nothing; it was left there. */
        INCOMPLETE,
        /** A length that no frame has: no byte of this stream can be understood from here on. */
        INVALID
    }

    private final byte[] bytes = new byte[Protocol.MAX_FRAME];
    private int length;

    /** Takes one frame out of the source if it begins with a whole one; otherwise leaves the source as it is. */
    public Step next(ByteBuffer source) {
        if (source.remaining() < HEADER) {
            return Step.INCOMPLETE;
        }
        int at = source.position();
        int announced = (source.get(at) & 0xff) | (source.get(at + 1) & 0xff) << 8;
        if (announced == 0 || announced > Protocol.MAX_FRAME) {
            return Step.INVALID;
        }
        if (source.remaining() < HEADER + announced) {
            return Step.INCOMPLETE;
        }
        source.position(at + HEADER).get(bytes, 0, announced);
        length = announced;
        return Step.FRAME;
    }

    /** The array that the last frame is at the beginning of. Its bytes may be overwritten. */
    public byte[] bytes() {
        return bytes;
    }

    /** Bytes of the last frame, 1..{@link Protocol#MAX_FRAME}; 0 before the first one. */
    public int length() {
        return length;
    }
}
