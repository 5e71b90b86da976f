package dev.weir.hash;

/** What a fuzzy hash was made of. */
public enum HashKind {
    /** The words of a text part: digest and shingles. */
    TEXT("txt"),
    /** The characters of a short text and the subject: digest only. */
    SHORT_TEXT("shorttext"),
    /** The structure of an HTML part: digest and shingles. */
    HTML("html"),
    /** The structure of an HTML part with the domains it links to, where a rule asks for both. */
    HTML_WITH_DOMAINS("htmld"),
    /** The bytes of an image. */
    IMAGE("img"),
    /** The bytes of an archive. */
    ARCHIVE("archive"),
    /** The bytes of any other attachment. */
    ATTACHMENT("bin"),
    /** A script in a PDF. Not produced yet: it needs a reader of PDF objects. */
    CONTENT("content");

    private final String wireName;

    HashKind(String wireName) {
        this.wireName = wireName;
    }

    /** The short name that logs and tools of the reference use. */
    public String wireName() {
        return wireName;
    }
}
