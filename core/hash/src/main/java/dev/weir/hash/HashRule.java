package dev.weir.hash;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import dev.weir.hash.html.HtmlSideHashes;
import dev.weir.hash.html.HtmlStructure;
import dev.weir.hash.kind.HashKind;
import dev.weir.hash.kind.KindHasher;
import dev.weir.hash.release.Release;
import dev.weir.hash.shingle.Blake2b;
import dev.weir.hash.shingle.HashAlgorithm;
import dev.weir.hash.shingle.Shingler;
import dev.weir.hash.shingle.WordList;
import dev.weir.hash.url.PublicSuffixes;

/**
 * The hashing options of one {@code fuzzy_check} rule: which hashes to make and under which keys. The defaults are
 * those of the policy {@code recommended} (docs/reference/hashing.md). Key derivation takes many BLAKE2b digests, so it
 * happens once, in the constructor. Immutable and thread-safe.
 */
public final class HashRule {
    private final Builder options;
    private final List<MediaTypeGlob> mimeTypes;
    private final byte[] fuzzyKey;
    private final byte[] shinglesKey;
    private final Shingler shingler;
    private final KindHasher campaigns;
    private final KindHasher wanted;

    private HashRule(Builder options) {
        this.options = options;
        this.mimeTypes = options.mimeTypes.stream().map(MediaTypeGlob::new).toList();
        this.fuzzyKey = Blake2b.keyOf(options.fuzzyKey);
        this.shinglesKey = Shingler.shinglesKeyOf(options.fuzzyShinglesKey);
        this.shingler = Shingler.of(options.algorithm, shinglesKey);
        this.campaigns = new KindHasher(options.kinds, fuzzyKey, shinglesKey, PublicSuffixes.standard());
        this.wanted = KindHasher.ofWanted(options.kinds, fuzzyKey, shinglesKey, PublicSuffixes.standard());
    }

    /** Returns the rule with default options: SipHash, default keys, policy {@code recommended}. */
    public static HashRule recommended() {
        return builder().build();
    }

