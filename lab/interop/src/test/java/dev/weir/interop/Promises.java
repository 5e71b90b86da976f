package dev.weir.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.Executable;

/**
 * The promises of one document of Rspamd in its order. Each has a few words that identify it, what the test does, and
 * the check of what is seen. The page docs/reference/documents.md lists them all, see {@link DocumentsPageTest}.
 */
final class Promises {
    private final List<Row> rows = new ArrayList<>();

    /** What became of a promise. */
    enum Outcome {
        HOLDS("hold"),
        DIFFERS("differ on purpose"),
        CANNOT_BE("cannot be");

        private final String counted;

        Outcome(String counted) {
            this.counted = counted;
        }

        String counted() {
            return counted;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /**
     * A promise.
     *
     * @param words the first or the decisive words of the promise
     * @param done what the test does and sees
     * @param remark the option that chooses or the reason; empty for a promise that holds
     */
    record Row(String words, String done, Outcome outcome, String remark, Executable seen) {}

    /** Adds a promise that holds. */
    Promises row(String words, String done, Executable seen) {
        return add(words, done, Outcome.HOLDS, "", seen);
    }

    /**
     * Adds a promise that Weir does not keep by default.
     *
     * @param option the option that chooses, or why there is none
     */
    Promises differs(String words, String done, String option, Executable seen) {
        return add(words, done, Outcome.DIFFERS, option, seen);
    }

    /** Adds a promise that no program can keep. */
    Promises cannotBe(String words, String done, String why, Executable seen) {
        return add(words, done, Outcome.CANNOT_BE, why, seen);
    }

    private Promises add(String words, String done, Outcome outcome, String remark, Executable seen) {
        rows.add(new Row(words, done, outcome, remark, seen));
        return this;
    }

    /** Returns the promises that another document does not have in the same words. */
    Promises without(Promises other) {
        Promises own = new Promises();
        rows.stream().filter(row -> other.rows.stream().noneMatch(known -> known.words().equals(row.words())
                && known.done().equals(row.done()))).forEach(own.rows::add);
        return own;
    }

    Stream<DynamicTest> tests() {
        return rows.stream()
                .map(row -> DynamicTest.dynamicTest("\"" + row.words() + "\": " + row.done(), row.seen()));
    }

    List<Row> rows() {
        return List.copyOf(rows);
    }

    long count(Outcome outcome) {
        return rows.stream().filter(row -> row.outcome() == outcome).count();
    }
}
