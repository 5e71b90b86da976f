package dev.weir.hash.html;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.hash.text.TextException;

/** Fuzz test of HTML parsing: no exception escapes, and all reported ranges are inside the text. */
final class HtmlFuzzTest {
    @FuzzTest(maxDuration = "20s")
    void parse(byte[] html) {
        HtmlDocument document = HtmlDocument.parse(html);
        int length = document.visibleText().length;
        for (TextException shown : document.displayedUrls()) {
            if (shown.position() < 0 || shown.position() + shown.length() > length) {
                throw new AssertionError("a displayed URL is outside of the text");
            }
        }
        // Abandoned constructs count as levels but not as tags.
        int opened = 1;
        for (byte b : html) {
            opened += b == '<' ? 1 : 0;
        }
        if (document.maxDepth() > opened) {
            throw new AssertionError("deeper than anything was opened");
        }
    }
}
