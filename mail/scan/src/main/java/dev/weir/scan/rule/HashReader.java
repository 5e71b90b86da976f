package dev.weir.scan.rule;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleConsumer;
import java.util.function.IntConsumer;

import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Section;
import dev.weir.hash.HashRule;
import dev.weir.hash.kind.HashKind;
import dev.weir.hash.release.Release;
import dev.weir.hash.shingle.HashAlgorithm;
import dev.weir.model.HtmlSides;
import dev.weir.wire.key.Base32;

/**
 * The reader of the hashing options of a rule: first the flat options, then {@code checks {}}, which takes precedence
 * (docs/reference/scanner.md#rule-options).
 */
final class HashReader {
    private static final OptionTable CHECKS = OptionTable.open("checks");
    private static final OptionTable TEXT = OptionTable.shipped("checks-text");
    private static final OptionTable HTML = OptionTable.shipped("checks-html");
    private static final OptionTable IMAGE = OptionTable.shipped("checks-image");
    private static final OptionTable ARCHIVE = OptionTable.shipped("checks-archive");
    private static final double MOST_WEIGHT = 1e6;
    private static final String BASE32 = "base32:";

    private final HashRule.Builder hashing = HashRule.builder();
    private double htmlWeight = 1.0;
    private double otherCta = HtmlSides.OTHER_CTA;
    private boolean structure;
    private boolean sidesNamed;
    private Release like = Release.V4_1;

    HashReader(Section rule) {
        keys(rule);
        flat(rule);
        for (Section checks : rule.sections("checks", CHECKS)) {
            checks(checks);
        }
    }

    /** Returns the options, with kinds beyond those of Rspamd. */
    HashRule rule(Set<HashKind> kinds) {
        return hashing.kinds(kinds).build();
    }

    double htmlWeight() {
        return htmlWeight;
    }

    /** Returns the factor for HTML that leads to other domains. */
    double otherCta() {
        return otherCta;
    }

    /** Returns the release of Rspamd that the rule follows. */
    Release like() {
        return like;
    }

    private void keys(Section rule) {
        rule.choice("algorithm", List.of("siphash", "old", "xxhash", "mumhash", "fasthash", "fast"))
                .ifPresent(name -> hashing.algorithm(HashAlgorithm.ofOption(name)));
        key(rule, "fuzzy_key").ifPresent(hashing::fuzzyKey);
        key(rule, "fuzzy_shingles_key").ifPresent(hashing::fuzzyShinglesKey);
        rule.choice("policy", List.of("recommended"));
        rule.choice("like", List.of("4.1.6", "3.4")).flatMap(Release::of).ifPresent(release -> like = release);
        hashing.like(like);
    }

    /** Returns the bytes of a key: the text itself, as Rspamd takes it, or what {@code base32:} precedes. */
    private static Optional<byte[]> key(Section rule, String name) {
        return rule.string(name).flatMap(text -> {
            if (!text.startsWith(BASE32)) {
                return Optional.of(text.getBytes(StandardCharsets.UTF_8));
            }
            Optional<byte[]> bytes = Base32.decode(text.substring(BASE32.length())).filter(key -> key.length > 0);
            if (bytes.isEmpty()) {
                rule.refuse(name, "expected a key in Rspamd's base32 after \"" + BASE32 + "\"");
            }
            return bytes;
        });
    }

    private void flat(Section rule) {
        whole(rule, "min_bytes", hashing::minBytes);
        whole(rule, "min_length", hashing::minLength);
        whole(rule, "min_height", hashing::minHeight);
        whole(rule, "min_width", hashing::minWidth);
        whole(rule, "min_html_tags", hashing::minHtmlTags);
        number(rule, "text_multiplier", hashing::textMultiplier);
        number(rule, "html_weight", weight -> htmlWeight = weight);
        hashing.mimeTypes(rule.strings("mime_types"));
        rule.bool("scan_archives").ifPresent(hashing::scanArchives);
        rule.bool("short_text_direct_hash").ifPresent(hashing::shortTextDirectHash);
        rule.bool("text_shingles").ifPresent(hashing::textShingles);
        rule.bool("skip_images").ifPresent(hashing::skipImages);
        rule.bool("no_subject").ifPresent(hashing::noSubject);
        rule.bool("text_hashes").ifPresent(hashing::textHashes);
        rule.bool("html_shingles").ifPresent(this::structure);
        hashing.htmlNeedsText(rule.bool("html_needs_text").orElse(false));
        rule.bool("html_similarity").ifPresent(hashing::htmlSides);
        // A boolean that is absent has its default.
        sidesNamed = rule.has("html_similarity");
        rule.number("html_other_cta", 0, 1).ifPresent(factor -> otherCta = factor);
        rule.bool("html_ignore_domains").ifPresent(hashing::ignoreLinkDomains);
    }

    private void checks(Section checks) {
        for (String key : checks.keys()) {
            switch (key.toLowerCase(Locale.ROOT)) {
                case "text" -> checks.sections(key, TEXT).forEach(this::text);
                case "html" -> checks.sections(key, HTML).forEach(this::html);
                case "image", "images" -> checks.sections(key, IMAGE).forEach(this::image);
                case "archive", "archives" -> checks.sections(key, ARCHIVE).forEach(this::archive);
                default -> {
                    // The section reader reports it as unknown.
                }
            }
        }
        checks.finish();
    }

    private void text(Section section) {
        hashing.textHashes(section.bool("enabled").orElse(true));
        section.bool("no_subject").ifPresent(hashing::noSubject);
        section.bool("short_text_direct_hash").ifPresent(hashing::shortTextDirectHash);
        whole(section, "min_length", hashing::minLength);
        number(section, "text_multiplier", hashing::textMultiplier);
        section.finish();
    }

    private void html(Section section) {
        structure(section.bool("enabled").orElse(true));
        whole(section, "min_html_tags", hashing::minHtmlTags);
        number(section, "html_weight", weight -> htmlWeight = weight);
        section.bool("similarity").ifPresent(hashing::htmlSides);
        sidesNamed |= section.has("similarity");
        section.number("other_cta", 0, 1).ifPresent(factor -> otherCta = factor);
        section.bool("ignore_link_domains").ifPresent(hashing::ignoreLinkDomains);
        section.finish();
    }

    private void structure(boolean hashed) {
        hashing.htmlShingles(hashed);
        structure = hashed;
    }

    /** Returns whether the structure of HTML is hashed, and the rule does not say whether to compare where it leads. */
    boolean leavesOutSides() {
        return structure && !sidesNamed;
    }

    private void image(Section section) {
        hashing.skipImages(!section.bool("enabled").orElse(true));
        whole(section, "min_height", hashing::minHeight);
        whole(section, "min_width", hashing::minWidth);
        section.finish();
    }

    private void archive(Section section) {
        hashing.scanArchives(section.bool("enabled").orElse(true));
        section.finish();
    }

    private static void whole(Section section, String name, IntConsumer target) {
        section.integer(name, 0, Integer.MAX_VALUE).ifPresent(value -> target.accept((int) value));
    }

    private static void number(Section section, String name, DoubleConsumer target) {
        section.number(name, 0, MOST_WEIGHT).ifPresent(target);
    }
}
