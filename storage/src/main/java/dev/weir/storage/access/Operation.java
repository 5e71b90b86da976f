package dev.weir.storage.access;

/** What a key may be allowed to do (docs/reference/storage.md#key-extensions, {@code allowed_ops}). */
public enum Operation {
    /** To check. */
    READ,
    /** To write. */
    WRITE,
    /** To delete. */
    DELETE
}
