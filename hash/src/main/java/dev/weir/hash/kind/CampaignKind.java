package dev.weir.hash.kind;

import java.util.Locale;
import java.util.Optional;

/**
 * A kind of hash that Rspamd does not have. Its version is part of its name: what a published name stands for never
 * changes, because storages keep hashes for years.
 */
public enum CampaignKind {
    /** The HTML source of a mail without addresses, random words and style sheets. */
    SOURCE(1, true),
    /** The visible characters. */
    CHARS(1, true),
    /** Where the links, pictures and forms of HTML lead to. */
    LINKS(1, true),
    /** One remote picture of HTML, by its address. */
    PICTURE(1, false),
    /** The subject. */
    SUBJECT(1, false),
    /** The form of a token in the path of an address, by its program. */
    TOKEN(1, false);

    private final int version;
    private final boolean near;

    CampaignKind(int version, boolean near) {
        this.version = version;
        this.near = near;
    }

    /** Returns the name with the version, as in {@code source1}. */
    public String versionedName() {
        return optionName() + version;
    }

    /** Returns the name without the version, as options have it. */
    public String optionName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether hashes of the kind have shingles; the others match only exactly. */
    public boolean near() {
        return near;
    }

    /** Returns the kind with a name, with or without the version. */
    public static Optional<CampaignKind> of(String name) {
        for (CampaignKind kind : values()) {
            if (name.equals(kind.optionName()) || name.equals(kind.versionedName())) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }
}
