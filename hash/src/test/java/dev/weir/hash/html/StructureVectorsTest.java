package dev.weir.hash.html;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

import dev.weir.hash.shingle.Blake2b;
import dev.weir.hash.shingle.Shingler;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The structure of recorded documents: words, counts and direct digest of the reference. */
class StructureVectorsTest {
    /** How many of the 28 are exact; more is better, fewer fails. */
    private static final int FLOOR = 28;

    @Test
    void agreesWithTheReference() throws Exception {
        JsonNode entries;
        try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream("html.json"))) {
            entries = JsonMapper.shared().readTree(in).get("entries");
        }
        List<String> wrong = new ArrayList<>();
        for (JsonNode entry : entries) {
            HtmlDocument document = HtmlDocument
                    .parse(entry.get("html").stringValue().getBytes(StandardCharsets.UTF_8));
            List<String> expected = new ArrayList<>();
            entry.get("tokens").forEach(token -> expected.add(token.stringValue()));
            List<String> tokens = document.tokens(true);
            String digest = HexFormat.of()
                    .formatHex(Blake2b.digest512(Shingler.shinglesKeyOf("rspamd"), Shingler.utf8(tokens)));
            String name = entry.get("name").stringValue();
            if (!tokens.equals(expected)) {
                wrong.add(name + ": tokens " + tokens + " instead of " + expected);
            } else if (!digest.equals(entry.get("direct_digest_default_key").stringValue())) {
                wrong.add(name + ": digest");
            } else if (document.tagsCount() != entry.get("tags_count").intValue()
                    || document.totalLinks() != entry.get("links_count").intValue()
                    || document.maxDepth() != entry.get("dom_depth").intValue()) {
                wrong.add(name + ": tags " + document.tagsCount() + "/" + entry.get("tags_count") + ", links "
                        + document.totalLinks() + "/" + entry.get("links_count") + ", depth " + document.maxDepth()
                        + "/"
                        + entry.get("dom_depth"));
            }
        }
        System.out.println("html: " + (entries.size() - wrong.size()) + " of " + entries.size() + " structures exact");
        assertThat(entries.size() - wrong.size()).as(String.join("\n", wrong)).isGreaterThanOrEqualTo(FLOOR);
    }
}
