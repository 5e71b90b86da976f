package dev.weir.hash.text;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;

import dev.weir.hash.url.UrlSearch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of stripped text, words and language of plain texts against vectors captured from Rspamd. */
final class WordsVectorTest {
    private final TextAnalyzer analyzer = TextAnalyzer.standard();

    /**
     * Sixteen random strings of letters and digits. Rspamd derives their language from trigrams and from the languages
     * that its process has seen before.
     */
    private static final List<String> NOT_REPRODUCIBLE = List.of("base64_like");

    @Test
    void plainTexts() throws IOException {
        JsonNode entries;
        try (InputStream in = WordsVectorTest.class.getResourceAsStream("words.json")) {
            entries = JsonMapper.shared().readTree(Objects.requireNonNull(in)).get("entries");
        }
        List<String> wrong = new ArrayList<>();
        int plain = 0;
        for (JsonNode entry : entries) {
            if (entry.get("content_type").asString().equals("text/plain")) {
                plain++;
                String fault = fault(entry);
                if (fault != null) {
                    wrong.add(entry.get("name").asString() + ": " + fault);
                }
            }
        }
        System.out.printf("words: %d of %d exact (plain texts; the other %d are HTML)%n", plain - wrong.size(), plain,
                entries.size() - plain);
        assertThat(plain).isEqualTo(96);
        assertThat(new TreeSet<>(wrong.stream().map(w -> w.substring(0, w.indexOf(':'))).toList())).as("%s", wrong)
                .isSubsetOf(NOT_REPRODUCIBLE);
    }

    /** Short texts with one form of URL or address each. */
    @Test
    void urlsGiveNoWords() throws IOException {
        JsonNode cases;
        try (InputStream in = WordsVectorTest.class.getResourceAsStream("urls.json")) {
            cases = JsonMapper.shared().readTree(Objects.requireNonNull(in)).get("cases");
        }
        List<String> wrong = new ArrayList<>();
        for (JsonNode one : cases) {
            byte[] text = one.get(0).asString().getBytes(StandardCharsets.UTF_8);
            AnalyzedText got = analyzer.analyze(text, false, false, UrlSearch.FULL, List.of(), () -> new byte[64],
                    new TextBudget());
            List<String> stems = got.stems().stream().map(s -> new String(s, StandardCharsets.UTF_8)).toList();
            List<String> expected = new ArrayList<>();
            one.get(1).forEach(stem -> expected.add(stem.asString()));
            if (!stems.equals(expected)) {
                wrong.add(one.get(0).asString() + " gives " + stems + " instead of " + expected);
            }
        }
        assertThat(cases.size()).isGreaterThan(80);
        assertThat(wrong).isEmpty();
    }

    private @Nullable String fault(JsonNode entry) {
        byte[] text = asUtf8(Base64.getDecoder().decode(entry.get("text_base64").asString()));
        AnalyzedText got = analyzer.analyze(text, false, false, UrlSearch.FULL, List.of(), () -> new byte[64],
                new TextBudget());
        if (!Arrays.equals(got.stripped(), Base64.getDecoder().decode(entry.get("oneline_base64").asString()))) {
            return "stripped text";
        }
        String language = entry.get("language").isNull() ? "" : entry.get("language").asString();
        if (!got.language().equals(language)) {
            return "language " + got.language() + " instead of " + language;
        }
        List<String> words = new ArrayList<>();
        entry.get("hashed_words").forEach(w -> words.add(w.asString()));
        List<String> stems = got.stems().stream().map(s -> new String(s, StandardCharsets.UTF_8)).toList();
        if (!stems.equals(words)) {
            return "words";
        }
        return stems.size() == entry.get("text_words_count").asInt() ? null : "count";
    }

    /** One vector is invalid UTF-8; charset detection, which precedes word splitting, reads it as Windows-1252. */
    private static byte[] asUtf8(byte[] text) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text));
            return text;
        } catch (CharacterCodingException e) {
            return new String(text, Charset.forName("windows-1252")).getBytes(StandardCharsets.UTF_8);
        }
    }
}
