package dev.weir.http.server;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DeadlinesTest {
    private record Ends(int number, List<Integer> ended) implements Deadlines.Timed {
        @Override
        public long deadline() {
            return number;
        }

        @Override
        public void expire() {
            ended.add(number);
            if (number % 2 == 0) {
                throw new IllegalStateException("made up");
            }
        }
    }

    @Test
    void aFailureToEndOneDoesNotAffectOthers() {
        List<Integer> ended = new ArrayList<>();
        try (Deadlines deadlines = new Deadlines("test", () -> 5)) {
            for (int i = 0; i < 10; i++) {
                deadlines.add(new Ends(i, ended));
            }
            deadlines.sweep();
            assertThat(ended).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
        }
    }
}
