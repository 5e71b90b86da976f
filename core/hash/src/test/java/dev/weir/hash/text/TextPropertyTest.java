package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import dev.weir.hash.url.UrlSearch;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import static org.assertj.core.api.Assertions.assertThat;

final class TextPropertyTest {
    private final TextAnalyzer analyzer = TextAnalyzer.standard();

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries
                .of("word", " ", "\n", "\r", "\r\n", "<", ">", "http://", "www.", "a.com", "@", ".", ":", "/x", "tel:",
                        "中文", "ж", "\u200b", "\u00ad", "😀", "1,5", "(", ")", "'", "é", "mailto:")
                .list().ofMaxSize(60)
                .map(l -> String.join("", l));
    }

    @Provide
    Arbitrary<List<TextException>> exceptions() {
        return Arbitraries.integers().between(0, 300)
                .flatMap(p -> Arbitraries.integers().between(0, 400).map(l -> new TextException(p, l, null))).list()
                .ofMaxSize(8).map(l -> {
                    List<TextException> sorted = new ArrayList<>(l);
                    sorted.sort(Comparator.comparingInt(TextException::position));
                    return sorted;
                });
    }

    @Property(seed = "4711", tries = 300)
    void strippingRemovesAllLineEndsAndNeverLengthens(@ForAll("texts") String text) {
        byte[] in = text.getBytes(StandardCharsets.UTF_8);
        StrippedText once = NewlineStripper.strip(in, false, true, 1000);
        assertThat(once.bytes()).doesNotContain((byte) '\n', (byte) '\r');
        assertThat(once.bytes().length).isLessThanOrEqualTo(in.length);
        assertThat(once.newlines()).isSorted();
        for (int newline : once.newlines()) {
            assertThat(newline).isBetween(0, once.bytes().length);
        }
        if (text.indexOf('\u200b') < 0 && text.indexOf('\u00ad') < 0) {
            assertThat(NewlineStripper.strip(once.bytes(), false, true, 1000).bytes()).isEqualTo(once.bytes());
        }
    }

    @Property(seed = "4712", tries = 300)
    void analysisAcceptsAnyListOfDisplayedUrls(@ForAll("texts") String text,
            @ForAll("exceptions") List<TextException> exceptions, @ForAll boolean raw, @ForAll boolean html) {
        AnalyzedText got = analyzer.analyze(text.getBytes(StandardCharsets.UTF_8), raw, html,
                html ? UrlSearch.STRICT : UrlSearch.FULL, exceptions, () -> new byte[64], new TextBudget());
        assertThat(got.stems()).allSatisfy(stem -> assertThat(stem).isNotEmpty());
    }

    @Property(seed = "4713", tries = 100)
    void theSameTextGivesTheSameStems(@ForAll("texts") String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        AnalyzedText one = analyzer.analyze(utf8, false, false, UrlSearch.FULL, List.of(), () -> new byte[64],
                new TextBudget());
        AnalyzedText two = analyzer.analyze(utf8, false, false, UrlSearch.FULL, List.of(), () -> new byte[64],
                new TextBudget());
        assertThat(one.stems()).usingElementComparator(java.util.Arrays::compare).isEqualTo(two.stems());
        assertThat(one.language()).isEqualTo(two.language());
    }
}
