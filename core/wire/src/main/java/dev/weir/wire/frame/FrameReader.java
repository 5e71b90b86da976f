package dev.weir.wire.frame;

import java.nio.ByteBuffer;

import dev.weir.wire.Protocol;

/**
 * A decoder for frames of the stream transport (docs/reference/protocol.md#frames), which arrive in arbitrary pieces. A
 * frame is a little-endian length of two bytes, followed by the bytes that a datagram would contain.
 *
 * <p>The reader keeps only the last frame between calls, so one reader serves all connections of a thread. The bytes
 * that remain in a source are the beginning of the next frame, fewer than {@link #MAX_BYTES}. The caller must put them
 * before the next bytes of the connection.
 */
public final class FrameReader {
    /** Size of the length field before a frame. */
    public static final int HEADER = 2;

    /** The maximum size of a frame, including its length field. */
    public static final int MAX_BYTES = HEADER + Protocol.MAX_FRAME;

    /** The state of a source. */
    public enum Step {
        /** The source began with a frame, which was removed from it. */
        FRAME,
        /** The source is empty or contains an incomplete frame. It is unchanged. */
        INCOMPLETE,
        /** The length is invalid, so the rest of the stream cannot be decoded. */
        INVALID
    }

    private final byte[] bytes = new byte[Protocol.MAX_FRAME];
    private int length;

    /** Removes one frame from the source if it begins with a complete one. Otherwise leaves the source unchanged. */
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

    /** Returns the array that begins with the last frame. The caller may overwrite its bytes. */
    public byte[] bytes() {
        return bytes;
    }

    /** Returns the length of the last frame, 1..{@link Protocol#MAX_FRAME}; 0 before the first one. */
    public int length() {
        return length;
    }
}
