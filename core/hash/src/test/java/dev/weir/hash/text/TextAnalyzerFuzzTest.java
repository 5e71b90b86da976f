package dev.weir.hash.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.hash.url.UrlSearch;

/**
 * Fuzz test of text analysis with arbitrary bytes and displayed URLs: no Java exception escapes, and no stem is empty.
 */
final class TextAnalyzerFuzzTest {
    private static final TextAnalyzer ANALYZER = TextAnalyzer.standard();

    @FuzzTest(maxDuration = "20s")
    void analyze(FuzzedDataProvider data) {
        boolean raw = data.consumeBoolean();
        boolean html = data.consumeBoolean();
        List<TextException> displayed = new ArrayList<>();
        for (int i = data.consumeInt(0, 4); i > 0; i--) {
            displayed.add(new TextException(data.consumeInt(0, 200), data.consumeInt(0, 1000), null));
        }
        displayed.sort(Comparator.comparingInt(TextException::position));
        AnalyzedText text = ANALYZER.analyze(data.consumeRemainingAsBytes(), raw, html,
                html ? UrlSearch.STRICT : UrlSearch.FULL, displayed, () -> new byte[64], new TextBudget());
        if (text.stems().stream().anyMatch(stem -> stem.length == 0)) {
            throw new AssertionError("an empty stem");
        }
    }
}
