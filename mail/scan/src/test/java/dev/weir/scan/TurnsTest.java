package dev.weir.scan;

import java.util.List;

import dev.weir.scan.client.Question;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class TurnsTest {
    private final Turns turns = new Turns();

    private Turns.Taken learn(String rule, int... digests) {
        return turns.take(rule, java.util.Arrays.stream(digests)
                .mapToObj(digest -> Question.write(digest(digest), new long[0], 1, 1)).toList());
    }

    private Turns.Taken forget(String rule, int... digests) {
        return turns.take(rule, java.util.Arrays.stream(digests)
                .mapToObj(digest -> Question.delete(digest(digest), 1)).toList());
    }

    private static byte[] digest(int number) {
        byte[] digest = new byte[64];
        digest[0] = (byte) number;
        return digest;
    }

    @Test
    void onlyOtherCommandsOfADigestWait() {
        Turns.Taken first = learn("a", 1, 2, 2);
        Turns.Taken second = learn("a", 2, 3);
        Turns.Taken removal = forget("a", 2, 4);
        assertThat(List.of(first, second, forget("b", 2), learn("a", 5)))
                .allSatisfy(taken -> assertThat(taken.begin()).isDone());
        // It must not overtake the removal, although it could join the first ones.
        Turns.Taken third = learn("a", 2);
        first.end();
        assertThat(removal.begin()).isNotDone();
        second.end();
        assertThat(removal.begin()).isDone();
        assertThat(third.begin()).isNotDone();
        removal.end();
        assertThat(third.begin()).isDone();
        third.end();
        assertThat(forget("a", 1, 2).begin()).isDone();
    }

    @Test
    void requestsDoNotWaitForEachOther() {
        Turns.Taken one = learn("a", 1, 2);
        Turns.Taken two = forget("a", 2, 1);
        Turns.Taken three = learn("a", 1, 2);
        one.end();
        assertThat(two.begin()).isDone();
        two.end();
        assertThat(three.begin()).isDone();
    }
}
