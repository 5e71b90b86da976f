package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.weir.hash.release.Release;
import dev.weir.hash.text.TextException;
import dev.weir.hash.url.PublicSuffixes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class HtmlDocumentTest {
    private static HtmlDocument parse(String html) {
        return HtmlDocument.parse(html.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(String html) {
        return text(html, Release.V4_1);
    }

    private static String text(String html, Release like) {
        HtmlDocument document = HtmlDocument.parse(html.getBytes(StandardCharsets.UTF_8), PublicSuffixes.standard(),
                new HtmlBudget(), like);
        return new String(document.visibleText(), StandardCharsets.UTF_8);
    }

    @Test
    void blocksHaveTheirOwnLinesAndCellsShareOne() {
        assertThat(text("<h1>a</h1><p>b<b>c</b></p>d<table><tr><td>e</td><td>f</td></tr></table>"))
                .isEqualTo("a\nbc\nd\ne f\n");
    }

    @Test
    void reportsALinkThatDisplaysAUrl() {
        HtmlDocument document = parse(
                "<p>see <a href='http://evil.example.org/'> http://bank.example.com/login now </a></p>");
        assertThat(document.displayedUrls())
                .containsExactly(new TextException(4, 33, "example.com"));
        assertThat(new String(document.visibleText(), StandardCharsets.UTF_8).substring(4, 37))
                .isEqualTo("http://bank.example.com/login now");
    }

    /** Rspamd uses the length of the label and the position of the element. */
    @Test
    void displayedUrlStartsAtTheElement() {
        assertThat(parse("<p>and<a href='http://a.example.com/'> http://b.example.com/ </a>x").displayedUrls())
                .containsExactly(new TextException(3, 21, "example.com"));
        assertThat(parse("<p>and<a href='http://a.example.com/' style='display:block'>b.example.com</a>x")
                .displayedUrls()).containsExactly(new TextException(3, 13, "example.com"));
    }

    /** Only a link with a URL can display another one. */
    @ParameterizedTest
    @CsvSource({"http://a.com, 1", "http://192.0.2.1, 1", "https://[2001:db8::1], 0", "https://[2001:db8::1]/p/, 0"})
    void aLinkRelativeToAnAddressOfVersion6HasNoUrl(String base, int links) {
        assertThat(parse("<base href='" + base + "'><p>and<a href='/x'>b.example.com</a>").displayedUrls())
                .hasSize(links);
        assertThat(parse("<base href='" + base + "'><p>and<a href='http://a.com/x'>b.example.com</a>")
                .displayedUrls()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u00a0", "\u3000 ", "\u2028", "\u200b", "\ufeff\u00ad"})
    void blanksOfUnicodeDoNotBelongToADisplayedUrl(String blank) {
        assertThat(parse("<p>and<a href='http://a.example.com/'>" + blank + "b.example.com" + blank + "</a>x")
                .displayedUrls()).containsExactly(new TextException(3, 13, "example.com"));
    }

    @Test
    void linkWeightsDoNotDependOnTheTimeOfTheRequest() {
        HtmlBudget early = new HtmlBudget();
        HtmlBudget late = new HtmlBudget();
        byte[] one = "<p><a href='http://a.example.com/'>a</a>".getBytes(StandardCharsets.UTF_8);
        byte[] two = "<p><a href='http://b.example.com/'>b</a>".getBytes(StandardCharsets.UTF_8);
        PublicSuffixes suffixes = PublicSuffixes.standard();
        HtmlDocument.parse(one, suffixes, early, Release.V4_1).structure();
        HtmlStructure asked = HtmlDocument.parse(two, suffixes, early, Release.V4_1).structure();
        HtmlDocument.parse(one, suffixes, late, Release.V4_1);
        assertThat(HtmlDocument.parse(two, suffixes, late, Release.V4_1).structure()).isEqualTo(asked);
    }

    @Test
    void ignoresALinkTextOfFourLetters() {
        assertThat(parse("<a href='http://a.example.com/'>t.co</a>").displayedUrls()).isEmpty();
        assertThat(parse("<a href='http://a.example.com/'>wp.pl</a>").displayedUrls()).hasSize(1);
        assertThat(parse("<a href='http://a.example.com/'>wp.pl.</a>").displayedUrls()).isEmpty();
    }

    @Test
    void ignoresALinkThatDisplaysWords() {
        assertThat(parse("<p><a href='http://example.org/'>click here</a></p>").displayedUrls()).isEmpty();
    }

    /** Visibility rules that Rspamd 4.1.6 has and 3.4 does not. */
    @ParameterizedTest
    @ValueSource(strings = {"opacity:0", "opacity:.09", "position:absolute;left:-1000px", "position:fixed;top:-5000px",
        "text-indent:-9999px", "clip:rect(0,0,0,0);position:absolute", "clip:rect(1px 1px 1px 1px)",
        "clip-path:inset(50%)", "clip-path:circle(0)", "overflow:hidden;height:0", "overflow:clip;width:0px",
        "overflow:hidden;max-height:0;height:50px", "font-size:3px", "font-size:1px", "display:none",
        "visibility:hidden",
        "visibility:collapse", "display:block;display:none", "display:inline !important;display:none"})
    void hides(String css) {
        assertThat(text("a<span style=\"" + css + "\">b</span>d")).isEqualTo("ad");
    }

    /** Only what a child inherits hides it: its font size and its colors, but never its display type. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"display:none|acd", "visibility:hidden|acd", "opacity:0|acd",
        "text-indent:-9999px|acd", "overflow:hidden;height:0|acd", "font-size:0|ad"})
    void hiddenElementShowsChildrenWithTheirOwnStyle(String css, String visible) {
        assertThat(text("a<span style=\"" + css + "\">b<i>c</i></span>d")).isEqualTo(visible);
    }

    /** A slash directly after the name of an unknown tag closes the tag; text after it belongs to the tag around it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"<x/>|ac", "<x/y>|ac", "<http:/a.b/{x}>|ac", "<www.a.b//x>|ac", "<x/ >|ac",
        "<x /y>|abc", "<x>|abc", "<b/>|abc", "<b/y>|abc"})
    void aSlashClosesAnUnknownTag(String tag, String visible) {
        assertThat(text("a<span hidden>" + tag + "b</span>c")).isEqualTo(visible);
    }

    @ParameterizedTest
    @ValueSource(strings = {"opacity:.1", "position:absolute;left:-999px", "left:-5000px", "text-indent:-999px",
        "position:absolute;left:-5000%", "clip:rect(0,0,2px,0)", "clip:rect(auto)", "clip-path:inset(49%)",
        "overflow:hidden",
        "overflow:hidden;height:1px", "height:0", "overflow:visible;height:0", "font-size:4px",
        "display:none;display:inline", "display:none !important;display:inline"})
    void doesNotHide(String css) {
        assertThat(text("a<span style=\"" + css + "\">b</span>d")).isEqualTo("abd");
    }

    @ParameterizedTest
    @CsvSource({"color:white,true", "color:#fefefe,true", "color:#808080,false", "background:black,true",
        "color:white;background:black,false", "color:#123456;background-color:#133557,true", "color:rgba(1 2 3 0),true",
        "background:rgba(0 0 0 0),false"})
    void transparentTextBecomesSpaces(String css, boolean transparent) {
        assertThat(text("a<span style=\"" + css + "\">bb</span>d")).isEqualTo(transparent ? "a  d" : "abbd");
    }

    /** Of the tag that exceeds the limit, only the {@code <} disappears. The html tag counts, also an implied one. */
    @ParameterizedTest
    @CsvSource({"'<html>',V4_1,8191", "'',V4_1,8191", "'text ',V4_1,8191", "'<!DOCTYPE html><html><body>',V4_1,8188",
        "'<html>',V3_4,8192", "'',V3_4,8192", "'text ',V3_4,8192", "'<!DOCTYPE html><html><body>',V3_4,8189"})
    void inputPastTheTagLimitIsText(String start, Release like, int first) {
        StringBuilder html = new StringBuilder(start);
        for (int i = 0; i < 8_400; i++) {
            html.append("<b>q").append(i).append("</b>");
        }
        String text = text(html.toString(), like);
        assertThat(text.substring(text.indexOf('>') - 1)).startsWith("b>q" + first + "</b><b>");
    }

    /** 4.1.6 also limits closing tags that match nothing, and begins the text at the end of such a tag. */
    @ParameterizedTest
    @CsvSource({"'<html><body>',q8189>q8191</b>q8192", "'',q8190>q8192</b>q8193", "'text ',q8190>q8192</b>q8193"})
    void inputPastTheLimitOfStrayClosingTagsIsText(String start, String text) {
        StringBuilder html = new StringBuilder(start);
        for (int i = 0; i < 8_400; i++) {
            html.append('q').append(i).append("</b>");
        }
        assertThat(text(html.toString(), Release.V4_1)).contains(text);
        assertThat(text(html.toString(), Release.V3_4)).doesNotContain("<").contains("q8398q8399");
    }

    @Test
    void limitsTheAttributesOfATag() {
        String many = " xy".repeat(127);
        assertThat(text("<p" + many + " hidden>a")).isEmpty();
        assertThat(text("<p" + many + " xy hidden>a")).isEqualTo("a\n");
    }

    @Test
    void limitsTheAttributesOfAMail() {
        HtmlBudget budget = new HtmlBudget();
        byte[] filler = ("<p" + " xy".repeat(128) + ">").repeat(HtmlBudget.MAX_ATTRIBUTES / 128)
                .getBytes(StandardCharsets.UTF_8);
        HtmlDocument.parse(filler, PublicSuffixes.standard(), budget, Release.V4_1);
        byte[] hidden = "<p hidden>a".getBytes(StandardCharsets.UTF_8);
        assertThat(HtmlDocument.parse(hidden, PublicSuffixes.standard(), budget, Release.V4_1).visibleText())
                .isNotEmpty();
        assertThat(HtmlDocument.parse(hidden, PublicSuffixes.standard(), new HtmlBudget(), Release.V4_1).visibleText())
                .isEmpty();
    }

    /** Each input would take hours with a quadratic step, or overflow the stack with a recursive one. */
    @ParameterizedTest
    @ValueSource(strings = {"<b>", "</b>", "<b", "<", "<!--", "<?", "&", "&#", "&a", "<a href=\"", "<a b='",
        "</", "<p></div>",
        "<style>a{", "<style>{", "<style>a,", "<style>/*", "<p style=\"a:b(", "<a href=http://a.com/>", "<p>&nbsp;\n",
        "<script></", "<![", "<html>", "<head>", "<base href=http://a.com/>"})
    void hostileInputTakesLinearTime(String piece) {
        byte[] html = piece.repeat(2_000_000 / piece.length()).getBytes(StandardCharsets.UTF_8);
        long start = System.nanoTime();
        HtmlDocument document = HtmlDocument.parse(html);
        assertThat(document.tagsCount()).isLessThanOrEqualTo(TreeBuilder.MAX_TAGS);
        assertThat(System.nanoTime() - start).isLessThan(20_000_000_000L);
    }

    @Test
    void tokensWithoutDomainsAreOtherwiseEqual() {
        HtmlDocument document = parse("<div class='A b'><a href='http://x.example.com/'>y</a></div>");
        assertThat(document.tokens(true)).isEqualTo(List.of("div.a", "a@example.com"));
        assertThat(document.tokens(false)).isEqualTo(List.of("div.a", "a"));
    }
}
