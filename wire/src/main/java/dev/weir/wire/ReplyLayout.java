package dev.weir.wire;

/** The four forms of a reply (spec 4). */
public enum ReplyLayout {
    /** A line of ASCII, at most 28 bytes (spec 4.1). */
    TEXT(28),
    /** value, flag, tag, probability: 16 bytes (spec 4.2). */
    SHORT(16),
    /** With digest and time: 96 bytes (spec 4.3). */
    LONG(96),
    /** With up to seven more flags: 144 bytes (spec 4.4). */
    MULTI_FLAG(144);

    private final int size;

    ReplyLayout(int size) {
        this.size = size;
    }

    /** Bytes of such a reply; for {@link #TEXT} the most that it can take. */
    public int size() {
        return size;
    }
}
