package dev.weir.load.query;

/** What an answer is worth. */
public enum Correctness {
    /** Exactly what has to be said. */
    RIGHT,
    /** Something else. */
    WRONG,
    /** An error code. */
    REFUSED
}
