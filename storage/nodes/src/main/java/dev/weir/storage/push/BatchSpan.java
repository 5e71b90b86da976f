package dev.weir.storage.push;

import java.util.Optional;

/**
 * The updates of a master's log that a batch stands for. A slave of Weir takes a batch only where its own place is
 * {@code from}, so that no update counts twice and none is missing.
 *
 * @param from the place before the first update
 * @param to the place after the last update
 * @param first whether the slave has taken nothing from this log yet
 */
public record BatchSpan(LogPlace from, LogPlace to, boolean first) {
    private static final String FIRST = "first";
    private static final String LATER = "later";

    /** Returns the text of {@link #toString} as a span; empty for any other text. */
    public static Optional<BatchSpan> parse(String text) {
        String[] words = text.strip().split(" ", -1);
        if (words.length != 3 || !(words[2].equals(FIRST) || words[2].equals(LATER))) {
            return Optional.empty();
        }
        return LogPlace.parse(words[0]).flatMap(from -> LogPlace.parse(words[1])
                .filter(to -> to.storage() == from.storage() && to.position() >= from.position())
                .map(to -> new BatchSpan(from, to, words[2].equals(FIRST))));
    }

    @Override
    public String toString() {
        return from + " " + to + " " + (first ? FIRST : LATER);
    }
}
