package dev.weir.hash.html;

/** Content models and other properties of a known tag (docs/reference/hashing.md#html). */
enum Model {
    /** Closes as soon as it is opened: {@code br}, {@code img}. */
    EMPTY,
    /** Belongs into the head; its text is never shown: {@code title}, {@code style}, {@code script}. */
    HEAD,
    /** Stands on lines of its own. */
    BLOCK,
    /** A table or a part of it that stands on lines of its own. */
    TABLE,
    /** A cell: stands beside its neighbours. */
    ROW,
    /** Its content is no markup. */
    RAW,
    /** May bear a URL in {@code href} or {@code action}. */
    HREF
}
