package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that tags without content take their display type from the style sheet and from the CSS of their parent, not
 * from their own style. The expectations match Rspamd's output; a '/' stands for a line break, where Rspamd writes a
 * space.
 */
final class EmptyTagDisplayTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = false, value = {
        "<div><p>a <img alt=o> t <img alt=y></p></div>|a o t y/",
        "<div style=display:block>a <img alt=o> t <img alt=y></div>|a /o t /y/",
        "<div style=display:block>a <img src=x>b</div>|a /b/", "<div style=display:block>a <input>b</div>|a /b/",
        "<div style=display:block>a </i>b</div>|a /b/",
        "<div style=display:block><b>a <img alt=o>b</b></div>|a o b/",
        "<div style=display:inline>a <img alt=o>b</div>|a o b",
        "<p><img alt=o style=display:block><img alt=y style=display:none></p>|o y/",
        "<style>img{display:block}</style><p>a <img alt=o> t</p>|a /o t/",
        "<style>.x{display:block}</style><p>a <img alt=o class=x> t</p>|a /o t/",
        "<style>img{display:none}</style><p>a <img alt=o> t</p>|a t/"})
    void sheetAndParentDetermineTheDisplayType(String html, String text) {
        byte[] visible = HtmlDocument.parse(html.getBytes(StandardCharsets.UTF_8)).visibleText();
        assertThat(new String(visible, StandardCharsets.UTF_8).replace('\n', '/')).isEqualTo(text);
    }
}
