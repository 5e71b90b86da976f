package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
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

/**
 * Tests that the fast path for several letters at a time finds the words of ICU's segments, whatever separates them.
 */
class WordBreakerTest {
    private static final String LOCALE = TextAnalyzer.DEFAULT_LOCALE;
    private static final BreakIterator ICU = BreakIterator.getWordInstance(new ULocale(LOCALE));
    private static final WordBoundaries.Rules RULES = new WordBoundaries.Rules(LOCALE);
    private static final String[] PLAIN = {"a", "Word", "seventy7", "lettersix", "fifteenletters1", "sixteenletters16",
        "seventeenletters1", "2026", "Z9"};
    private static final String[] OTHERS = {"  ", "\t", ".", "'", "-", "_", "@", "caf\u00e9", "\u0301", "\u4f60",
        "\u00ad", "\u2019", "\u0000", "\ufffd", "\ud83d\ude00"};

    @Property(seed = "20261123", tries = 4000)
    void findsTheWordsOfIcu(@ForAll("texts") String text) {
        assertThat(broken(text, List.of())).isEqualTo(expected(text));
    }

    @Property(seed = "20261124", tries = 4000)
    void lineEndsAfterSpacesChangeNothing(@ForAll("texts") String text) {
        List<TextException> joints = new ArrayList<>();
        for (int at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) {
            // Joining lines leaves a space, and the recorded position is after it.
            joints.add(new TextException(text.substring(0, at + 1).getBytes(StandardCharsets.UTF_8).length, 0, null));
        }
        assertThat(broken(text, joints)).isEqualTo(expected(text));
    }

    @Provide
    Arbitrary<String> texts() {
        Arbitrary<String> piece = Arbitraries.frequencyOf(Tuple.of(5, Arbitraries.of(PLAIN)),
                Tuple.of(5, Arbitraries.of(" ")), Tuple.of(1, Arbitraries.of(OTHERS)));
        return piece.list().ofMaxSize(60).map(pieces -> String.join("", pieces));
    }

    private static List<String> broken(String text, List<TextException> exceptions) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        Utf8Text chars = Utf8Text.of(utf8);
        TokenList tokens = new TokenList(0);
        new WordBreaker(utf8, chars, RULES.of(chars.chars()), exceptions, new Decay(0, utf8.length), new TextBudget(),
                new WordCache(), tokens).collect();
        return tokens.forms();
    }

    private static List<String> expected(String text) {
        BreakIterator icu = (BreakIterator) ICU.clone();
        icu.setText(text);
        List<String> words = new ArrayList<>();
        int start = 0;
        for (int end = icu.next(); end != BreakIterator.DONE; end = icu.next()) {
            if (WordForm.startsWord(text.codePointAt(start))) {
                words.add(WordForm.normalise(text, start, end));
            }
            start = end;
        }
        return words;
    }
}
