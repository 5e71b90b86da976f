package dev.weir.wire.command;

/**
 * The transport and encryption of a command. Some layouts are valid only on some carriers
 * (docs/reference/protocol.md#versions).
 */
public enum Carrier {
    /** A datagram without encryption. */
    DATAGRAM(false, false),
    /** The plaintext of an encrypted datagram. */
    BOXED_DATAGRAM(true, false),
    /** A stream frame without encryption. */
    FRAME(false, true),
    /** The plaintext of an encrypted stream frame. */
    BOXED_FRAME(true, true);

    private final boolean boxed;
    private final boolean stream;

    Carrier(boolean boxed, boolean stream) {
        this.boxed = boxed;
        this.stream = stream;
    }

    /** Returns whether the command was encrypted. */
    public boolean boxed() {
        return boxed;
    }

    /** Returns whether the command arrived over a stream, where the length limit of datagrams does not apply. */
    public boolean stream() {
        return stream;
    }
}
