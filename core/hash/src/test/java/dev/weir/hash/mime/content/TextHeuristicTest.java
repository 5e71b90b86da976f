package dev.weir.hash.mime.content;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;

import dev.weir.hash.mime.header.ContentType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests with results of Rspamd 4.1.6. */
class TextHeuristicTest {
    private static final String WORDS = "Hello this is a text with many words for length and so on\n".repeat(10);

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"a,b,c~d,e,f~|csv", "a,b,c^d,e,f^|csv", "a,b,c,~d,e,f,~|csv", "a,b,~d,e,~|txt",
        "a ,b ,c~d ,e ,f~|csv", "a,b,c  ~d,e,f ~|csv", "a,b,c#~d,e,f#~|txt", "a, b, c~d, e, f~|txt",
        "a,b,c,  ~d,e,f, ~|csv", "a~,b~,c~a,b,c~|txt", "x y,b,c~x z,e,f~|csv", "a,b,c d~a,b,c d~|txt",
        "a;b,c,d~a;b,c,d~|csv", "a,b,c~a,b,c|txt", "a,,b,c~a,,b,c~|txt", "a,b,c~|txt"})
    void recognizesRows(String text, String id) {
        String lines = text.replace('~', '\n').replace("^", "\r\n").replace('#', '\t');
        assertThat(detect(lines, "text/plain", null)).isEqualTo(id);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"a,b~c,d|csv", "a,b~~c,d~|csv", "~a,b|txt", "a,b|csv",
        "a#b~c#d~|txt", "\"a\"#b~c,d~|csv", "\"a,b\",c~d,e~|csv", "\"a\"b,c~|txt", "\"a,b~|txt", "a,b~c~|txt"})
    void aDeclaredTableNeedsTheSameNumberOfFieldsInEachLine(String text, String id) {
        assertThat(detect(text.replace('~', '\n').replace('#', '\t'), "text/csv", null)).isEqualTo(id);
    }

    @Test
    void anXmlDeclarationMayStandAnywhereUnlessThereIsHtml() {
        String xml = "<?xml version=\"1.0\"?>\n";
        assertThat(detect(xml + WORDS, "text/plain", null)).isEqualTo("xml");
        assertThat(detect(WORDS + "> " + xml + WORDS, "text/plain", null)).isEqualTo("xml");
        assertThat(detect(WORDS + "<?xml version=1\n and\n more\n ?>" + WORDS, "text/html", "a.htm")).isEqualTo("xml");
        assertThat(detect(WORDS + xml, "application/foo", null)).isEqualTo("xml");
        assertThat(detect(WORDS + xml + "<p >" + WORDS, "text/plain", null)).isEqualTo("txt");
        assertThat(detect(WORDS + "<?xmlx a ?>\n", "text/plain", null)).isEqualTo("txt");
        assertThat(detect(WORDS + "<?XML a?>\n", "text/plain", null)).isEqualTo("txt");
        assertThat(detect(WORDS.repeat(8) + xml, "text/plain", null)).isEqualTo("txt");
        assertThat(detect(xml + "a,b,c\n".repeat(20), "text/plain", null)).isEqualTo("txt");
        assertThat(detect(xml + xml + "a,b,c\n".repeat(3) + WORDS, "text/plain", null)).isEqualTo("xml");
    }

    /** A weight of 20 ends the heuristics of a part with a name, but only a weight of 30 counts. */
    @ParameterizedTest
    @CsvSource({"<p >,,txt", "<p ><p >,,txt", "<!DOCTYPE html>,,txt", "<p >,a.foo,txt", "<p ><p >,a.foo,",
        "<body>,a.htm,", "<body><p >,a.foo,html", "<html>,a.foo,html", "<p >,a.htm,html", "<p ><p ><p ><p >,,html"})
    void aFileNameLowersTheWeightThatHtmlNeeds(String tags, @Nullable String name, @Nullable String id) {
        assertThat(detect(tags + WORDS, "text/plain", name)).isEqualTo(id);
    }

    /** A regular expression needed a frame of the stack for each word, and quadratic time. */
    @Test
    void aLongLineOfWordsNeedsNoDeepStack() throws Exception {
        FutureTask<String> task = new FutureTask<>(
                () -> detect("a,b\n" + "a,".repeat(5_000) + "\n", "text/plain", null));
        new Thread(null, task, "small", 256 << 10).start();
        assertThat(task.get()).isEqualTo("txt");
    }

    private static @Nullable String detect(String text, String type, @Nullable String name) {
        return TextHeuristic.detect(text.getBytes(StandardCharsets.UTF_8),
                Objects.requireNonNull(ContentType.ofHeaders(List.of(type))), name,
                false);
    }
}
