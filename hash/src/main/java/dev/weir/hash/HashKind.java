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
    SOURCE(CampaignKind.SOURCE),
    /** Visible characters: digest and shingles. */
    CHARS(CampaignKind.CHARS),
    /** Addresses in HTML: digest and shingles. */
    LINKS(CampaignKind.LINKS),
    /** The address of a remote picture: digest only. */
    PICTURE(CampaignKind.PICTURE),
    /** The subject: digest only. */
    SUBJECT(CampaignKind.SUBJECT),
    /** The form of a token in the path of an address: digest only. */
    TOKEN(CampaignKind.TOKEN);

    private final String wireName;
    private final Optional<CampaignKind> campaign;

    HashKind(String wireName) {
        this.wireName = wireName;
        this.campaign = Optional.empty();
    }

    HashKind(CampaignKind campaign) {
        this.wireName = campaign.versionedName();
        this.campaign = Optional.of(campaign);
    }

    /** Returns the short name that Rspamd's logs and tools use. */
    public String wireName() {
        return wireName;
    }

    /** Returns the kind of campaigns, or empty for a kind that Rspamd has. */
    public Optional<CampaignKind> campaign() {
        return campaign;
    }

    static HashKind of(CampaignKind kind) {
        return switch (kind) {
            case SOURCE -> SOURCE;
            case CHARS -> CHARS;
            case LINKS -> LINKS;
            case PICTURE -> PICTURE;
            case SUBJECT -> SUBJECT;
            case TOKEN -> TOKEN;
        };
    }
}
