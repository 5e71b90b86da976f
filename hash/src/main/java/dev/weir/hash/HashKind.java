package dev.weir.hash;

/** The source of a fuzzy hash. */
public enum HashKind {
    /** Words of a text part: digest and shingles. */
    TEXT("txt"),
    /** Characters of a short text and the subject: digest only. */
    SHORT_TEXT("shorttext"),
    /** Structure of an HTML part: digest and shingles. */
    HTML("html"),
    /** Structure of an HTML part and the domains that it links to, for rules that ask for both hashes. */
    HTML_WITH_DOMAINS("htmld"),
    /** Bytes of an image. */
    IMAGE("img"),
    /** Bytes of an archive. */
    ARCHIVE("archive"),
    /** Bytes of any other attachment. */
    ATTACHMENT("bin"),
    /** A script in a PDF. Weir does not produce this kind, because it has no parser for PDF objects. */
    CONTENT("content");

    private final String wireName;

    HashKind(String wireName) {
        this.wireName = wireName;
    }

    /** Returns the short name that Rspamd's logs and tools use. */
    public String wireName() {
        return wireName;
    }
}
