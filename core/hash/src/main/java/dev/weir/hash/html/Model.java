package dev.weir.hash.html;

/** Content models and other properties of a known tag (docs/reference/hashing.md#html). */
enum Model {
    /** A void tag, closed as soon as it is opened: {@code br}, {@code img}. */
    EMPTY,
    /** A tag of the head whose text is never visible: {@code title}, {@code style}, {@code script}. */
    HEAD,
    /** A block, which has its own lines. */
    BLOCK,
    /** A table, or a part of one that has its own lines. */
    TABLE,
    /** A table cell, displayed next to its neighbors. */
    ROW,
    /** A tag whose content is raw text. */
    RAW,
    /** A tag that may have a URL in {@code href} or {@code action}. */
    HREF;

    /** Returns the bit that represents the model in a set. */
    @SuppressWarnings("EnumOrdinal") // a set of them is never stored
    int bit() {
        return 1 << ordinal();
    }
}
