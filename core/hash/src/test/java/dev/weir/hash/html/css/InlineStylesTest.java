package dev.weir.hash.html.css;

import java.nio.charset.StandardCharsets;
import java.util.Random;

import dev.weir.hash.html.css.Style.Visibility;
import dev.weir.hash.release.Release;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that the cache of inline styles shares styles and never confuses attributes or releases. */
final class InlineStylesTest {
    private final InlineStyles styles = InlineStyles.of(Release.V4_1);

    @Test
    void sharesTheStyleOfEqualAttributes() {
        Style style = read(styles, "font-size:1px");
        assertThat(known(styles, "font-size:1px")).isSameAs(style);
        byte[] html = bytes("<p style='font-size:1px'>");
        assertThat(styles.known(html, 10, 23)).isSameAs(style);
    }

    @Test
    void keepsAnAttributeAsWritten() {
        byte[] written = bytes("color&#58;red");
        Style style = styles.read(written, 0, written.length, bytes("color:red"));
        assertThat(known(styles, "color&#58;red")).isSameAs(style);
        assertThat(known(styles, "color:#ff0001")).isNull();
    }

    @Test
    void readsLongAttributesEachTime() {
        String css = " ".repeat(300) + "display:none";
        assertThat(read(styles, css).display()).isEqualTo(Display.HIDDEN);
        assertThat(known(styles, css)).isNull();
    }

    @Test
    void separatesReleases() {
        String css = "color:red;opacity:0";
        assertThat(read(styles, css).visibility()).isEqualTo(Visibility.INVISIBLE);
        assertThat(read(InlineStyles.of(Release.V3_4), css).visibility()).isEqualTo(Visibility.VISIBLE);
    }

    @Test
    void neverConfusesAttributesThatShareASlot() {
        Random random = new Random(22);
        int found = 0;
        for (int i = 0; i < 60_000; i++) {
            int width = random.nextInt(30_000);
            String css = "width:" + width + "px";
            Style known = known(styles, css);
            found += known == null ? 0 : 1;
            assertThat((known == null ? read(styles, css) : known).width()).isEqualTo(width);
        }
        assertThat(found).isGreaterThan(1_000);
    }

    private static @Nullable Style known(InlineStyles styles, String css) {
        return styles.known(bytes(css), 0, css.length());
    }

    private static Style read(InlineStyles styles, String css) {
        return styles.read(bytes(css), 0, css.length(), bytes(css));
    }

    private static byte[] bytes(String css) {
        return css.getBytes(StandardCharsets.ISO_8859_1);
    }
}
