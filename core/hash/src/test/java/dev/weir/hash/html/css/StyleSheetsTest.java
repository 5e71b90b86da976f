package dev.weir.hash.html.css;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.weir.hash.release.Release;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that the cache of style sheets shares sheets and never confuses elements or releases. */
@Timeout(60)
final class StyleSheetsTest {
    private final StyleSheets sheets = StyleSheets.of(Release.V4_1);

    @Test
    void sharesTheSheetOfEqualElements() {
        StyleSheet sheet = read(sheets, "p{color:#123456}", "b{width:7px}");
        assertThat(read(sheets, "p{color:#123456}", "b{width:7px}")).isSameAs(sheet);
    }

    @Test
    void distinguishesWhereElementsEnd() {
        StyleSheet one = read(sheets, "i{width:1px}b{width:2px}");
        StyleSheet two = read(sheets, "i{width:1px}", "b{width:2px}");
        assertThat(two).isNotSameAs(one);
        // The comment that the first element opens hides the rest of it, but not the second one.
        assertThat(read(sheets, "/*", "b{width:3px}").isEmpty()).isFalse();
        assertThat(read(sheets, "/*b{width:3px}").isEmpty()).isTrue();
    }

    @Test
    void readsLargeSheetsEachTime() {
        String rules = "p{width:5px}" + " ".repeat(20_000);
        assertThat(read(sheets, rules)).isNotSameAs(read(sheets, rules));
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            many.append(".c").append(i).append("{width:1px}");
        }
        assertThat(read(sheets, many.toString())).isNotSameAs(read(sheets, many.toString()));
    }

    @Test
    void separatesReleases() {
        String css = "p{color:red;opacity:0}";
        assertThat(style(read(sheets, css), "p").visibility()).isEqualTo(Style.Visibility.INVISIBLE);
        assertThat(style(read(StyleSheets.of(Release.V3_4), css), "p").visibility())
                .isEqualTo(Style.Visibility.VISIBLE);
    }

    @Test
    void neverConfusesSheetsThatShareASlot() {
        Random random = new Random(23);
        int shared = 0;
        for (int i = 0; i < 5_000; i++) {
            int width = random.nextInt(600);
            String css = "p{width:" + width + "px}";
            StyleSheet sheet = read(sheets, css);
            shared += read(sheets, css) == sheet ? 1 : 0;
            assertThat(style(sheet, "p").width()).isEqualTo(width);
        }
        assertThat(shared).isEqualTo(5_000);
    }

    /** Threads that share a sheet resolve its styles at the same time. */
    @Test
    void threadsShareASheet() throws Exception {
        for (int round = 0; round < 200; round++) {
            StyleSheet sheet = read(sheets, "*{font-size:9px}p{color:#010203;width:" + round + "px}");
            CyclicBarrier together = new CyclicBarrier(2);
            try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
                List<Future<Style>> styles = new ArrayList<>();
                for (int thread = 0; thread < 2; thread++) {
                    styles.add(threads.submit(() -> {
                        together.await();
                        return style(sheet, "p");
                    }));
                }
                for (Future<Style> style : styles) {
                    assertThat(style.get().fontSize()).isEqualTo(9);
                    assertThat(style.get().width()).isEqualTo(round);
                }
            }
        }
    }

    private static Style style(StyleSheet sheet, String tag) {
        return Objects.requireNonNull(sheet.style(tag, null, List.of()));
    }

    private static StyleSheet read(StyleSheets sheets, String... elements) {
        int[] ranges = new int[2 * elements.length];
        int at = 0;
        for (int i = 0; i < elements.length; i++) {
            ranges[2 * i] = at;
            at += elements[i].length();
            ranges[2 * i + 1] = at;
        }
        return sheets.read(String.join("", elements).getBytes(StandardCharsets.ISO_8859_1), ranges);
    }
}
