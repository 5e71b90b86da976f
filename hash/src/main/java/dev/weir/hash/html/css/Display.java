package dev.weir.hash.html.css;

/** How an element stands among its neighbours. */
public enum Display {
    HIDDEN, INLINE, BLOCK, TABLE_ROW
}
