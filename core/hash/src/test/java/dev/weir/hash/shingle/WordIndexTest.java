package dev.weir.hash.shingle;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that the index of words finds the first of equal words, and that equal words have equal shingles. */
final class WordIndexTest {
    @Test
    void findsTheFirstOfEqualWords() {
        assertThat(firsts("tr", "td", "td", "tr", "", "a", "")).containsExactly(0, 1, 1, 0, 4, 5, 4);
        assertThat(firsts("a")).containsExactly(0);
    }

    @Test
    void forgetsWordsThatShareAPlaceWithManyOthers() {
        // Each pair has the same sum, so all words of pairs have the same place.
        List<String> words = List.of("");
        for (int pair = 0; pair < 5; pair++) {
            words = words.stream().flatMap(word -> Stream.of(word + "Aa", word + "BB")).toList();
        }
        List<String> twice = new ArrayList<>(words);
        twice.addAll(words);
        List<Integer> firsts = firsts(twice.toArray(String[]::new));
        assertThat(firsts.subList(32, 40)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(firsts.subList(40, 64)).containsExactlyElementsOf(range(40, 64));
    }

    private static List<Integer> range(int from, int to) {
        return Stream.iterate(from, i -> i < to, i -> i + 1).toList();
    }

    private static List<Integer> firsts(String... texts) {
        WordList words = WordList.of(Stream.of(texts).map(text -> text.getBytes(StandardCharsets.US_ASCII)).toList());
        WordIndex index = new WordIndex(words);
        List<Integer> firsts = new ArrayList<>();
        for (int i = 0; i < texts.length; i++) {
            firsts.add(index.firstLike(i));
        }
        return firsts;
    }
}
