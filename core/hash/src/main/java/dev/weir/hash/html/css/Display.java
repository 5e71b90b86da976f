package dev.weir.hash.html.css;

/** The display type of an element. */
public enum Display {
    HIDDEN, INLINE, BLOCK, TABLE_ROW
}
