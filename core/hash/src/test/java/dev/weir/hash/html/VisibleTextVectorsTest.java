package dev.weir.hash.html;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;

import dev.weir.hash.release.Release;
import dev.weir.hash.text.AnalyzedText;
import dev.weir.hash.text.TextAnalyzer;
import dev.weir.hash.text.TextBudget;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.UrlSearch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of the visible text and the words of HTML against vectors captured from Rspamd. */
final class VisibleTextVectorsTest {
    private final TextAnalyzer analyzer = TextAnalyzer.standard();

    @Test
    void textAndWordsOfHtml() throws IOException {
        List<String> wrong = new ArrayList<>();
        int total = 0;
        for (JsonNode entry : read("/dev/weir/hash/text/words.json").get("entries")) {
            if (!entry.get("content_type").asString().equals("text/html")) {
                continue;
            }
            total++;
            AnalyzedText text = analyze(Base64.getDecoder().decode(entry.get("text_base64").asString()),
                    Release.V4_1);
            List<String> words = new ArrayList<>();
            entry.get("hashed_words").forEach(word -> words.add(word.asString()));
            String expected = new String(Base64.getDecoder().decode(entry.get("oneline_base64").asString()),
                    StandardCharsets.UTF_8);
            if (!new String(text.stripped(), StandardCharsets.UTF_8).equals(expected)) {
                wrong.add(entry.get("name").asString() + ": text");
            } else if (!text.stems().stream().map(s -> new String(s, StandardCharsets.UTF_8)).toList().equals(words)) {
                wrong.add(entry.get("name").asString() + ": words");
            }
        }
        System.out.printf("html texts: %d of %d exact%n", total - wrong.size(), total);
        assertThat(total).isEqualTo(15);
        assertThat(wrong).isEmpty();
    }

    /** Small documents, one rule each, with the text that each release of Rspamd produced. */
    @ParameterizedTest
    @EnumSource
    void measuredCases(Release like) throws IOException {
        List<String> wrong = new ArrayList<>();
        JsonNode measured = read("measured.json");
        for (JsonNode one : measured.get("cases")) {
            compare(one.get(0).asString(), one.get(like == Release.V4_1 && one.size() > 2 ? 2 : 1).asString(), like,
                    wrong);
        }
        if (like == Release.V4_1) {
            for (JsonNode one : measured.get("only_4_1_6")) {
                compare(one.get(0).asString(), one.get(1).asString(), like, wrong);
            }
        }
        assertThat(measured.get("cases").size()).isGreaterThan(1100);
        assertThat(wrong).isEmpty();
    }

    private void compare(String html, String expected, Release like, List<String> wrong) {
        String text = new String(analyze(html.getBytes(StandardCharsets.UTF_8), like).stripped(),
                StandardCharsets.UTF_8);
        if (!text.equals(expected)) {
            wrong.add(html + " gives '" + text + "' instead of '" + expected + "'");
        }
    }

    private AnalyzedText analyze(byte[] html, Release like) {
        HtmlDocument document = HtmlDocument.parse(html, PublicSuffixes.standard(), new HtmlBudget(), like);
        return analyzer.analyze(document.visibleText(), false, true, UrlSearch.STRICT, document.displayedUrls(),
                () -> new byte[64], new TextBudget());
    }

    private static JsonNode read(String resource) throws IOException {
        try (InputStream in = VisibleTextVectorsTest.class.getResourceAsStream(resource)) {
            return JsonMapper.shared().readTree(Objects.requireNonNull(in));
        }
    }
}
