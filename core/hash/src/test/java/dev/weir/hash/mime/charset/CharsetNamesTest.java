package dev.weir.hash.mime.charset;

import java.nio.charset.Charset;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.ibm.icu.charset.CharsetICU;
import com.ibm.icu.charset.CharsetProviderICU;
import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.table.TextTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class CharsetNamesTest {
    @Test
    void tableListsTheNamesThatOnlyTheJdkKnows() {
        Set<String> jdk = Charset.availableCharsets().values().stream()
                .filter(charset -> !(charset instanceof CharsetICU))
                .flatMap(charset -> Stream.concat(Stream.of(charset.name()), charset.aliases().stream()))
                .map(name -> name.toLowerCase(Locale.ROOT))
                .filter(name -> !isKnownToIcu(name))
                .filter(name -> Ascii.isAlphanumeric(name.charAt(0))
                        && Ascii.isAlphanumeric(name.charAt(name.length() - 1)))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(TextTable.rows(CharsetNames.class, "charset-jdk-names.tsv", "\t").stream().map(row -> row[0]))
                .containsExactlyElementsOf(jdk);
    }

    @SuppressWarnings("deprecation") // as in the class that is tested
    private static boolean isKnownToIcu(String name) {
        String canonical = CharsetProviderICU.getICUCanonicalName(name);
        return canonical != null && !canonical.isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"iso--8859-2", "ISO_8859-2", "iso-8859-002", "latin2", "l2", "csisolatin2"})
    void loadsACharsetOnceForAllSpellings(String spelling) {
        assertThat(CharsetNames.meaning(spelling)).isSameAs(CharsetNames.meaning("iso-8859-2"));
    }

    @Test
    void resolvesNamesThatOnlyTheJdkKnows() {
        assertThat(CharsetNames.meaning("Cp1046"))
                .isInstanceOfSatisfying(CharsetNames.Meaning.Known.class,
                        known -> assertThat(known.charset()).isEqualTo(Charset.forName("Cp1046")));
        assertThat(CharsetNames.meaning("no-such-charset")).isInstanceOf(CharsetNames.Meaning.Unknown.class);
    }
}
