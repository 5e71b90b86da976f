package dev.weir.load.query;

/** The judgment of an answer. */
public enum Correctness {
    /** The expected answer. */
    RIGHT,
    /** Another answer. */
    WRONG,
    /** An error code. */
    REFUSED
}
