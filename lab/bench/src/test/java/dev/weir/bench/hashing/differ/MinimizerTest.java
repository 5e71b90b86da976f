package dev.weir.bench.hashing.differ;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

import dev.weir.bench.hashing.Difference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MinimizerTest {
    private static final Difference TEXT = new Difference(Difference.Stage.TEXT, "");
    private static final Difference WORDS = new Difference(Difference.Stage.WORDS, "");

    private int questions;

    private Minimizer minimizer(Predicate<String> text, Predicate<String> words) {
        return new Minimizer(mails -> {
            questions++;
            List<@Nullable Difference> answers = new ArrayList<>();
            for (byte[] bytes : mails) {
                String mail = new String(bytes, StandardCharsets.UTF_8);
                answers.add(text.test(mail) ? TEXT : words.test(mail) ? WORDS : null);
            }
            return answers;
        });
    }

    private static Minimizer.Case found(String grammar) {
        return new Minimizer.Case(new Grammar(grammar).derive("mail", new Random(1)), TEXT);
    }

    private static String shown(Minimizer.Case small) {
        return new String(small.mail().bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void leavesOnlyWhatIsNeeded() throws Exception {
        String grammar = ":mail\n1 Subject: x\\n\\n${a}${b}${a}\n:a\n1 some words of no interest\n:b\n1 [${a}<b>${a}]";
        List<Minimizer.Case> small = minimizer(mail -> mail.contains("<b") && mail.contains("\n"), _ -> false)
                .minimize(List.of(found(grammar), found(grammar)), 100);
        assertThat(small).extracting(MinimizerTest::shown).containsExactly("\n<b", "\n<b");
    }

    /** A variant that differs from another step on has another cause. */
    @Test
    void keepsTheStep() throws Exception {
        List<Minimizer.Case> small = minimizer(mail -> mail.contains("ab"), mail -> mail.contains("a"))
                .minimize(List.of(found(":mail\n1 xxabyy")), 100);
        assertThat(shown(small.getFirst())).isEqualTo("ab");
    }

    @Test
    void reducesWhatIsEncoded() throws Exception {
        List<Minimizer.Case> small = minimizer(mail -> mail.contains("PGI+"), _ -> false)
                .minimize(List.of(found(":mail\n1 head ${x|word} tail\n:x\n1 <b>${y}\n:y\n1 many more words")), 100);
        assertThat(shown(small.getFirst())).isEqualTo("PGI+");
    }

    @Test
    void stopsAfterTheRounds() throws Exception {
        minimizer(mail -> mail.contains("z"), _ -> false)
                .minimize(List.of(found(":mail\n1 abcdefghijklmnopqrstuvwxyz")), 3);
        assertThat(questions).isEqualTo(3);
    }
}
