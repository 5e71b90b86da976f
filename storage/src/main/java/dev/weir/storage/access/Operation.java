package dev.weir.storage.access;

/** What a key may be allowed to do (storage.md 7.1, {@code allowed_ops}). */
public enum Operation {
    /** To check. */
    READ,
    /** To write. */
    WRITE,
    /** To delete. */
    DELETE
}
