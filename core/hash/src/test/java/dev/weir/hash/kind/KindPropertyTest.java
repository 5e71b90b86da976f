package dev.weir.hash.kind;

import dev.weir.hash.effort.Effort;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import static org.assertj.core.api.Assertions.assertThat;

final class KindPropertyTest {
    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.of("verify", "your", "account", "within", "hours", "to", "avoid", "closing", "Übung", "мир",
                "中文字", "click", "below", "invoice", "payment").list().ofMinSize(12).ofMaxSize(80)
                .map(words -> String.join(" ", words));
    }

    @Provide
    Arbitrary<String> noise() {
        return Arbitraries.of(" ", "\n\n", "\u200b ", "\u00ad\u034f ", " 4711 ", " a1b2 ", " me@x.test ",
                " https://x.test/y ", "\u00a0", ", ", "! ");
    }

    /** Numbers, addresses, spaces and invisible characters between words change nothing. */
    @Property(seed = "4711", tries = 200)
    void noiseBetweenWordsDoesNotChangeChars(@ForAll("texts") String text, @ForAll("noise") String noise) {
        String other = text.replace(" ", noise.isBlank() || noise.endsWith(" ") ? noise + " " : " " + noise + " ");
        assertThat(Folding.fold(other, Effort.unlimited())).isEqualTo(Folding.fold(text, Effort.unlimited()));
    }

    @Property(seed = "4711", tries = 200)
    void foldingTwiceChangesNothing(@ForAll String text) {
        String once = Folding.fold(text, Effort.unlimited());
        assertThat(once).doesNotContain("  ");
        assertThat(Folding.fold(once, Effort.unlimited())).isEqualTo(once);
    }

    /** Another address, comment, style sheet or letter case changes no source. */
    @Property(seed = "4711", tries = 200)
    void addressesAndCommentsDoNotChangeSource(@ForAll("texts") String text, @ForAll int number) {
        String page = "<!-- %s --><style>%s</style><table><tr><td><a href=\"http://x.test/%s\">" + text
                + "</a></td></tr></table> one two three four five six seven eight nine ten eleven twelve";
        MailContent one = KindHasherTest.mail(page.formatted("a", "b {}", "c"), "", "");
        MailContent other = KindHasherTest.mail(page.formatted(number, "x" + number + " { a: b }", number)
                .replace("TABLE", "table"), "", "");
        assertThat(KindHasherTest.of(HashKind.SOURCE, other).texts())
                .isEqualTo(KindHasherTest.of(HashKind.SOURCE, one).texts());
    }
}
