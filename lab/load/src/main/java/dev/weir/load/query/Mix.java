package dev.weir.load.query;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Kinds of queries with their frequencies. Immutable.
 *
 * @param parts at least one; each kind once
 */
public record Mix(List<Part> parts) {
    private static final int MAX_WEIGHT = 1_000_000;

    /**
     * One kind with its frequency.
     *
     * @param weight the frequency relative to the other parts, from 1 to 1000000
     */
    public record Part(QueryKind kind, int weight) {
        /** Checks the weight. */
        public Part {
            if (weight < 1 || weight > MAX_WEIGHT) {
                throw new IllegalArgumentException("the weight of " + kind + " is not between 1 and " + MAX_WEIGHT);
            }
        }
    }

    /** Checks that no kind occurs twice. */
    public Mix {
        parts = List.copyOf(parts);
        if (parts.isEmpty() || parts.size() > Byte.MAX_VALUE) {
            throw new IllegalArgumentException("a mix of " + parts.size() + " kinds of queries");
        }
        if (parts.stream().map(Part::kind).distinct().count() != parts.size()) {
            throw new IllegalArgumentException("a kind of query is named twice");
        }
    }

    /** Returns a mix of one kind. */
    public static Mix of(QueryKind kind) {
        return new Mix(List.of(new Part(kind, 1)));
    }

    /**
     * Parses {@code miss=90,exact=5,fuzzy20=5}. Without a number, the weight is 1.
     *
     * @throws IllegalArgumentException with a message for users
     */
    public static Mix parse(String text) {
        List<Part> parts = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            int equals = part.indexOf('=');
            String name = (equals < 0 ? part : part.substring(0, equals)).strip();
            String number = equals < 0 ? "1" : part.substring(equals + 1).strip();
            if (!number.matches("\\d{1,7}")) {
                throw new IllegalArgumentException(
                        "\"" + number + "\" is not a weight of " + name + ": write a whole number");
            }
            parts.add(new Part(QueryKind.parse(name), Integer.parseInt(number)));
        }
        return new Mix(parts);
    }

    /** Returns whether any query is about a stored hash. */
    public boolean needsPopulation() {
        return parts.stream().anyMatch(part -> switch (part.kind().what()) {
            case EXACT, FUZZY -> true;
            case MISS, AGAIN, LEARN -> false;
        });
    }

    /** Returns the text that {@link #parse} reads. */
    @Override
    public String toString() {
        return parts.stream()
                .map(part -> parts.size() == 1 ? part.kind().toString() : part.kind() + "=" + part.weight())
                .collect(Collectors.joining(","));
    }
}
