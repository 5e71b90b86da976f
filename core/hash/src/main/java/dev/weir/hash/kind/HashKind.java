package dev.weir.hash.kind;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What a fuzzy hash is made from. Rspamd has the kinds up to {@link #CONTENT}. The others have a version in their
 * label: what a published label stands for never changes, because storages keep hashes for years.
 */
public enum HashKind {
    /** Words of a text part. */
    TEXT("txt", "txt", true),
    /**
     * Characters of a short text and the subject. Its type is {@code bin}, because Rspamd uses {@code txt} only for
     * hashes with shingles (observed with 3.4).
     */
    SHORT_TEXT("shorttext", "bin", false),
    /** Structure of an HTML part. */
    HTML("html", "html", true),
    /** Structure of an HTML part and the domains that it links to, for rules that ask for both hashes. */
    HTML_WITH_DOMAINS("htmld", "htmld", true),
    /** Bytes of an image. */
    IMAGE("img", "img", false),
    /** Bytes of an archive. */
    ARCHIVE("archive", "bin", false),
    /** Bytes of any other attachment. */
    ATTACHMENT("bin", "bin", false),
    /** A script in a PDF. Weir does not produce this kind, because it has no parser for PDF objects. */
    CONTENT("content", "content", false),
    /** The HTML source of a mail without addresses, random words and style sheets. */
    SOURCE("source1", true),
    /** The visible characters. */
    CHARS("chars1", true),
    /** Where the links, pictures and forms of HTML lead to. */
    LINKS("links1", true),
    /** One remote picture of HTML, by its address. */
    PICTURE("picture1", false),
    /** The subject. */
    SUBJECT("subject1", false),
    /** The form of a token in the path of an address, by its program. */
    TOKEN("token1", false);

    private final String label;
    private final String type;
    private final boolean near;

    HashKind(String label, String type, boolean near) {
        this.label = label;
        this.type = type;
        this.near = near;
    }

    HashKind(String label, boolean near) {
        this(label, label, near);
    }

    /** Returns the kinds that Rspamd does not have. */
    public static Set<HashKind> beyondRspamd() {
        return EnumSet.complementOf(EnumSet.range(TEXT, CONTENT));
    }

    /** Returns the kind that Rspamd does not have with a name, with or without the version. */
    public static Optional<HashKind> beyondRspamd(String name) {
        return beyondRspamd().stream().filter(kind -> name.equals(kind.optionName()) || name.equals(kind.label))
                .findFirst();
    }

    /** Returns whether Rspamd does not have the kind. */
    public boolean isBeyondRspamd() {
        return compareTo(CONTENT) > 0;
    }

    /** Returns the name in the output of Weir, as in {@code shorttext} or {@code source1}. */
    public String label() {
        return label;
    }

    /**
     * Returns the name in the options of symbols and in log lines (docs/reference/scanner.md#symbols): one of
     * {@code txt img bin content html htmld}, or the label of a kind that Rspamd does not have.
     */
    public String type() {
        return type;
    }

    /** Returns the name without the version, as options of kinds that Rspamd does not have give it. */
    public String optionName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether hashes of the kind have shingles; the others match only exactly. */
    public boolean near() {
        return near;
    }
}
