package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;

import dev.weir.hash.text.TextException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import static org.assertj.core.api.Assertions.assertThat;

final class HtmlPropertyTest {
    @Provide
    Arbitrary<String> documents() {
        return Arbitraries
                .of("<p>", "</p>", "<div class=a>", "</div>", "<a href='http://x.example.com/'>", "</a>", "<b>", "</b>",
                        "text", " ", "\n", "&nbsp;", "&amp;", "&#x41", "www.example.org", "<!-- x -->", "<!--", "-->",
                        "<style>", "</style>",
                        "p{display:none}", "<br>", "<img alt=x>", "<td>", "</td>", "<html>", "</html>", "<head>",
                        "<title>", "</head>", "<",
                        ">", "\"", "=", "<p style='color:#fff'>", "<p hidden>", "é", "\0",
                        "<base href='http://y.example.com/'>",
                        "<a href=z>")
                .list().ofMaxSize(60).map(parts -> String.join("", parts));
    }

    @Property(seed = "2106", tries = 2000)
    void everyDocumentHasBoundedText(@ForAll("documents") String html) {
        byte[] input = html.getBytes(StandardCharsets.UTF_8);
        HtmlDocument document = HtmlDocument.parse(input);
        byte[] text = document.visibleText();
        // No output is longer than its input, except for margins and an occasional doubled reference.
        assertThat(text.length).isLessThanOrEqualTo(3 * input.length + 2);
        for (TextException shown : document.displayedUrls()) {
            assertThat(shown.position()).isNotNegative();
            assertThat(shown.position() + shown.length()).isLessThanOrEqualTo(text.length);
        }
        assertThat(document.tokens(true)).hasSameSizeAs(document.tokens(false));
        assertThat(document.structure().callToAction().values()).allMatch(weight -> weight >= 0 && weight <= 1);
    }

    @Property(seed = "2107", tries = 500)
    void parsingIsRepeatable(@ForAll("documents") String html) {
        byte[] input = html.getBytes(StandardCharsets.UTF_8);
        HtmlDocument first = HtmlDocument.parse(input);
        HtmlDocument second = HtmlDocument.parse(input);
        assertThat(second.visibleText()).isEqualTo(first.visibleText());
        assertThat(second.structure()).isEqualTo(first.structure());
    }

    @Property(seed = "2108", tries = 500)
    void plainWordsStayUnchanged(@ForAll("words") String words) {
        assertThat(new String(HtmlDocument.parse(words.getBytes(StandardCharsets.UTF_8)).visibleText(),
                StandardCharsets.UTF_8)).isEqualTo(words);
    }

    @Provide
    Arbitrary<String> words() {
        return Arbitraries.strings().withCharRange('a', 'z').ofMinLength(1).list().ofMinSize(1).ofMaxSize(20)
                .map(list -> String.join(" ", list));
    }
}
