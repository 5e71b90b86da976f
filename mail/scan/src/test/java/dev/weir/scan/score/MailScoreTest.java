package dev.weir.scan.score;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.release.Release;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Checks scores and symbols against the tables of docs/reference/scanner.md. */
final class MailScoreTest {
    private static final AnalyzedMail TEXT = Sample.text();
    private static final FuzzyHash HASH = Sample.hash(TEXT, "txt");

    private static MailScore scored(ScoreOptions options, Answer... answers) {
        MailScore score = new MailScore(Sample.table(0));
        score.add("rule", options, List.of(answers), TEXT);
        return score;
    }

    @ParameterizedTest
    @CsvSource({"1, 0.135083, 1.6210", "2, 0.265325, 3.1839", "5, 0.591240, 7.0949", "10, 0.876194, 10.5143",
        "15, 0.966663, 11.6000", "19, 0.988636, 11.8636", "20, 0.991329, 11.8959", "21, 0.993386, 11.9206",
        "25, 0.997765, 11.9732", "30, 0.999425, 11.9931", "40, 0.999962, 11.9995", "60, 1.000000, 12.0000",
        "100, 1.000000, 12.0000", "100500, 1.000000, 12.0000", "-1, -0.135083, -1.6210"})
    void valuesScoreAsTabulated(int value, double factor, double contribution) {
        for (Curve curve : List.of(Curve.CURRENT, Curve.LEGACY_1_9)) {
            MailScore score = scored(Sample.options(curve), Sample.answer(HASH, 1, value, 1));
            assertThat(score.matches().getFirst().score()).isCloseTo(factor, within(5.1e-7));
            assertThat(score.total()).isCloseTo(contribution, within(5.1e-5));
        }
    }

    /** The scores of Rspamd 3.4 and 4.1.6 for a symbol with weight 5. */
    @ParameterizedTest
    @CsvSource({"10, -25, -3.979476", "10, -5, -4.99981"})
    void aNegativeLimitReversesTheSign(int value, double limit, double expected) {
        ScoreOptions options = new ScoreOptions("UNKNOWN", limit, Map.of(), false, Set.of(), OptionalDouble.empty(),
                Curve.CURRENT, 0.5, 1, 1, 0.3, Release.V4_1);
        assertThat(scored(options, Sample.answer(HASH, 1, value, 1)).total()).isCloseTo(expected, within(5.1e-6));
    }

    @ParameterizedTest
    @CsvSource({"20, 0", "30, -0.5", "100, -1", "-30, 0.5"})
    void rampAlsoReversesTheSignForANegativeLimit(int value, double factor) {
        assertThat(Curve.RAMP.base(value, -20)).isCloseTo(factor, within(1e-9));
    }

