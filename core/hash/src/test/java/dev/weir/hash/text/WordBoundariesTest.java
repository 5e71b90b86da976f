package dev.weir.hash.text;

import java.util.ArrayList;
import java.util.List;

import com.ibm.icu.text.BreakIterator;
import com.ibm.icu.util.ULocale;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that boundaries equal ICU's for every mixture of ASCII with characters that affect its segments. */
class WordBoundariesTest {
    private static final Locale POSIX = Locale.of("en_US_POSIX");
    private static final Locale AMERICAN = Locale.of("en_US");
    private static final String[] ASCII = {"a", "Z", "1", "9", "_", ".", ":", ",", ";", "'", "\"", "-", " ", " ", "\r",
        "\n", "\t", "\u000b", "@", "#", "\u007f"};
    /** Letters, marks, joiners, quotes, spaces, symbols, flags, dictionary scripts, half a surrogate pair. */
    private static final String[] WIDE = {"\u00e9", "\u0301", "\u200d", "\u00ad", "\u05d0", "\u4f60", "\u3042",
        "\u30ab", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "\ud83d\ude00", "\ud83c\udde9", "\u2019", "\ufffd", "\u2003",
        "\u3000", "\u00b7", "\u0915\u094d", "\ufe0f", "\u20e3", "\u0085", "\u2028", "\ud83d"};

    private record Locale(String name, BreakIterator icu, WordBoundaries.Rules rules) {
        static Locale of(String name) {
            return new Locale(name, BreakIterator.getWordInstance(new ULocale(name)), new WordBoundaries.Rules(name));
        }
    }

    @Property(seed = "20261121", tries = 4000)
    void breaksAsciiLikeIcu(@ForAll("ascii") String text) {
        assertSame(POSIX, text);
        assertSame(AMERICAN, text);
    }

    @Property(seed = "20261122", tries = 4000)
    void breaksAnyTextLikeIcu(@ForAll("mixed") String text) {
        assertSame(POSIX, text);
        assertSame(AMERICAN, text);
    }

    @Provide
    Arbitrary<String> ascii() {
        return Arbitraries.of(ASCII).list().ofMaxSize(40).map(pieces -> String.join("", pieces));
    }

    @Provide
    Arbitrary<String> mixed() {
        Arbitrary<String> piece = Arbitraries.frequencyOf(Tuple.of(3, Arbitraries.of(ASCII)),
                Tuple.of(1, Arbitraries.of(WIDE)));
        return piece.list().ofMaxSize(40).map(pieces -> String.join("", pieces));
    }

    private static void assertSame(Locale locale, String text) {
        BreakIterator icu = (BreakIterator) locale.icu().clone();
        icu.setText(text);
        List<Integer> expected = new ArrayList<>();
        for (int end = icu.next(); end != BreakIterator.DONE; end = icu.next()) {
            expected.add(end);
        }
        WordBoundaries boundaries = locale.rules().of(text);
        List<Integer> found = new ArrayList<>();
        for (int end = boundaries.next(); end != WordBoundaries.DONE; end = boundaries.next()) {
            found.add(end);
        }
        assertThat(found).as("%s: %s", locale.name(), text).isEqualTo(expected);
    }
}
