package dev.weir.storage.access;

/** An operation that a key may permit (docs/reference/storage.md#key-extensions, {@code allowed_ops}). */
public enum Operation {
    /** Check hashes. */
    READ,
    /** Write hashes. */
    WRITE,
    /** Delete hashes. */
    DELETE
}
