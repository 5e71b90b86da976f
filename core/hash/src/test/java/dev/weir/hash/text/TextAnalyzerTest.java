package dev.weir.hash.text;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.UrlSearch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TextAnalyzerTest {
    private final TextAnalyzer analyzer = TextAnalyzer.standard();

    @ParameterizedTest
    @CsvSource({"don't, dont", "'1,000', 1000", "week.If, week if", "naïve CAFÉ, naïv café", "x_y $5, x_i $ 5",
        "😀, ''",
        "İ Ⅷ, i viii"})
    void normalForms(String text, String words) {
        assertThat(words(text)).isEqualTo(words);
    }

    @Test
    void otherLocalesJoinLettersAroundADot() {
        TextAnalyzer english = new TextAnalyzer(600, "en_US", LanguageData.standard(), PublicSuffixes.standard());
        assertThat(words(english, "week.If")).isEqualTo("weekif");
    }

    @Test
    void dropsWordsThatAreTooLongForRspamd() {
        assertThat(words("a " + "x".repeat(1024) + " b")).hasSize(1024 + 4);
        assertThat(words("a " + "x".repeat(1025) + " b")).isEqualTo("a b");
    }

    @Test
    void urlsYieldNoWords() {
        assertThat(words("see http://example.com/a(b and <www.foo.com> mail joe@x.org or foo.net/x now")).isEqualTo(
                "see and mail or now");
    }

    @Test
    void strictSearchKeepsBareDomainsAsWords() {
        AnalyzedText text = analyzer.analyze(utf8("see foo.net now"), false, true, UrlSearch.STRICT, List.of(),
                () -> new byte[64], new TextBudget());
        assertThat(text.stems()).hasSize(4);
    }

    /** Recorded from Rspamd, in a mail whose displayed URL has a position that counts a removed character. */
    @Test
    void keepsWordsWholeAfterAUrlThatEndsInsideACharacter() {
        assertThat(wordsBeside("see é and naïve café", 0, 5)).containsExactly("and", "naïv", "café");
    }

    /** In both releases. The byte is a continuation byte without a character. */
    @Test
    void aMalformedByteEndsAWord() {
        byte[] text = "aa.pnf\u0098b\u00b2 more \u0098word end".getBytes(StandardCharsets.ISO_8859_1);
        AnalyzedText words = analyzer.analyze(text, false, false, UrlSearch.STRICT, List.of(), () -> new byte[64],
                new TextBudget());
        assertThat(words.stems().stream().map(s -> new String(s, StandardCharsets.UTF_8))).containsExactly("aa", "pnf",
                "b", "more", "word", "end");
    }

    @Test
    void displayedUrlsYieldNoWords() {
        assertThat(wordsBeside("click on this link now", 9, 9)).containsExactly("click", "on", "now");
    }

    /** Recorded from Rspamd 4.1.6, in a mail with two links that touch. */
    @Test
    void displayedUrlsMayTouchAtTheStartOfALine() {
        AnalyzedText words = analyzer.analyze(utf8("xx\nhttps://a.xyzhttps://click.co.uk/ customersThe bank meeting"),
                false, true, UrlSearch.STRICT,
                List.of(new TextException(3, 13, "a.xyz"), new TextException(16, 30, "click.co.uk")),
                () -> new byte[64], new TextBudget());
        assertThat(words.stems().stream().map(s -> new String(s, StandardCharsets.UTF_8))).containsExactly("xx", "the",
                "bank", "meet");
    }

    /** Returns the words of HTML in which a range, in bytes, is displayed as a URL. */
    private List<String> wordsBeside(String text, int position, int length) {
        return analyzer.analyze(utf8(text), false, true, UrlSearch.STRICT,
                List.of(new TextException(position, length, "example.com")), () -> new byte[64], new TextBudget())
                .stems().stream().map(s -> new String(s, StandardCharsets.UTF_8)).toList();
    }

    @Test
    void oneGreekLetterMakesATextGreek() {
        assertThat(analyze("the price is 5 α").language()).isEqualTo("el");
        assertThat(analyze("the price is 5 中").language()).isEqualTo("zh-CN");
        assertThat(analyze("고객님께 최근 주문하신").language()).isEqualTo("en");
        assertThat(analyze(" ... ").language()).isEmpty();
    }

    @Test
    void scriptsCountUpToAMalformedByte() {
        assertThat(languageAfter("", "中文")).isEqualTo("zh-CN");
        assertThat(languageAfter("\u00ff", "中文")).isEqualTo("en");
    }

    private String languageAfter(String bytes, String text) {
        byte[] utf8 = utf8(text);
        String latin1 = "this is " + bytes + " here " + new String(utf8, StandardCharsets.ISO_8859_1);
        return analyzer.analyze(latin1.getBytes(StandardCharsets.ISO_8859_1), false, false, UrlSearch.FULL, List.of(),
                () -> new byte[64], new TextBudget()).language();
    }

    @Test
    void aTextOfFewWordsIsEnglishInAnyAlphabet() {
        assertThat(analyze("привет мир как дела у вас сегодня").language()).isEqualTo("en");
        assertThat(analyze("привет мир как дела у вас сегодня и завтра тоже да нет").language()).isEqualTo("ru");
    }

    @Test
    void stopsWhenTheBudgetIsUsedUp() {
        TextBudget budget = new TextBudget();
        byte[] text = utf8("ab cd ".repeat(60_000));
        TextAnalyzer all = new TextAnalyzer(0, TextAnalyzer.DEFAULT_LOCALE, LanguageData.standard(),
                PublicSuffixes.standard());
        assertThat(all.analyze(text, false, false, UrlSearch.FULL, List.of(), () -> new byte[64], budget).stems())
                .hasSize(
                        TextBudget.MAX_TOKENS);
        assertThat(all.analyze(text, false, false, UrlSearch.FULL, List.of(), () -> new byte[64], budget).stems())
                .isEmpty();
    }

    @Test
    void splitsRawPartsByteByByte() {
        AnalyzedText text = analyzer.analyze("xOne two.THREE \u00e4\u00f6 end".getBytes(StandardCharsets.ISO_8859_1),
                true,
                false, UrlSearch.FULL, List.of(), () -> new byte[64], new TextBudget());
        assertThat(text.stems().stream().map(s -> new String(s, StandardCharsets.ISO_8859_1))).containsExactly("one",
                "two",
                "three", "\u00e4\u00f6");
    }

    /** A domain that is found twice hides all URLs and line ends behind it. */
    @ParameterizedTest
    @CsvSource({"xsee b.net to c@d.org|here, see to c@d org here", "xsee b.net too c@d.org|here, see too ere",
        "xsee www.b.org|in c@d.org|here, see in c@d org here", "xsee x@b.net to c@d.org|here, see to ere"})
    void aRepeatedDomainHidesWhatFollowsItInRawText(String text, String words) {
        AnalyzedText raw = analyzer.analyze((text + "|end").replace('|', '\n').getBytes(StandardCharsets.ISO_8859_1),
                true, false, UrlSearch.FULL, List.of(), () -> new byte[64], new TextBudget());
        assertThat(String.join(" ", raw.stems().stream().map(s -> new String(s, StandardCharsets.ISO_8859_1)).toList()))
                .isEqualTo(words);
    }

    @Test
    void readsAnInstalledLanguagesFolder(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("stop_words"), "{\"de\": [\"aber\", \"nicht\", \"und\", \"kl\\u00e4ren\",],}");
        Files.writeString(folder.resolve("de.json"),
                "{\"freq\":{\" sc\":10,\" de\":5,\"d\":7},\"n_words\":[7,0,15],\"name\":\"de\",\"type\":\"latin\","
                        + "\"flags\":[\"diacritics\"]}");
        Files.writeString(folder.resolve("xx.json"), "{\"freq\":{\"abc\":10},\"n_words\":[1,1,1],\"name\":\"xx\"}");
        TextAnalyzer own = new TextAnalyzer(600, TextAnalyzer.DEFAULT_LOCALE, LanguageData.load(folder),
                PublicSuffixes.standard());
        assertThat(
                own.analyze(utf8("Aber nicht UND klären"), false, false, UrlSearch.FULL, List.of(), () -> new byte[64],
                        new TextBudget()).language())
                .isEqualTo("de");
        assertThat(own.analyze(utf8("schon scheu schal schuh schaf schatz schein schema schere schicht"), false, false,
                UrlSearch.FULL, List.of(), () -> new byte[64], new TextBudget()).language()).isEqualTo("de");
        Files.writeString(folder.resolve("de.json"), "{\"freq\":[");
        assertThatThrownBy(() -> LanguageData.load(folder)).isInstanceOf(IOException.class)
                .hasMessageContaining("de.json");
    }

    @Test
    void timeIsLinearForHostileTexts() {
        for (String piece : List.of("a.", "@", "http:", "www.", ".com", "<", "tel:1", "mailto:a", "\r\n", " \u200b",
                "a.b@c",
                "中", "_", "[::", "\\")) {
            byte[] text = utf8(piece.repeat(400_000 / piece.length()));
            assertThat(analyzer
                    .analyze(text, false, false, UrlSearch.FULL, List.of(), () -> new byte[64], new TextBudget())
                    .stripped().length).isLessThanOrEqualTo(text.length);
        }
    }

    private AnalyzedText analyze(String text) {
        return analyzer.analyze(utf8(text), false, false, UrlSearch.FULL, List.of(), () -> new byte[64],
                new TextBudget());
    }

    private String words(String text) {
        return words(analyzer, text);
    }

    private static String words(TextAnalyzer analyzer, String text) {
        AnalyzedText got = analyzer.analyze(utf8(text), false, false, UrlSearch.FULL, List.of(), () -> new byte[64],
                new TextBudget());
        return String.join(" ", got.stems().stream().map(s -> new String(s, StandardCharsets.UTF_8)).toList());
    }

    private static byte[] utf8(String s) {
        return s.getBytes(StandardCharsets.UTF_8);
    }
}
