package dev.weir.hash.url;

/** How eagerly running text is searched for URLs (docs/reference/hashing.md#urls). */
public enum UrlSearch {
    /** Schemes, {@code www.} and {@code ftp.}, addresses, and bare domains with a public suffix. */
    FULL,
    /** The same without bare domains: HTML parts, and plain parts of a multipart with exactly two children. */
    STRICT
}
