package dev.weir.load.query;

import java.util.Locale;

import dev.weir.wire.Protocol;

/**
 * A kind of query.
 *
 * @param what the subject
 * @param equal for a near hit, the number of the 32 shingles that equal those of a stored hash; otherwise 0
 */
public record QueryKind(What what, int equal) {
    /** A check of a digest and shingles that are not stored. */
    public static final QueryKind MISS = new QueryKind(What.MISS, 0);
    /** A check of a digest and shingles that are not stored, {@value Queries#COPIES} times in a row. */
    public static final QueryKind AGAIN = new QueryKind(What.AGAIN, 0);
    /** A check of a stored digest. */
    public static final QueryKind EXACT = new QueryKind(What.EXACT, 0);
    /** A learn request for a digest that is not stored. */
    public static final QueryKind LEARN = new QueryKind(What.LEARN, 0);

    /** The subjects of queries. */
    public enum What {
        /** A check of a digest and shingles that are not stored. */
        MISS,
        /** The same several times in a row, as for copies of one mail. */
        AGAIN,
        /** A check of a stored digest. */
        EXACT,
        /** A check of a digest that is not stored, with some shingles of a stored hash. */
        FUZZY,
        /** A learn of a digest that is not stored. */
        LEARN
    }

    /** Checks the number of equal shingles. */
    public QueryKind {
        if (what == What.FUZZY ? equal < 1 || equal > Protocol.SHINGLES : equal != 0) {
            throw new IllegalArgumentException("a query of kind " + what + " with " + equal + " equal shingles");
        }
    }

    /** Returns a check with a number of equal shingles, from 1 to 32. */
    public static QueryKind fuzzy(int equal) {
        return new QueryKind(What.FUZZY, equal);
    }

    /** Returns the name that {@link #parse} reads: such as {@code miss}, {@code again} or {@code fuzzy20}. */
    @Override
    public String toString() {
        String name = what.name().toLowerCase(Locale.ROOT);
        return what == What.FUZZY ? name + equal : name;
    }

    /**
     * Parses a name.
     *
     * @throws IllegalArgumentException with a message for users
     */
    public static QueryKind parse(String name) {
        return switch (name) {
            case "miss" -> MISS;
            case "again" -> AGAIN;
            case "exact" -> EXACT;
            case "learn" -> LEARN;
            default -> {
                if (name.matches("fuzzy\\d{1,2}")) {
                    int equal = Integer.parseInt(name.substring("fuzzy".length()));
                    if (equal >= 1 && equal <= Protocol.SHINGLES) {
                        yield fuzzy(equal);
                    }
                }
                throw new IllegalArgumentException("\"" + name
                        + "\" is not a kind of query: use miss, again, exact, learn, or fuzzy1 to fuzzy32 (the number "
                        + "of equal shingles)");
            }
        };
    }
}
