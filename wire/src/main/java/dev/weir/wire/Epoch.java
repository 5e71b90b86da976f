package dev.weir.wire;

/**
 * The release family that a request comes from; decides the layout of its reply (docs/reference/protocol.md#versions).
 */
public enum Epoch {
    /** The text form. */
    V0_6(ReplyLayout.TEXT),
    /** Version 2. */
    V0_8(ReplyLayout.SHORT),
    /** Version 3 in the clear. */
    V0_9(ReplyLayout.SHORT),
    /** Version 3 in a box. */
    V1_0(ReplyLayout.SHORT),
    /** Version 4. */
    V1_7(ReplyLayout.LONG),
    /** Version 5, or version 4 with the multi-flag bit. */
    V4_0(ReplyLayout.MULTI_FLAG);

    private final ReplyLayout reply;

    Epoch(ReplyLayout reply) {
        this.reply = reply;
    }

    /** The layout of replies to this epoch, for every command and every error. */
    public ReplyLayout reply() {
        return reply;
    }
}
