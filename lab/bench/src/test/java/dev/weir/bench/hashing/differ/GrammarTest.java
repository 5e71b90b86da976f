package dev.weir.bench.hashing.differ;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class GrammarTest {
    private static String text(String grammar) {
        return new String(new Grammar(grammar).derive("mail", new Random(1)).bytes(), StandardCharsets.ISO_8859_1);
    }

    @Test
    void readsEscapesAndTransforms() {
        assertThat(text(":mail\n1 a\\n\\t\\\\\\u0041 b")).isEqualTo("a\n\t\\A b");
        assertThat(text(":mail\n1 [${x|iso-8859-1}${x|iso-8859-1|quoted}${x|word}]\n:x\n1 \\u00fc"))
                .isEqualTo("[\u00fc=FCw7w=]");
    }

    @Test
    void quotedLinesAreAtMost76Bytes() {
        String quoted = text(":mail\n1 ${x|quoted}\n:x\n1 " + "\\u00fc ".repeat(60) + "\\n");
        assertThat(quoted.lines()).allMatch(line -> line.length() <= 76).hasSizeGreaterThan(5);
        assertThat(quoted).endsWith("=20\n");
    }

    @Test
    void choosesByWeightAndRepeatsUpToTheNumber() {
        Grammar grammar = new Grammar(":mail\n9 a${x*3}\n1 b\n:x\n1 x");
        Random random = new Random(1);
        TreeSet<String> seen = new TreeSet<>();
        long rare = IntStream.range(0, 1_000).filter(_ -> {
            String text = new String(grammar.derive("mail", random).bytes(), StandardCharsets.US_ASCII);
            seen.add(text);
            return text.equals("b");
        }).count();
        assertThat(seen).containsExactly("a", "ax", "axx", "axxx", "b");
        assertThat(rare).isBetween(60L, 140L);
    }

    @Test
    void endsWhereTheRulesDoNot() {
        assertThat(text(":mail\n1000000 (${mail})\n1 .")).hasSizeLessThan(200).contains("(.)");
    }

    @Test
    void rejectsWhatItCannotDerive() {
        assertThatThrownBy(() -> new Grammar(":mail\n1 ${y}")).hasMessageContaining("rule y is missing");
        assertThatThrownBy(() -> new Grammar(":mail\n1 ${Y}")).hasMessageContaining("malformed reference");
        assertThatThrownBy(() -> new Grammar(":mail\n")).hasMessageContaining("no alternative");
        assertThatThrownBy(() -> new Grammar(":mail\n1 a\n:mail\n1 b")).hasMessageContaining("twice");
        assertThatThrownBy(() -> new Grammar(":mail\na")).hasMessageContaining("no weight");
        assertThatThrownBy(() -> new Grammar(":mail\n1 \\q")).hasMessageContaining("unknown escape");
    }

    /** The same seed makes the same mails, and different mails from the shipped grammar. */
    @Test
    void shippedGrammarMakesManyMails() {
        Grammar grammar = Grammar.resource("mail.grammar");
        Random one = new Random(7);
        Random same = new Random(7);
        TreeSet<String> mails = new TreeSet<>();
        for (int i = 0; i < 200; i++) {
            byte[] mail = grammar.derive("mail", one).bytes();
            assertThat(mail).isEqualTo(grammar.derive("mail", same).bytes());
            mails.add(new String(mail, StandardCharsets.ISO_8859_1));
        }
        assertThat(mails).hasSize(200);
    }
}
