package dev.weir.hash.kind;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.text.Normalizer2;
import dev.weir.hash.effort.Effort;
import dev.weir.hash.table.TextTable;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.Url;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Every entry of the lists that ship with Weir changes something. */
final class ListsTest {
    private static final List<String[]> SITES = TextTable.rows(SiteClass.class, "sites.txt", " ");
    private static final List<String[]> LOOKALIKES = TextTable.rows(Folding.class, "lookalikes.txt", " ");

    @Test
    void eachSiteIsTheHostOfAnAddressAndHasItsClass() {
        Map<String, String> classes = classes();
        classes.forEach((site, type) -> {
            Url url = Objects.requireNonNull(Url.parseHref("https://" + site + "/x", PublicSuffixes.standard()), site);
            assertThat(url.host()).as(site).isEqualTo(site);
            assertThat(SiteClass.of(url.host())).as(site).hasToString(type.toUpperCase(Locale.ROOT)
                    .replace('-', '_'));
        });
    }

    @Test
    void noSiteOccursTwiceOrBelowOneOfItsClass() {
        Map<String, String> classes = classes();
        assertThat(classes).hasSize(SITES.stream().mapToInt(row -> row.length - 1).sum());
        classes.forEach((site, type) -> {
            for (int dot = site.indexOf('.'); dot >= 0; dot = site.indexOf('.', dot + 1)) {
                String above = classes.get(site.substring(dot + 1));
                if (above != null) {
                    assertThat(above).as(site).isNotEqualTo(type);
                    return;
                }
            }
        });
    }

    private static Map<String, String> classes() {
        Map<String, String> classes = new HashMap<>();
        for (String[] row : SITES) {
            for (int i = 1; i < row.length; i++) {
                classes.put(row[i], row[0]);
            }
        }
        return classes;
    }

    @Test
    void eachLetterThatLooksLatinBecomesIt() {
        Map<Integer, String> seen = new HashMap<>();
        for (String[] row : LOOKALIKES) {
            row[1].codePoints().forEach(letter -> {
                String text = Character.toString(letter);
                assertThat(seen.put(letter, row[0])).as(text).isNull();
                assertThat(Normalizer2.getNFKDInstance().normalize(text)).as(text).isEqualTo(text);
                assertThat(UCharacter.toLowerCase(letter)).as(text).isEqualTo(letter);
                assertThat(Folding.fold("zz" + text, Effort.unlimited())).as(text).isEqualTo("zz" + row[0]);
            });
        }
    }
}
