package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class TokenListTest {
    @Property(seed = "4721", tries = 2_000)
    void addsTheNormalFormOfARange(
            @ForAll @CharRange(from = 0, to = 0x7f) @StringLength(max = 24) String text) {
        TokenList tokens = new TokenList(0);
        byte[] bytes = ("É" + text + "é").getBytes(StandardCharsets.UTF_8);
        String expected = WordForm.normalise(text, 0, text.length());
        assertThat(tokens.addAscii(bytes, 2, 2 + text.length())).isEqualTo(expected.length() <= 16);
        if (expected.length() <= 16) {
            assertThat(tokens.forms()).containsExactly(expected);
            assertThat(tokens.isEmpty(0)).isEqualTo(expected.isEmpty());
        }
    }

    @Test
    void wordsOfEveryKindKeepTheirOrder() {
        TokenList tokens = new TokenList(0);
        byte[] text = "don't café".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 100; i++) {
            assertThat(tokens.addAscii(text, 0, 5)).isTrue();
            assertThat(tokens.addAscii(text, 6, text.length)).isFalse();
            tokens.addWord(new Word("café" + i));
            tokens.addEmpty();
        }
        assertThat(tokens.size()).isEqualTo(300);
        assertThat(tokens.forms()).startsWith("dont", "café0", "", "dont").endsWith("dont", "café99", "");
        assertThat(List.of(tokens.isPacked(0), tokens.isPacked(1), tokens.isPacked(2))).containsExactly(true, false,
                true);
        assertThat(List.of(tokens.isEmpty(0), tokens.isEmpty(1), tokens.isEmpty(2))).containsExactly(false, false,
                true);
    }
}