    /** Returns the options of the rule {@code rspamd.com} that Rspamd ships: mum-hash, attachments of every type. */
    public static HashRule shipped() {
        return builder().algorithm(HashAlgorithm.MUMHASH).mimeTypes(List.of("*")).build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts with the options of this rule. */
    public Builder toBuilder() {
        return new Builder(options);
    }

    public HashAlgorithm algorithm() {
        return options.algorithm;
    }

    boolean noSubject() {
        return options.noSubject;
    }

    boolean shortTextDirectHash() {
        return options.shortTextDirectHash;
    }

    boolean textShingles() {
        return options.textShingles;
    }

    boolean textHashes() {
        return options.textHashes;
    }

    boolean htmlShingles() {
        return options.htmlShingles;
    }

    /** Returns whether two rules make the same shingles of a text, so that each finds what the other learned. */
    public boolean makesShinglesOf(HashRule other) {
        return options.algorithm == other.options.algorithm && Arrays.equals(shinglesKey, other.shinglesKey);
    }

    /** Returns whether the hashes of HTML have side hashes. */
    public boolean htmlSides() {
        return options.htmlSides;
    }

    /** Returns the side hashes of a structure under the shingles key. */
    HtmlSideHashes sides(HtmlStructure structure) {
        return structure.sideHashes(shinglesKey);
    }

    boolean htmlNeedsText() {
        return options.htmlNeedsText;
    }

    Release like() {
        return options.like;
    }

    boolean ignoreLinkDomains() {
        return options.ignoreLinkDomains;
    }

    boolean skipImages() {
        return options.skipImages;
    }

    boolean scanArchives() {
        return options.scanArchives;
    }

    int minBytes() {
        return options.minBytes;
    }

    int minLength() {
        return options.minLength;
    }

    int minHtmlTags() {
        return options.minHtmlTags;
    }

    double textMultiplier() {
        return options.textMultiplier;
    }

    int minWidth() {
        return options.minWidth;
    }

    int minHeight() {
        return options.minHeight;
    }

    /** Whether the rule hashes attachments of this media type. */
    boolean takesMediaType(String mediaType) {
        return mimeTypes.stream().anyMatch(glob -> glob.matches(mediaType));
    }

    boolean takesAllMediaTypes() {
        return mimeTypes.isEmpty();
    }

    /** Returns the digest of the concatenated {@code words} under the fuzzy key. */
    byte[] digest(WordList words) {
        return Blake2b.digest512(fuzzyKey, words);
    }

    /** Returns the digest of the concatenated {@code parts} under the fuzzy key. */
    byte[] digest(List<byte[]> parts) {
        return Blake2b.digest512(fuzzyKey, parts);
    }

    /** Returns the digest of the concatenated {@code parts} under the shingles key, which HTML hashes use. */
    byte[] htmlDigest(WordList parts) {
        return Blake2b.digest512(shinglesKey, parts);
    }

    /** Returns the kinds beyond those of Rspamd; none by default. */
    public Set<HashKind> kinds() {
        return campaigns.kinds();
    }

    /** Whether the rule makes Rspamd's kinds. */
    public boolean rspamdKinds() {
        return options.rspamdKinds;
    }

    KindHasher campaigns() {
        return campaigns;
    }

    /** The kinds under the keys for wanted mail. */
    KindHasher wanted() {
        return wanted;
    }

    Shingler shingler() {
        return shingler;
    }

    /** A builder for rules. Every setter returns the builder. Not thread-safe. */
    public static final class Builder {
        private static final byte[] DEFAULT_KEY = "rspamd".getBytes(StandardCharsets.UTF_8);

        private HashAlgorithm algorithm = HashAlgorithm.SIPHASH;
        private byte[] fuzzyKey = DEFAULT_KEY;
        private byte[] fuzzyShinglesKey = DEFAULT_KEY;
        private List<String> mimeTypes = List.of("application/*");
        private int minBytes = 1024;
        private int minLength = 64;
        private int minWidth = 500;
        private int minHeight = 500;
        private int minHtmlTags = 10;
        private double textMultiplier = 4.0;
        private boolean noSubject;
        private boolean shortTextDirectHash = true;
        private boolean textShingles = true;
        private boolean textHashes = true;
        private boolean htmlShingles;
        private Release like = Release.V4_1;
        private boolean htmlNeedsText = true;
        private boolean htmlSides;
        private boolean ignoreLinkDomains;
        private boolean skipImages;
        private boolean scanArchives = true;
        private boolean rspamdKinds = true;
        private Set<HashKind> kinds = Set.of();

        private Builder() {}

        private Builder(Builder from) {
            algorithm = from.algorithm;
            fuzzyKey = from.fuzzyKey;
            fuzzyShinglesKey = from.fuzzyShinglesKey;
            mimeTypes = from.mimeTypes;
            minBytes = from.minBytes;
            minLength = from.minLength;
            minWidth = from.minWidth;
            minHeight = from.minHeight;
            minHtmlTags = from.minHtmlTags;
            textMultiplier = from.textMultiplier;
            noSubject = from.noSubject;
            shortTextDirectHash = from.shortTextDirectHash;
            textShingles = from.textShingles;
            textHashes = from.textHashes;
            htmlShingles = from.htmlShingles;
            ignoreLinkDomains = from.ignoreLinkDomains;
            like = from.like;
            htmlNeedsText = from.htmlNeedsText;
            htmlSides = from.htmlSides;
            skipImages = from.skipImages;
            scanArchives = from.scanArchives;
            rspamdKinds = from.rspamdKinds;
            kinds = from.kinds;
        }

        /** Builds the rule. */
        public HashRule build() {
            return new HashRule(new Builder(this));
        }

        /** {@code algorithm}; see {@link HashAlgorithm#ofOption}. */
        public Builder algorithm(HashAlgorithm value) {
            algorithm = value;
            return this;
        }

        /** {@code fuzzy_key}: any text; the key of text digests. */
        public Builder fuzzyKey(String value) {
            return fuzzyKey(value.getBytes(StandardCharsets.UTF_8));
        }

        /** {@code fuzzy_key} as any number of bytes. */
        public Builder fuzzyKey(byte[] value) {
            fuzzyKey = value.clone();
            return this;
        }

        /** {@code fuzzy_shingles_key}: any text; the key of shingles and HTML digests. */
        public Builder fuzzyShinglesKey(String value) {
            return fuzzyShinglesKey(value.getBytes(StandardCharsets.UTF_8));
        }

        /** {@code fuzzy_shingles_key} as any number of bytes. */
        public Builder fuzzyShinglesKey(byte[] value) {
            fuzzyShinglesKey = value.clone();
            return this;
        }

        /**
         * {@code mime_types}: globs. Only attachments of matching types are hashed; an empty list matches all types.
         */
        public Builder mimeTypes(List<String> globs) {
            mimeTypes = List.copyOf(globs);
            return this;
        }

        /** {@code min_bytes}: the smallest attachment, image or short text to hash; 0 or less for no limit. */
        public Builder minBytes(int bytes) {
            minBytes = bytes;
            return this;
        }

        /** {@code min_length}: a text with fewer words counts as short; values below 32 count as 32. */
        public Builder minLength(int words) {
            minLength = words;
            return this;
        }

        /** {@code min_width}: the smallest image width to hash, in pixels. */
        public Builder minWidth(int pixels) {
            minWidth = pixels;
            return this;
        }

        /** {@code min_height}: the smallest image height to hash, in pixels. */
        public Builder minHeight(int pixels) {
            minHeight = pixels;
            return this;
        }

        /** {@code min_html_tags}: HTML with fewer tags gets no structure hash. */
        public Builder minHtmlTags(int tags) {
            minHtmlTags = tags;
            return this;
        }

        /**
         * {@code text_multiplier}: the factor by which the size of a text is multiplied before the comparison with
         * {@code min_bytes}.
         */
        public Builder textMultiplier(double factor) {
            textMultiplier = factor;
            return this;
        }

        /** {@code no_subject}: true leaves the subject out of short-text hashes. */
        public Builder noSubject(boolean value) {
            noSubject = value;
            return this;
        }

        /** {@code short_text_direct_hash}: whether to hash short texts. */
        public Builder shortTextDirectHash(boolean value) {
            shortTextDirectHash = value;
            return this;
        }

        /** {@code text_shingles}: false treats every text as short. */
        public Builder textShingles(boolean value) {
            textShingles = value;
            return this;
        }

        /** {@code text_hashes}, {@code checks.text.enabled}: whether to hash text. */
        public Builder textHashes(boolean value) {
            textHashes = value;
            return this;
        }

        /** {@code html_shingles}, {@code checks.html.enabled}: whether to hash the structure of HTML. */
        public Builder htmlShingles(boolean value) {
            htmlShingles = value;
            return this;
        }

        /**
         * {@code checks.html.ignore_link_domains}: true makes two structure hashes, one without and one with the link
         * domains.
         */
        public Builder ignoreLinkDomains(boolean value) {
            ignoreLinkDomains = value;
            return this;
        }

        /**
         * {@code like}: the release of Rspamd whose hashes the rule makes. Not an option of Rspamd; it serves storages
         * with clients of an older release.
         */
        public Builder like(Release value) {
            like = value;
            return this;
        }

        /** {@code skip_images}: true hashes no images. Independent of {@code checks.image.enabled}. */
        public Builder skipImages(boolean value) {
            skipImages = value;
            return this;
        }

        /**
         * {@code html_needs_text}: false hashes the structure of HTML even if the rule hashes texts and refuses this
         * one, as the documents of Rspamd describe. True is what Rspamd does.
         */
        public Builder htmlNeedsText(boolean value) {
            htmlNeedsText = value;
            return this;
        }

        /** {@code html_similarity}, {@code checks.html.similarity}: whether hashes of HTML have side hashes. */
        public Builder htmlSides(boolean value) {
            htmlSides = value;
            return this;
        }

        /** {@code kinds}: the kinds to make beyond those of Rspamd. */
        public Builder kinds(Set<HashKind> values) {
            kinds = values.isEmpty() ? Set.of() : EnumSet.copyOf(values);
            return this;
        }

        /** False leaves out all kinds that Rspamd has. */
        public Builder rspamdKinds(boolean value) {
            rspamdKinds = value;
            return this;
        }

        /** {@code scan_archives}, {@code checks.archive.enabled}: false treats archives like any attachment. */
        public Builder scanArchives(boolean value) {
            scanArchives = value;
            return this;
        }
    }
}
