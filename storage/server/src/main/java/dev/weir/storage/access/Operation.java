package dev.weir.storage.access;

import java.util.Locale;

/** An operation that a key may permit (docs/reference/storage.md#key-extensions, {@code allowed_ops}). */
public enum Operation {
    /** Check hashes. */
    READ,
    /** Write hashes. */
    WRITE,
    /** Delete hashes. */
    DELETE;

    /** Returns the word for it in configurations and reports, such as {@code read}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
