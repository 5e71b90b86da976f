package dev.weir.hash.url;

/** The scope of a URL search in running text (docs/reference/hashing.md#urls). */
public enum UrlSearch {
    /** Schemes, {@code www.} and {@code ftp.}, addresses, and bare domains with a public suffix. */
    FULL,
    /**
     * Everything but bare domains. Used for HTML parts and for plain parts of a multipart with exactly two children.
     */
    STRICT
}
