package dev.weir.scan.score;

import dev.weir.hash.FuzzyHash;

/**
 * The short names of hash types in symbol options and log lines (docs/reference/scanner.md#symbols). A short text is
 * {@code bin}, because Rspamd uses {@code txt} only for hashes with shingles (observed with 3.4).
 */
public final class HashTypes {
    private HashTypes() {}

    static boolean isHtml(String type) {
        return type.equals("html") || type.equals("htmld");
    }

    /**
     * Returns the name of a hash type: one of {@code txt img bin content html htmld}, or the versioned name of a kind
     * that Rspamd does not have.
     */
    public static String of(FuzzyHash hash) {
        return switch (hash.kind()) {
            case TEXT -> "txt";
            case HTML -> "html";
            case HTML_WITH_DOMAINS -> "htmld";
            case IMAGE -> "img";
            case SHORT_TEXT, ARCHIVE, ATTACHMENT -> "bin";
            case CONTENT -> "content";
            case SOURCE, CHARS, LINKS, PICTURE, SUBJECT, TOKEN -> hash.kind().wireName();
        };
    }
}
