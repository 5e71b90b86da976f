package dev.weir.wire;

/** The four forms of a reply (docs/reference/protocol.md#reply-layout). */
public enum ReplyLayout {
    /** A line of ASCII, at most 28 bytes (docs/reference/protocol.md#text-reply). */
    TEXT(28),
    /** value, flag, tag, probability: 16 bytes (docs/reference/protocol.md#short-reply). */
    SHORT(16),
    /** With digest and time: 96 bytes (docs/reference/protocol.md#long-reply). */
    LONG(96),
    /** With up to seven more flags: 144 bytes (docs/reference/protocol.md#multi-flag-reply). */
    MULTI_FLAG(144);

    private final int size;

    ReplyLayout(int size) {
        this.size = size;
    }

    /** Returns the length of a reply in bytes; for {@link #TEXT}, the maximum length. */
    public int size() {
        return size;
    }
}
