package dev.weir.hash.html;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import dev.weir.hash.shingle.HashAlgorithm;
import dev.weir.hash.shingle.Shingler;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of structure hashing against vectors captured from Rspamd: tokens, digests, shingles, counts, side hashes,
 * weights.
 */
final class StructureVectorsTest {
    private static final byte[] KEY = Shingler.shinglesKeyOf("rspamd");
    private static final byte[] OTHER_KEY = Shingler.shinglesKeyOf("oracle-shingles");
    private static final Map<String, HashAlgorithm> ALGORITHMS = Map.of("siphash", HashAlgorithm.SIPHASH, "xxhash",
            HashAlgorithm.XXHASH, "mumhash", HashAlgorithm.MUMHASH, "fasthash", HashAlgorithm.FASTHASH);

    @Test
    void structures() throws IOException {
        JsonNode entries;
        try (InputStream in = StructureVectorsTest.class.getResourceAsStream("html.json")) {
            entries = JsonMapper.shared().readTree(Objects.requireNonNull(in)).get("entries");
        }
        List<String> wrong = new ArrayList<>();
        for (JsonNode entry : entries) {
            List<String> faults = faults(entry);
            if (!faults.isEmpty()) {
                wrong.add(entry.get("name").asString() + ": " + faults);
            }
        }
        System.out.printf("html structures: %d of %d exact%n", entries.size() - wrong.size(), entries.size());
        assertThat(entries.size()).isEqualTo(28);
        assertThat(wrong).isEmpty();
    }

    /** Small documents with one form of link each. */
    @Test
    void links() throws IOException {
        JsonNode cases;
        try (InputStream in = StructureVectorsTest.class.getResourceAsStream("links.json")) {
            cases = JsonMapper.shared().readTree(Objects.requireNonNull(in)).get("cases");
        }
        List<String> faults = new ArrayList<>();
        for (JsonNode one : cases) {
            String html = one.get(0).asString();
            HtmlDocument document = HtmlDocument.parse(html.getBytes(StandardCharsets.UTF_8));
            compare(faults, html, one.get(1).asInt(), document.totalLinks());
            compare(faults, html, strings(one.get(2)), document.tokens(true));
        }
        assertThat(cases.size()).isGreaterThan(90);
        assertThat(faults).isEmpty();
    }

    private static List<String> faults(JsonNode entry) {
        HtmlStructure structure = HtmlDocument.parse(entry.get("html").asString().getBytes(StandardCharsets.UTF_8))
                .structure();
        List<String> faults = new ArrayList<>();
        compare(faults, "tokens", strings(entry.get("tokens")), structure.tokens());
        compare(faults, "tags", entry.get("tags_count").asInt(), structure.tagsCount());
        compare(faults, "links", entry.get("links_count").asInt(), structure.totalLinks());
        compare(faults, "depth", entry.get("dom_depth").asInt(), structure.maxDepth());
        compare(faults, "images", entry.get("images_total").asInt(), structure.images());
        compare(faults, "forms", entry.get("forms_count").asInt(), structure.forms());
        compare(faults, "password", entry.get("has_password_input").asInt(), structure.passwordInput() ? 1 : 0);
        compare(faults, "digest", entry.get("direct_digest_default_key").asString(), hex(structure.digest(KEY, true)));
        HtmlSideHashes side = structure.sideHashes(KEY);
        compare(faults, "all domains", entry.get("all_domains_hash").asString(), hex(side.allDomains()));
        compare(faults, "cta domains", entry.get("cta_domains_hash").asString(), hex(side.ctaDomains()));
        compare(faults, "features", entry.get("features_hash").asString(), hex(side.features()));
        for (JsonNode weight : entry.get("cta_weights (urls kept by the CTA list, value rounded to 6 digits)")) {
            Float got = structure.callToAction().get(weight.get(0).asString());
            compare(faults, weight.get(0).asString(), weight.get(1).asString(),
                    got == null ? "none" : String.format(Locale.ROOT, "%.6f", got));
        }
        JsonNode computed = entry.get("shingles_computed_default_key");
        for (String rule : computed.propertyNames()) {
            compare(faults, "shingles " + rule, strings(computed.get(rule)),
                    shingles(structure, Objects.requireNonNull(ALGORITHMS.get(rule)), KEY));
        }
        for (JsonNode sent : entry.get("sent")) {
            String rule = sent.get("rule").asString();
            byte[] key = rule.equals("keyed") ? OTHER_KEY : KEY;
            compare(faults, "sent digest " + rule, sent.get("digest").asString(), hex(structure.digest(key, true)));
            compare(faults, "sent shingles " + rule, strings(sent.get("shingles")),
                    shingles(structure, ALGORITHMS.getOrDefault(rule, HashAlgorithm.MUMHASH), key));
        }
        return faults;
    }

    private static List<String> shingles(HtmlStructure structure, HashAlgorithm algorithm, byte[] key) {
        List<String> hex = new ArrayList<>();
        for (long shingle : Shingler.of(algorithm, key).html(Shingler.utf8(structure.tokens()))) {
            hex.add(hex(shingle));
        }
        return hex;
    }

    private static void compare(List<String> faults, String what, Object expected, Object got) {
        if (!expected.equals(got)) {
            faults.add(what + ": " + got + " instead of " + expected);
        }
    }

    private static List<String> strings(JsonNode array) {
        List<String> strings = new ArrayList<>();
        array.forEach(element -> strings.add(element.asString()));
        return strings;
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static String hex(long value) {
        return HexFormat.of().toHexDigits(value);
    }
}
