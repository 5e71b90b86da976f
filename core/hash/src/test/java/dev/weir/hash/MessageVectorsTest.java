package dev.weir.hash;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.weir.hash.kind.HashKind;
import dev.weir.hash.shingle.HashAlgorithm;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of every mail under every set of rule options against the packets that Rspamd sent: kinds, order, digests and
 * shingles. Each variant prints the number of exact mails and fails below a minimum.
 */
final class MessageVectorsTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final int ALL = 102;
    private static final String FIRST = "shipped_all_algorithms";
    /** Lists only html commands; the others are as in the first variant. */
    private static final String PLUS_HTML = "shipped_plus_html (only the html commands, all rules; "
            + "the others are as in the first variant)";

    /** The name of a variant, its options, and the minimum number of exact mails. */
    private record Variant(String name, HashRule.Builder options, int floor) {}

    private static HashRule.Builder shipped() {
        return HashRule.shipped().toBuilder();
    }

    private static List<Variant> variants() {
        return List.of(new Variant(FIRST, shipped(), 101),
                new Variant(PLUS_HTML, shipped().htmlShingles(true), 101),
                new Variant("bare_rule (no options, default policy)", HashRule.recommended().toBuilder().algorithm(
                        HashAlgorithm.MUMHASH), 101),
                new Variant("no_subject, min_bytes=100, text_multiplier=1, min_width=0, min_height=0", shipped()
                        .noSubject(true).minBytes(100).textMultiplier(1.0).minWidth(0).minHeight(0), 101),
                new Variant("short_text_direct_hash=false, skip_images, scan_archives=false, min_length=10", shipped()
                        .mimeTypes(List.of("application/pdf", "image/*", "*/x-*")).shortTextDirectHash(false)
                        .skipImages(true).scanArchives(false).minLength(10), 101),
                new Variant("text_shingles=false", shipped().textShingles(false), 101),
                new Variant("text_hashes=false, html_shingles, min_html_tags=5", shipped().textHashes(false)
                        .htmlShingles(true).minHtmlTags(5), 101),
                new Variant("checks{html{ignore_link_domains}}", shipped().htmlShingles(true).ignoreLinkDomains(true)
                        .minHtmlTags(8), 101),
                new Variant("checks{image{enabled=false}, archive{enabled=false}}", shipped().skipImages(true)
                        .scanArchives(false), 101));
    }

    private final MessageVectors vectors = MessageVectors.load();
    private final MailHasher hasher = MailHasher.standard();
    private final Map<String, AnalyzedMail> analyzed = new HashMap<>();

    private AnalyzedMail analyzed(String name) {
        return analyzed.computeIfAbsent(name, key -> hasher.analyze(MessageVectors.bytes(key)));
    }

    @TestFactory
    List<DynamicTest> variantsMatchTheSentPackets() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Variant variant : variants()) {
            tests.add(DynamicTest.dynamicTest(variant.name(), () -> check(variant)));
        }
        return tests;
    }

    private void check(Variant variant) {
        Map<String, String> wrong = new TreeMap<>();
        int compared = 0;
        for (String name : vectors.names()) {
            JsonNode commands = vectors.mail(name).get("commands").get(variant.name());
            assertThat(commands).as("vectors of %s for %s", name, variant.name()).isNotNull();
            String difference = difference(name, variant, commands);
            if (!difference.isEmpty()) {
                wrong.put(name, difference);
            }
            compared++;
        }
        assertThat(compared).isEqualTo(ALL);
        System.out.printf("messages, %s: %d of %d exact%n", variant.name(), ALL - wrong.size(), ALL);
        wrong.forEach((name, difference) -> System.out.printf("    %s: %s%n", name, difference));
        assertThat(ALL - wrong.size()).as("exact mails; wrong are %s", wrong).isGreaterThanOrEqualTo(variant.floor());
    }

    private String difference(String name, Variant variant, JsonNode commands) {
        StringBuilder difference = new StringBuilder();
        for (String ruleName : rules(variant)) {
            List<FuzzyHash> actual = hasher.hash(analyzed(name), rule(ruleName, variant), Skip.NOTHING);
            if (variant.name().equals(PLUS_HTML)) {
                JsonNode others = vectors.mail(name).path("commands").path(FIRST);
                compare(ruleName, true, ofRule(commands, ruleName), actual.stream().filter(
                        hash -> hash.kind() == HashKind.HTML).toList(), difference);
                compare(ruleName, true, ofRule(others, ruleName), actual.stream().filter(hash -> hash
                        .kind() != HashKind.HTML).toList(), difference);
            } else {
                compare(ruleName, variant.name().equals(FIRST), ofRule(commands, ruleName), actual, difference);
            }
        }
        return difference.toString();
    }

    private static List<JsonNode> ofRule(JsonNode commands, String ruleName) {
        List<JsonNode> ofRule = new ArrayList<>();
        for (JsonNode command : commands) {
            if (ruleName.equals(command.path("rule").asString("mumhash"))) {
                ofRule.add(command);
            }
        }
        return ofRule;
    }

    /** Later variants list no shingles for texts; the shingles that they list are compared. */
    private static void compare(String ruleName, boolean shinglesListed, List<JsonNode> expected,
            List<FuzzyHash> actual,
            StringBuilder difference) {
        for (int i = 0; i < Math.max(expected.size(), actual.size()); i++) {
            String want = "nothing";
            String have = "nothing";
            boolean shingles = true;
            boolean kindKnown = true;
            if (i < expected.size()) {
                JsonNode command = expected.get(i);
                shingles = shinglesListed || command.has("shingles");
                kindKnown = isKindKnown(command.get("kind").asString());
                want = describe(command, kindKnown);
            }
            if (i < actual.size()) {
                have = describe(actual.get(i), kindKnown || actual.get(i).hasShingles(), shingles);
            }
            if (!want.equals(have)) {
                difference.append(' ').append(ruleName).append('[').append(i).append("] ").append(shorten(have)).append(
                        " not ").append(shorten(want));
            }
        }
    }

    /**
     * A packet does not contain the kind. The recording derived it from the digest: a digest equal to some part's
     * digest got that part's kind, even for a short text or an archive sent as an attachment.
     */
    private static boolean isKindKnown(String kind) {
        return switch (kind) {
            case "bin", "archive", "img" -> false;
            default -> true;
        };
    }

    private static String shorten(String description) {
        return description.length() < 30 ? description : description.substring(0, 30);
    }

    private static List<String> rules(Variant variant) {
        return switch (variant.name()) {
            case FIRST, PLUS_HTML ->
                List.of("siphash", "xxhash", "mumhash", "fasthash", "keyed");
            default -> List.of("mumhash");
        };
    }

    private final Map<String, HashRule> built = new HashMap<>();

    private HashRule rule(String name, Variant variant) {
        return built.computeIfAbsent(variant.name() + name, key -> name.equals("keyed")
                ? variant.options().build().toBuilder().fuzzyKey("oracle-key").fuzzyShinglesKey("oracle-shingles")
                        .build()
                : variant.options().build().toBuilder().algorithm(HashAlgorithm.ofOption(name)).build());
    }

    private static String describe(JsonNode command, boolean withKind) {
        StringBuilder text = new StringBuilder(withKind ? command.get("kind").asString() : "direct").append(' ').append(
                command.get("digest").asString());
        command.path("shingles").forEach(value -> text.append(' ').append(value.asString()));
        return text.toString();
    }

    private static String describe(FuzzyHash hash, boolean withKind, boolean withShingles) {
        StringBuilder text = new StringBuilder(withKind ? hash.kind().label() : "direct").append(' ').append(HEX
                .formatHex(hash.digest()));
        if (withShingles) {
            for (long value : hash.shingles()) {
                text.append(' ').append(HEX.toHexDigits(value));
            }
        }
        return text.toString();
    }
}
