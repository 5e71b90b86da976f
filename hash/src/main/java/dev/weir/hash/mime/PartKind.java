package dev.weir.hash.mime;

/** What a part is to the hashing; decided once, first match wins (docs/reference/hashing.md#part-classes). */
public enum PartKind {
    /** A container. */
    MULTIPART,
    /** A mail in the mail; its parts follow it. */
    MESSAGE,
    /** A zip, rar, 7z or gz of sound structure. */
    ARCHIVE,
    /** A PDF, calendar or business card: never text. */
    SPECIAL,
    /** A png, jpeg, gif or bmp with a readable size. */
    IMAGE,
    /** Plain or HTML text. */
    TEXT,
    /** Everything else. */
    OTHER
}
