package dev.weir.hash.mime;

/** The class of a part for hashing; the first match wins (docs/reference/hashing.md#part-classes). */
public enum PartKind {
    /** A container. */
    MULTIPART,
    /** An embedded mail; its parts follow it. */
    MESSAGE,
    /** A zip, rar, 7z or gz file with a valid structure. */
    ARCHIVE,
    /** A PDF, calendar or business card; never text. */
    SPECIAL,
    /** A png, jpeg, gif or bmp image with a readable size. */
    IMAGE,
    /** Plain or HTML text. */
    TEXT,
    /** Everything else. */
    OTHER
}
