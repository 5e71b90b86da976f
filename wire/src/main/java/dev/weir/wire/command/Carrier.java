package dev.weir.wire.command;

/**
 * The way in which a command arrived; some layouts are valid only on some ways (docs/reference/protocol.md#versions).
 */
public enum Carrier {
    /** A datagram in the clear. */
    DATAGRAM(false, false),
    /** What was in the box of a datagram. */
    BOXED_DATAGRAM(true, false),
    /** A frame of a stream in the clear. */
    FRAME(false, true),
    /** What was in the box of a frame. */
    BOXED_FRAME(true, true);

    private final boolean boxed;
    private final boolean stream;

    Carrier(boolean boxed, boolean stream) {
        this.boxed = boxed;
        this.stream = stream;
    }

    /** Whether the command was encrypted. */
    public boolean boxed() {
        return boxed;
    }

    /** Whether it came over a stream, where the limit of a datagram does not hold. */
    public boolean stream() {
        return stream;
    }
}
