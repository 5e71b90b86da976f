package dev.weir.hash;

import java.util.Optional;

import dev.weir.hash.kind.CampaignKind;

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
    CONTENT("content"),
    /** HTML source: digest and 32 shingles; see {@link CampaignKind}. Rspamd has none of the following kinds. */
    SOURCE(CampaignKind.SOURCE.versionedName()),
    /** Visible characters: digest and shingles. */
    CHARS(CampaignKind.CHARS.versionedName()),
    /** Addresses in HTML: digest and shingles. */
    LINKS(CampaignKind.LINKS.versionedName()),
    /** The address of a remote picture: digest only. */
    PICTURE(CampaignKind.PICTURE.versionedName()),
    /** The subject of a mail with links: digest only. */
    SUBJECT(CampaignKind.SUBJECT.versionedName());

    private final String wireName;

    HashKind(String wireName) {
        this.wireName = wireName;
    }

    /** Returns the short name that Rspamd's logs and tools use. */
    public String wireName() {
        return wireName;
    }

    /** Returns the kind of campaigns, or empty for a kind that Rspamd has. */
    public Optional<CampaignKind> campaign() {
        return switch (this) {
            case SOURCE -> Optional.of(CampaignKind.SOURCE);
            case CHARS -> Optional.of(CampaignKind.CHARS);
            case LINKS -> Optional.of(CampaignKind.LINKS);
            case PICTURE -> Optional.of(CampaignKind.PICTURE);
            case SUBJECT -> Optional.of(CampaignKind.SUBJECT);
            case TEXT, SHORT_TEXT, HTML, HTML_WITH_DOMAINS, IMAGE, ARCHIVE, ATTACHMENT, CONTENT -> Optional.empty();
        };
    }

    static HashKind of(CampaignKind kind) {
        return switch (kind) {
            case SOURCE -> SOURCE;
            case CHARS -> CHARS;
            case LINKS -> LINKS;
            case PICTURE -> PICTURE;
            case SUBJECT -> SUBJECT;
        };
    }
}
