package dev.weir.load;

/** What an answer is worth. */
enum Correctness {
    /** Exactly what has to be said. */
    RIGHT,
    /** Something else. */
    WRONG,
    /** An error code. */
    REFUSED
}
