package dev.weir.scan.score;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import dev.weir.hash.release.Release;
import dev.weir.model.HtmlSides;
import dev.weir.wire.reply.ErrorCode;
import dev.weir.wire.reply.Reply;
import dev.weir.wire.reply.SideMatch;
import org.jspecify.annotations.Nullable;

/**
 * The evaluation of the answers to one rule for one mail (docs/reference/scanner.md#outcome). It decides which hits
 * count and how much, and how images and texts of the mail affect each other.
 */
final class RuleScore {
    /** The image size in bytes above which equal images are unlikely to be a coincidence. */
    private static final int SMALL_IMAGE = 32 * 1024;
    private static final double LITTLE_FAITH = 0.75;
    private static final int PREFIX = 10;
    private static final DateTimeFormatter ADDED = DateTimeFormatter.ofPattern("dd.MM.yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final String rule;
    private final ScoreOptions options;
    private final KindOptions kinds;
    private final Set<Integer> protectors;
    private final List<FuzzyMatch> kindMatches = new ArrayList<>();
    private final List<FuzzyMatch> matches = new ArrayList<>();
    private final List<String> services = new ArrayList<>();
    private final List<String> log;

    RuleScore(String rule, ScoreOptions options, KindOptions kinds, Set<Integer> protectors, List<String> log) {
        this.rule = rule;
        this.options = options;
        this.kinds = kinds;
        this.protectors = protectors;
        this.log = log;
    }

    void take(Answer answer) {
        Reply reply = answer.reply();
        Optional<KindOptions.Kind> kind = kinds.of(answer.hash());
        if (kind.isPresent() && reply.isMatch(1)) {
            if (reply.isMatch(kind.get().threshold())) {
                kindHit(answer, kind.get(), Integer.toUnsignedLong(reply.flag()), reply.value());
                for (Reply.Extra extra : reply.extras()) {
                    kindHit(answer, kind.get(), Integer.toUnsignedLong(extra.flag()), extra.value());
                }
            }
            return;
        }
        if (reply.isMatch()) {
            hit(answer, Integer.toUnsignedLong(reply.flag()), reply.value());
            for (Reply.Extra extra : reply.extras()) {
                hit(answer, Integer.toUnsignedLong(extra.flag()), extra.value());
            }
            return;
        }
        switch (reply.value()) {
            case 0, ErrorCode.SKIPPED -> {
                // Not known, or hidden from this client.
            }
            case ErrorCode.RATE_LIMITED -> services.add(rateLimited(options.like()));
            case ErrorCode.FORBIDDEN -> services.add("FUZZY_FORBIDDEN");
            case ErrorCode.ENCRYPTION_REQUIRED -> services.add("FUZZY_ENCRYPTION_REQUIRED");
            default -> log.add("fuzzy check error for " + rule + " from " + answer.server() + ": unknown error ("
                    + reply.value() + ")");
        }
    }

    /** Up to 3.9, the code also stood for a source that is not allowed to ask. */
    private static String rateLimited(Release release) {
        return switch (release) {
            case V3_4 -> "FUZZY_BLOCKED";
            case V4_1 -> "FUZZY_RATELIMITED";
        };
    }

    private static boolean isHtml(String type) {
        return type.equals("html") || type.equals("htmld");
    }

    private void hit(Answer answer, long flag, int value) {
        ScoreOptions.Mapping mapping = options.flags().get(flag);
        byte[] digest = answer.hash().digest();
        String queried = HexFormat.of().formatHex(digest);
        if ((mapping == null && options.skipUnknown()) || options.skipDigests().contains(queried)) {
            return;
        }
        Reply reply = answer.reply();
        String type = answer.hash().kind().type();
        @Nullable
        SideMatch sides = isHtml(type) ? reply.sides().orElse(null) : null;
        boolean isProtector = flag <= Integer.MAX_VALUE && protectors.contains((int) flag);
        double probability = sides == null ? reply.probability() : similarity(sides, isProtector);
        double limit = mapping == null ? options.hitsLimit() : mapping.limit();
        double score = options.curve().base(value, limit)
                * certainty(type, sides == null ? probability : counted(sides, isProtector, probability),
                        answer.bodyBytes())
                * (sides == null ? 1 : factor(sides, isProtector));
        boolean exact = Arrays.equals(reply.digest(), digest);
        String found = HexFormat.of().formatHex(reply.digest());
        String symbol = mapping == null ? options.symbol() : mapping.symbol();
        @Nullable
        Instant added = reply.time() == 0 ? null : Instant.ofEpochSecond(reply.time());
        matches.add(new FuzzyMatch(rule, symbol, answer.server(), found, queried, type, probability, score, flag, value,
                added, exact, sides, reply.matched()));
        log.add((exact
                ? "found exact fuzzy hash(" + type + ") " + found
                : "found fuzzy hash(" + type + ") " + found + " (" + queried + " requested)") + " with weight: "
                + Decimals.two(score) + ", probability " + Decimals.two(probability) + ", in list: " + symbol + ":"
                + flag + (mapping == null ? "(unknown)" : "") + "; added on "
                + ADDED.format(Instant.ofEpochSecond(reply.time())));
    }

    /** Takes a hit of a kind beyond those of Rspamd. Flags that are none of this rule do not count. */
    private void kindHit(Answer answer, KindOptions.Kind kind, long flag, int value) {
        long base = flag - kind.flagOffset();
        ScoreOptions.Mapping mapping = options.flags().get(base);
        String queried = HexFormat.of().formatHex(answer.hash().digest());
        if (mapping == null || protectors.contains((int) base) || options.skipDigests().contains(queried)) {
            return;
        }
        Reply reply = answer.reply();
        boolean exact = Arrays.equals(reply.digest(), answer.hash().digest());
        double certainty = kind.certainty(exact ? 1 : reply.probability());
        double score = options.curve().base(value, mapping.limit()) * certainty * kind.weight();
        if (score <= 0) {
            return;
        }
        String type = answer.hash().kind().type();
        String found = HexFormat.of().formatHex(reply.digest());
        @Nullable
        Instant added = reply.time() == 0 ? null : Instant.ofEpochSecond(reply.time());
        kindMatches.add(new FuzzyMatch(rule, mapping.symbol(), answer.server(), found, queried, type,
                reply.probability(), Math.min(score, kinds.maxWeight()), flag, value, added, exact, null,
                reply.matched()));
        log.add("found " + (exact ? "exact " : "") + "fuzzy hash(" + type + ") " + found + " with weight: "
                + Decimals.two(score) + ", probability " + Decimals.two(reply.probability()) + ", in list: "
                + mapping.symbol() + ":" + flag);
    }

    /** Returns the hits of kinds beyond those of Rspamd, in the order of the answers. */
    List<FuzzyMatch> kindMatches() {
        return kindMatches;
    }

    /** Returns what these kinds count together, by symbol. */
    List<KindSum> kindSums() {
        List<KindSum> sums = new ArrayList<>();
        for (KindSum sum : KindSum.of(kindMatches, kinds.maxWeight())) {
            if (options.threshold().isPresent() && sum.score() < options.threshold().getAsDouble()) {
                log.add(sum.symbol() + " is not inserted for kinds: weight " + Decimals.two(sum.score())
                        + " is less than " + Decimals.two(options.threshold().getAsDouble()));
            } else {
                sums.add(sum);
            }
        }
        return sums;
    }

    /** Returns how the calls to action relate. A mail without one must not profit from the good name of another. */
    private static HtmlSides.Cta cta(SideMatch sides, boolean isProtector) {
        return isProtector && sides.cta() == HtmlSides.Cta.UNKNOWN ? HtmlSides.Cta.DIFFERENT : sides.cta();
    }

    private double similarity(SideMatch sides, boolean isProtector) {
        return HtmlSides.similarity(sides.structure(), cta(sides, isProtector), sides.sameDomains(),
                sides.sameFeatures(), options.otherCta());
    }

    /** Returns the probability that counts. Other destinations take part of the score, not of the probability. */
    private static double counted(SideMatch sides, boolean isProtector, double similarity) {
        return cta(sides, isProtector) == HtmlSides.Cta.DIFFERENT ? sides.structure() : similarity;
    }

    /**
     * Returns the factor for other destinations, and for a template that is known as good with the destinations of the
     * mail. A copy of a good template that leads elsewhere is not good at all.
     */
    private double factor(SideMatch sides, boolean isProtector) {
        boolean elsewhere = cta(sides, isProtector) == HtmlSides.Cta.DIFFERENT;
        if (isProtector) {
            return elsewhere ? 0 : 1;
        }
        return elsewhere || sides.guarded() ? options.otherCta() : 1;
    }

    private double certainty(String type, double probability, int bodyBytes) {
        return switch (type) {
            case "img" -> bodyBytes > SMALL_IMAGE ? 1 : Math.pow((Math.min(probability, 1) - 0.5) * 2, 8);
            case "html", "htmld" ->
                options.curve().certainty(probability, options.probBias(), options.probPower()) * options.htmlWeight();
            default -> options.curve().certainty(probability, options.probBias(), options.probPower());
        };
    }

    /** Returns the symbols of refusals, which score nothing. A symbol occurs once for each refused hash. */
    List<String> services() {
        return services;
    }

    /** Returns the hits to insert, in the order of the answers. */
    List<Hit> hits(TextLength text) {
        boolean image = matches.stream().anyMatch(match -> match.type().equals("img"));
        double bestText = matches.stream()
                .filter(match -> match.type().equals("txt"))
                .mapToDouble(FuzzyMatch::probability)
                .max()
                .orElse(0);
        List<Hit> hits = new ArrayList<>();
        for (FuzzyMatch match : matches) {
            double score = match.score() * neighbors(match.type(), image, bestText, text);
            if (options.threshold().isPresent() && score < options.threshold().getAsDouble()) {
                log.add(match.symbol() + " is not inserted: weight " + Decimals.two(score) + " is less than "
                        + Decimals.two(options.threshold().getAsDouble()));
                continue;
            }
            hits.add(new Hit(with(match, score), option(match)));
        }
        return hits;
    }

    private static double neighbors(String type, boolean image, double bestText, TextLength text) {
        if (type.equals("txt")) {
            return image ? 1.1 : 1;
        }
        if (!type.equals("img")) {
            return 1;
        }
        if (bestText == 0) {
            return switch (text) {
                case LONG -> 0.25;
                case SHORT -> 0.9;
                case NONE -> 1;
            };
        }
        return bestText < LITTLE_FAITH ? Math.max(bestText, 0.5) : 1;
    }

    private static FuzzyMatch with(FuzzyMatch match, double score) {
        return new FuzzyMatch(match.rule(), match.symbol(), match.server(), match.found(), match.queried(),
                match.type(), match.probability(), score, match.flag(), match.value(), match.added(), match.exact(),
                match.sides(), match.confirmed());
    }

    static String option(FuzzyMatch match) {
        String option = match.flag() + ":" + match.found().substring(0, PREFIX) + ":"
                + Decimals.two(match.probability()) + ":" + match.type();
        return (match.exact() ? option : option + ":" + match.queried().substring(0, PREFIX)) + parts(match.sides());
    }

    /** Returns the parts of the similarity of HTML. */
    private static String parts(@Nullable SideMatch sides) {
        return sides == null
                ? ""
                : ":structure=" + Decimals.two(sides.structure()) + ",cta="
                        + sides.cta().name().toLowerCase(Locale.ROOT)
                        + ",domains=" + (sides.sameDomains() ? "same" : "different") + ",features="
                        + (sides.sameFeatures() ? "same" : "different") + (sides.guarded() ? ",guarded" : "");
    }
}
