package dev.weir.hash;

import java.util.List;

import dev.weir.hash.shingle.Blake2b;
import dev.weir.hash.shingle.HashAlgorithm;
import dev.weir.hash.shingle.Shingler;
import dev.weir.hash.shingle.WordList;

/**
 * Which hashes a mail gives and under which keys: the part of a {@code fuzzy_check} rule that matters for hashing, with
 * the defaults of policy {@code recommended} (hashing specification, section 7). Deriving the keys costs some 30
 * BLAKE2b digests and is done once here. Immutable and thread-safe.
 */
public final class HashRule {
    private final Builder options;
    private final List<MediaTypeGlob> mimeTypes;
    private final byte[] fuzzyKey;
    private final byte[] shinglesKey;
    private final Shingler shingler;

    private HashRule(Builder options) {
        this.options = options;
        this.mimeTypes = options.mimeTypes.stream().map(MediaTypeGlob::new).toList();
        this.fuzzyKey = Blake2b.keyOf(options.fuzzyKey);
        this.shinglesKey = Shingler.shinglesKeyOf(options.fuzzyShinglesKey);
        this.shingler = Shingler.of(options.algorithm, shinglesKey);
    }

    /** A rule without any option: SipHash, default keys, policy {@code recommended}. */
    public static HashRule recommended() {
        return builder().build();
    }

    /** What the rule {@code rspamd.com} has as shipped: mum-hash and attachments of every type. */
    public static HashRule shipped() {
        return builder().algorithm(HashAlgorithm.MUMHASH).mimeTypes(List.of("*")).build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts with this rule's options. */
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

    /** Whether attachments of this media type are hashed. */
    boolean takesMediaType(String mediaType) {
        return mimeTypes.stream().anyMatch(glob -> glob.matches(mediaType));
    }

    boolean takesAllMediaTypes() {
        return mimeTypes.isEmpty();
    }

    /** Digest of the concatenation of {@code words} under the rule's fuzzy key. */
    byte[] digest(WordList words) {
        return Blake2b.digest512(fuzzyKey, words);
    }

    /** Digest of the concatenation of {@code parts} under the rule's fuzzy key. */
    byte[] digest(List<byte[]> parts) {
        return Blake2b.digest512(fuzzyKey, parts);
    }

    /** Digest of the concatenation of {@code parts} under the rule's shingles key, as HTML hashes use it. */
    byte[] htmlDigest(List<byte[]> parts) {
        return Blake2b.digest512(shinglesKey, parts);
    }

    Shingler shingler() {
        return shingler;
    }

    /** Collects the options of a rule; every method returns the builder. For one thread. */
    public static final class Builder {
        private HashAlgorithm algorithm = HashAlgorithm.SIPHASH;
        private String fuzzyKey = "rspamd";
        private String fuzzyShinglesKey = "rspamd";
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
        private boolean ignoreLinkDomains;
        private boolean skipImages;
        private boolean scanArchives = true;

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
            skipImages = from.skipImages;
            scanArchives = from.scanArchives;
        }

        /** The rule with the options collected so far. */
        public HashRule build() {
            return new HashRule(new Builder(this));
        }

        /** {@code algorithm}; see {@link HashAlgorithm#ofOption}. */
        public Builder algorithm(HashAlgorithm value) {
            algorithm = value;
            return this;
        }

        /** {@code fuzzy_key}: any text; keys the digests of texts. */
        public Builder fuzzyKey(String value) {
            fuzzyKey = value;
            return this;
        }

        /** {@code fuzzy_shingles_key}: any text; keys the shingles and the digests of HTML. */
        public Builder fuzzyShinglesKey(String value) {
            fuzzyShinglesKey = value;
            return this;
        }

        /** {@code mime_types}: globs; attachments of other types are not hashed. Empty: all are. */
        public Builder mimeTypes(List<String> globs) {
            mimeTypes = List.copyOf(globs);
            return this;
        }

        /** {@code min_bytes}: smaller attachments, images and short texts are not hashed; 0 or less: no limit. */
        public Builder minBytes(int bytes) {
            minBytes = bytes;
            return this;
        }

        /** {@code min_length}: texts of fewer words are short; at least 32 whatever is set. */
        public Builder minLength(int words) {
            minLength = words;
            return this;
        }

        /** {@code min_width}: pixels. */
        public Builder minWidth(int pixels) {
            minWidth = pixels;
            return this;
        }

        /** {@code min_height}: pixels. */
        public Builder minHeight(int pixels) {
            minHeight = pixels;
            return this;
        }

        /** {@code min_html_tags}: HTML with fewer tags gives no structure hash. */
        public Builder minHtmlTags(int tags) {
            minHtmlTags = tags;
            return this;
        }

        /** {@code text_multiplier}: bytes of text count this many times against {@code min_bytes}. */
        public Builder textMultiplier(double factor) {
            textMultiplier = factor;
            return this;
        }

        /** {@code no_subject}: the subject is not part of a short text. */
        public Builder noSubject(boolean value) {
            noSubject = value;
            return this;
        }

        /** {@code short_text_direct_hash}: whether short texts are hashed at all. */
        public Builder shortTextDirectHash(boolean value) {
            shortTextDirectHash = value;
            return this;
        }

        /** {@code text_shingles}: false treats every text as short. */
        public Builder textShingles(boolean value) {
            textShingles = value;
            return this;
        }

        /** {@code text_hashes}, {@code checks.text.enabled}: false hashes no text. */
        public Builder textHashes(boolean value) {
            textHashes = value;
            return this;
        }

        /** {@code html_shingles}, {@code checks.html.enabled}: whether the structure of HTML is hashed. */
        public Builder htmlShingles(boolean value) {
            htmlShingles = value;
            return this;
        }

        /** {@code checks.html.ignore_link_domains}: one structure hash without and one with the domains linked to. */
        public Builder ignoreLinkDomains(boolean value) {
            ignoreLinkDomains = value;
            return this;
        }

        /** {@code skip_images}, not {@code checks.image.enabled}. */
        public Builder skipImages(boolean value) {
            skipImages = value;
            return this;
        }

        /** {@code scan_archives}, {@code checks.archive.enabled}: false treats archives as any attachment. */
        public Builder scanArchives(boolean value) {
            scanArchives = value;
            return this;
        }
    }
}