    @ParameterizedTest
    @CsvSource({"17, 0.0625, 0.7289", "20, 0.2500, 0.7906", "24, 0.5000, 0.8660", "28, 0.7500, 0.9354",
        "30, 0.8750, 0.9682", "31, 0.9375, 0.9843", "32, 1.0000, 1.0000"})
    void probabilitiesCountAsTabulated(int matched, double current, double legacy) {
        Answer answer = Sample.answer(HASH, 1, 100_500, matched / 32f);
        assertThat(scored(Sample.options(Curve.CURRENT), answer).matches().getFirst().score())
                .isCloseTo(current, within(1e-9));
        assertThat(scored(Sample.options(Curve.LEGACY_1_9), answer).matches().getFirst().score())
                .isCloseTo(legacy, within(5.1e-5));
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "20, 0", "21, 0.05", "30, 0.5", "40, 1", "100, 1", "-30, -0.5"})
    void rampRisesFromTheLimitToTwiceTheLimit(int value, double factor) {
        assertThat(scored(Sample.options(Curve.RAMP), Sample.answer(HASH, 1, value, 1)).total())
                .isCloseTo(12 * factor, within(1e-9));
    }

    @Test
    void biasAndPowerShapeTheProbability() {
        ScoreOptions plain = Sample.options(Curve.CURRENT);
        ScoreOptions bent = new ScoreOptions(plain.symbol(), 20, plain.flags(), false, Set.of(),
                OptionalDouble.empty(), Curve.CURRENT, 0.75, 2, 1, 0.3, Release.V4_1);
        assertThat(scored(bent, Sample.answer(HASH, 1, 100_500, 28 / 32f)).total()).isCloseTo(12 * 0.25, within(1e-9));
        assertThat(scored(bent, Sample.answer(HASH, 1, 100_500, 20 / 32f)).total()).isZero();
        assertThat(scored(bent, Sample.answer(HASH, 1, 100_500, 2)).total()).as("a probability above 1 counts as 1")
                .isCloseTo(12, within(1e-9));
    }

    @Test
    void withoutALimitEveryScoreIsZero() {
        ScoreOptions none = new ScoreOptions("UNKNOWN", 0, Map.of(), false, Set.of(), OptionalDouble.empty(),
                Curve.CURRENT, 0.5, 1, 1, 0.3, Release.V4_1);
        MailScore score = scored(none, Sample.answer(HASH, 9, 100, 1));
        assertThat(score.total()).isZero();
        assertThat(score.symbols()).singleElement().extracting(SymbolResult::name).isEqualTo("UNKNOWN");
    }

    @Test
    void optionsAndLogLinesHaveRspamdsFormat() {
        String digest = java.util.HexFormat.of().formatHex(HASH.digest());
        MailScore exact = scored(Sample.options(Curve.CURRENT), Sample.answer(HASH, 1, 5, 1));
        assertThat(exact.symbols().getFirst().options()).containsExactly("1:" + digest.substring(0, 10) + ":1.00:txt");
        assertThat(exact.symbols().getFirst().description()).isEqualTo("Denied fuzzy hash");
        assertThat(exact.symbols().getFirst().weight()).isEqualTo(12);
        assertThat(exact.log()).containsExactly("found exact fuzzy hash(txt) " + digest
                + " with weight: 0.59, probability 1.00, in list: DENIED:1; added on 14.11.2023 22:13:20 GMT");

        MailScore near = scored(Sample.options(Curve.CURRENT), Sample.answer(HASH, 77, 5, 30 / 32f));
        String found = near.matches().getFirst().found();
        assertThat(found).isNotEqualTo(digest);
        assertThat(near.symbols().getFirst().options()).containsExactly(
                "77:" + found.substring(0, 10) + ":0.94:txt:" + digest.substring(0, 10));
        assertThat(near.log()).containsExactly("found fuzzy hash(txt) " + found + " (" + digest + " requested)"
                + " with weight: 0.52, probability 0.94, in list: UNKNOWN:77(unknown);"
                + " added on 14.11.2023 22:13:20 GMT");
    }

    @Test
    void everyFlagOfAReplyIsAHit() {
        MailScore score = scored(Sample.options(Curve.CURRENT), Sample.answer(HASH, 1, 10, 1, 4, 2, 3, 99));
        assertThat(score.matches()).extracting(FuzzyMatch::flag).containsExactly(1L, 2L, 99L);
        assertThat(score.symbols()).extracting(SymbolResult::name).containsExactly("DENIED", "UNKNOWN");
        assertThat(score.symbols().get(1).options()).hasSize(2);
    }

    @Test
    void unknownFlagsAndSkippedDigestsAreDropped() {
        ScoreOptions plain = Sample.options(Curve.CURRENT);
        ScoreOptions strict = new ScoreOptions("UNKNOWN", 20, plain.flags(), true, Set.of(),
                OptionalDouble.empty(), Curve.CURRENT, 0.5, 1, 1, 0.3, Release.V4_1);
        assertThat(scored(strict, Sample.answer(HASH, 2, 10, 1)).symbols()).isEmpty();
        ScoreOptions skipping = new ScoreOptions("UNKNOWN", 20, plain.flags(), true,
                Set.of(java.util.HexFormat.of().formatHex(HASH.digest())), OptionalDouble.empty(), Curve.CURRENT, 0.5,
                1, 1, 0.3, Release.V4_1);
        MailScore skipped = scored(skipping, Sample.answer(HASH, 1, 10, 1));
        assertThat(skipped.symbols()).isEmpty();
        assertThat(skipped.log()).isEmpty();
    }

    @Test
    void hitsBelowTheThresholdAreOmitted() {
        ScoreOptions plain = Sample.options(Curve.CURRENT);
        ScoreOptions heavy = new ScoreOptions("UNKNOWN", 20, plain.flags(), false, Set.of(),
                OptionalDouble.of(0.5), Curve.CURRENT, 0.5, 1, 1, 0.3, Release.V4_1);
        MailScore score = scored(heavy, Sample.answer(HASH, 1, 4, 1), Sample.answer(HASH, 9, 5, 1));
        assertThat(score.symbols()).extracting(SymbolResult::name).containsExactly("UNKNOWN");
        assertThat(score.log()).anyMatch(line -> line.contains("DENIED is not inserted: weight 0.50"));
    }

    @Test
    void greatestHitOfASymbolCounts() {
        MailScore score = new MailScore(Sample.table(0));
        ScoreOptions options = Sample.options(Curve.CURRENT);
        score.add("a", options, List.of(Sample.answer(HASH, 1, 1, 1)), TEXT);
        score.add("b", options, List.of(Sample.answer(HASH, 1, 10, 0.9375f)), TEXT);
        score.add("c", options, List.of(Sample.answer(HASH, 1, 2, 1)), TEXT);
        score.add("d", options, List.of(Sample.answer(HASH, 1, -100, 1)), TEXT);
        assertThat(score.symbols()).hasSize(1);
        assertThat(score.total()).isCloseTo(12 * 0.876194 * 0.875, within(1e-4));
        assertThat(score.symbols().getFirst().options()).as("the same option once").hasSize(2);
    }

    @Test
    void groupCapsApplyInTheOrderOfTheRules() {
        MailScore score = new MailScore(Sample.table(12));
        ScoreOptions options = Sample.options(Curve.CURRENT);
        // The first hit takes 4.38 of the cap of 12, and the second one is trimmed to the rest.
        score.add("a", options, List.of(Sample.answer(HASH, 7, 10, 1)), TEXT);
        score.add("b", options, List.of(Sample.answer(HASH, 1, 100_500, 1)), TEXT);
        assertThat(score.total()).isCloseTo(12, within(1e-9));
        assertThat(score.symbols().get(0).score()).isCloseTo(5 * 0.876194, within(1e-4));
        assertThat(score.symbols().get(1).score()).isCloseTo(12 - 5 * 0.876194, within(1e-4));
        assertThat(score.symbols().get(1).options()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"403, FUZZY_RATELIMITED", "503, FUZZY_FORBIDDEN", "415, FUZZY_ENCRYPTION_REQUIRED"})
    void refusalsAddSymbolsWithoutWeight(int code, String symbol) {
        MailScore score = scored(Sample.options(Curve.CURRENT), Sample.answer(HASH, 0, code, 0));
        assertThat(score.symbols()).singleElement().satisfies(result -> {
            assertThat(result.name()).isEqualTo(symbol);
            assertThat(result.score()).isZero();
            assertThat(result.options()).containsExactly("rule");
            assertThat(result.group()).isEqualTo("fuzzy");
        });
    }

    @Test
    void namesTheRateLimitAsTheReleaseOfTheRule() {
        ScoreOptions now = Sample.options(Curve.CURRENT);
        ScoreOptions old = new ScoreOptions(now.symbol(), now.hitsLimit(), now.flags(), false, Set.of(),
                OptionalDouble.empty(), now.curve(), 0.5, 1.0, 1.0, 0.3, Release.V3_4);
        assertThat(scored(old, Sample.answer(HASH, 0, 403, 0)).symbols()).singleElement()
                .satisfies(result -> assertThat(result.name()).isEqualTo("FUZZY_BLOCKED"));
    }

    @Test
    void otherErrorsAreOnlyLogged() {
        assertThat(scored(Sample.options(Curve.CURRENT), Sample.answer(HASH, 0, 404, 0)).log())
                .singleElement().asString().contains("unknown error (404)");
        assertThat(scored(Sample.options(Curve.CURRENT), Sample.answer(HASH, 1, 20, 0.5f)).symbols()).isEmpty();
        assertThat(scored(Sample.options(Curve.CURRENT), Sample.answer(HASH, 0, 401, 0)).log()).isEmpty();
        assertThat(scored(Sample.options(Curve.CURRENT), Sample.answer(HASH, 0, 0, 0)).log()).isEmpty();
    }

    private static double imageScore(AnalyzedMail mail, Curve curve, Answer... answers) {
        MailScore score = new MailScore(Sample.table(0));
        score.add("rule", Sample.options(curve), List.of(answers), mail);
        return score.matches().stream().filter(match -> match.type().equals("img")).findFirst().orElseThrow().score();
    }

    @Test
    void imagesCountLessNextToUnknownText() {
        String twentySix = "abcdefghijklmnopqrstuvwxyz";
        String fiftyOne = twentySix + twentySix.substring(1);
        AnalyzedMail bare = Sample.image("");
        assertThat(imageScore(bare, Curve.CURRENT, Sample.answer(Sample.hash(bare, "img"), 1, 100_500, 1)))
                .isCloseTo(1, within(1e-9));
        for (Object[] row : new Object[][]{{"abc", Curve.CURRENT, 0.9}, {twentySix, Curve.CURRENT, 0.25},
            {twentySix, Curve.LEGACY_1_9, 0.9}, {fiftyOne, Curve.LEGACY_1_9, 0.25}}) {
            AnalyzedMail mail = Sample.image((String) row[0]);
            assertThat(imageScore(mail, (Curve) row[1], Sample.answer(Sample.hash(mail, "img"), 1, 100_500, 1)))
                    .as(row[0] + " " + row[1])
                    .isCloseTo((double) row[2], within(1e-9));
        }
    }

    @Test
    void knownImagesAndTextsAffectEachOther() {
        AnalyzedMail both = Sample.imageAndText();
        FuzzyHash text = Sample.hash(both, "txt");
        FuzzyHash image = Sample.hash(both, "img");
        MailScore score = new MailScore(Sample.table(0));
        score.add("rule", Sample.options(Curve.CURRENT), List.of(Sample.answer(text, 1, 100_500, 0.625f),
                Sample.answer(image, 9, 100_500, 1)), both);
        assertThat(score.matches().get(0).score()).isCloseTo(0.25 * 1.1, within(1e-9));
        assertThat(score.matches().get(1).score()).isCloseTo(0.625, within(1e-9));
        assertThat(imageScore(both, Curve.CURRENT, Sample.answer(text, 1, 100_500, 0.875f),
                Sample.answer(image, 1, 100_500, 1))).isCloseTo(1, within(1e-9));
    }

    @Test
    void shortTextsHaveTheTypeBin() {
        assertThat(Sample.hashes(Sample.shortText()).getFirst().kind().type()).isEqualTo("bin");
    }

    @Test
    void longOptionListsEndInDots() {
        MailScore score = new MailScore(Sample.table(0));
        for (int rule = 0; rule < 1000; rule++) {
            score.add("rule" + rule, Sample.options(Curve.CURRENT), List.of(Sample.answer(HASH, 0, 403, 0)), TEXT);
        }
        List<String> options = score.symbols().getFirst().options();
        assertThat(options.getLast()).isEqualTo("...");
        assertThat(String.join("", options).length()).isLessThanOrEqualTo(4096 + 3);
    }

    @Test
    void aMailNearBothIsReportedInsteadOfScored() {
        ScoreOptions options = new ScoreOptions("UNKNOWN", 20, Map.of(1L, new ScoreOptions.Mapping("DENIED", 20), 3L,
                new ScoreOptions.Mapping("UNKNOWN", -20)), false, Set.of(), OptionalDouble.empty(), Curve.CURRENT, 0.5,
                1, 1,
                0.3, Release.V4_1);
        MailScore both = scored(options, Sample.answer(HASH, 1, 20, 1), Sample.answer(HASH, 3, 20, 1));
        both.dispute("DISPUTED");
        assertThat(both.total()).isZero();
        assertThat(both.symbols()).filteredOn(symbol -> symbol.name().equals("DISPUTED")).singleElement()
                .satisfies(symbol -> assertThat(symbol.options()).hasSize(2)
                        .anyMatch(side -> side.startsWith("UNKNOWN(-")));
        assertThat(both.log()).anyMatch(line -> line.startsWith("the mail is near wanted and unwanted mail"));
        MailScore one = scored(options, Sample.answer(HASH, 1, 20, 1));
        double total = one.total();
        one.dispute("DISPUTED");
        assertThat(one.total()).isEqualTo(total).isPositive();
    }
}
