package dev.weir.cli.option;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

import dev.weir.cli.terminal.FailedException;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.kind.HashKind;
import dev.weir.hash.release.Release;
import dev.weir.hash.shingle.HashAlgorithm;
import dev.weir.scan.score.KindOptions;
import dev.weir.scan.score.RecommendedKinds;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that control hashing. Use the same values to learn and to check. */
public final class HashOptions {
    private static final String RSPAMD = "rspamd";
    private static final String ALL = "all";
    private static final String ALGORITHMS = "mumhash, siphash, xxhash or fasthash";

    @Option(names = "--algorithm", paramLabel = "NAME", converter = AlgorithmConverter.class,
            description = "Hash of the shingles: "
                    + ALGORITHMS + " (default: mumhash).")
    private HashAlgorithm algorithm = HashAlgorithm.MUMHASH;

    @Option(names = "--key", paramLabel = "TEXT",
            description = "Key of the digests, Rspamd's fuzzy_key (default: rspamd).")
    private @Nullable String key;

    @Option(names = "--shingles-key", paramLabel = "TEXT",
            description = "Key of the shingles, Rspamd's fuzzy_shingles_key (default: rspamd).")
    private @Nullable String shinglesKey;

    @Option(names = "--html", description = "Hash the structure of HTML parts too, Rspamd's html_shingles.")
    private boolean html;

    @Option(names = "--min-length", paramLabel = "WORDS",
            description = "Hash texts with fewer words exactly instead of by shingles; at least 32 (default: 64).")
    private int minLength = 64;

    @Option(names = "--mime-types", paramLabel = "GLOB", split = ",",
            description = "Types of attachments to hash, such as application/* (default: *).")
    private List<String> mimeTypes = List.of("*");

    @Option(names = "--like", paramLabel = "VERSION", converter = ReleaseConverter.class,
            description = "Make the hashes of this release of Rspamd: 4.1.6, or 3.4 for a storage that clients of 3.4 "
                    + "use (default: 4.1.6).")
    private Release like = Release.V4_1;

    @Option(names = "--kinds", paramLabel = "LIST", split = ",", converter = KindConverter.class,
            description = "Kinds of hashes: rspamd, all, recommended (all, with flags and thresholds of their own; "
                    + "the same to learn, check and forget), or any of source, chars, links, picture, subject and "
                    + "token, which Rspamd does not have; rspamd,source adds one to those of Rspamd (default: rspamd). "
                    + "Rules of a configuration name theirs in kinds {}.")
    private @Nullable List<String> kinds;

    @Mixin
    private HasherOptions hasherOptions = new HasherOptions();

    /**
     * Returns a hasher with these options.
     *
     * @throws FailedException if the folder of languages cannot be read or the time limit is zero
     */
    public MailHasher hasher() {
        return hasherOptions.hasher();
    }

    /** Returns whether the structure of HTML counts. */
    public boolean html() {
        return html;
    }

    /** Returns the rule that these options describe. */
    public HashRule rule() {
        return rule(kinds == null ? List.of(RSPAMD) : kinds, html);
    }

    /** Returns the rule that these options describe, with all kinds and structures unless the options name some. */
    public HashRule comparingRule() {
        return kinds == null ? rule(List.of(ALL), true) : rule(kinds, html);
    }

    private HashRule rule(List<String> names, boolean structure) {
        HashRule.Builder rule = HashRule.shipped()
                .toBuilder()
                .algorithm(algorithm)
                .htmlShingles(structure)
                .htmlSides(structure)
                .htmlNeedsText(false)
                .minLength(minLength)
                .mimeTypes(mimeTypes)
                .like(like)
                .rspamdKinds(names.contains(RSPAMD) || names.contains(ALL) || names.contains(RecommendedKinds.NAME))
                .kinds(campaignKinds(names));
        if (key != null) {
            rule.fuzzyKey(key);
        }
        if (shinglesKey != null) {
            rule.fuzzyShinglesKey(shinglesKey);
        }
        return rule.build();
    }

    /** Returns whether the kinds have flags and thresholds of their own. */
    public boolean isRecommended() {
        return kinds != null && kinds.contains(RecommendedKinds.NAME);
    }

    /** Returns the use of kinds without rules. */
    public KindOptions kindOptions() {
        return isRecommended() ? RecommendedKinds.withoutRules() : KindOptions.withoutRules(rule().kinds());
    }

    private static Set<HashKind> campaignKinds(List<String> names) {
        return names.contains(ALL) || names.contains(RecommendedKinds.NAME)
                ? HashKind.beyondRspamd()
                : names.stream().flatMap(name -> HashKind.beyondRspamd(name).stream()).collect(Collectors.toSet());
    }

    /** A parser of one entry of the list of kinds. It returns the name without a version. */
    static final class KindConverter implements ITypeConverter<String> {
        @Override
        public String convert(String name) {
            String word = name.toLowerCase(Locale.ROOT);
            if (word.equals(ALL) || word.equals(RSPAMD) || word.equals(RecommendedKinds.NAME)) {
                return word;
            }
            return HashKind.beyondRspamd(word).map(HashKind::optionName).orElseThrow(() -> new TypeConversionException(
                    "\"" + name + "\" is not a kind: use rspamd, all, recommended, " + HashKind.beyondRspamd().stream()
                            .map(HashKind::optionName).collect(Collectors.joining(", "))));
        }
    }

    /** A parser of Rspamd's names. Unlike Rspamd, it rejects all other names. */
    static final class AlgorithmConverter implements ITypeConverter<HashAlgorithm> {
        @Override
        public HashAlgorithm convert(String name) {
            return switch (name.toLowerCase(Locale.ROOT)) {
                case "mumhash", "siphash", "old", "xxhash", "fasthash", "fast" -> HashAlgorithm.ofOption(name);
                default -> throw new TypeConversionException("\"" + name + "\" is not an algorithm: use " + ALGORITHMS);
            };
        }
    }

    /** A parser of the versions whose hashes Weir can make. */
    static final class ReleaseConverter implements ITypeConverter<Release> {
        @Override
        public Release convert(String version) {
            return Release.of(version).orElseThrow(
                    () -> new TypeConversionException("\"" + version + "\" is not supported: use 4.1.6 or 3.4"));
        }
    }
}
