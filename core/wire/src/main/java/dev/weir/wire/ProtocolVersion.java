package dev.weir.wire;

/** The protocol family of a request. It determines the layout of the reply (docs/reference/protocol.md#versions). */
public enum ProtocolVersion {
    /** The text protocol. */
    V0_6(ReplyLayout.TEXT),
    /** Version 2. */
    V0_8(ReplyLayout.SHORT),
    /** Version 3, not encrypted. */
    V0_9(ReplyLayout.SHORT),
    /** Version 3, encrypted. */
    V1_0(ReplyLayout.SHORT),
    /** Version 4. */
    V1_7(ReplyLayout.LONG),
    /** Version 5, or version 4 with the multi-flag bit. */
    V4_0(ReplyLayout.MULTI_FLAG);

    private final ReplyLayout reply;

    ProtocolVersion(ReplyLayout reply) {
        this.reply = reply;
    }

    /** Returns the layout of all replies to this epoch, including errors. */
    public ReplyLayout reply() {
        return reply;
    }
}
