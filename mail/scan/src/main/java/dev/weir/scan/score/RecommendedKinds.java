package dev.weir.scan.score;

import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

import dev.weir.hash.kind.HashKind;

/**
 * The recommended use of the kinds beyond those of Rspamd, as measured (docs/integrate/kinds.md#recommended): {@code
 * kinds = "recommended"} in a rule, and {@code --kinds recommended}.
 */
public final class RecommendedKinds {
    /** The word for it in a configuration and on the command line. */
    public static final String NAME = "recommended";

    /** The greatest flag of a symbol whose flags for kinds belong to no other symbol. */
    public static final int MOST_FLAG = 20;

    /** One hit of a kind counts half of a whole hit, so no kind alone rejects a mail. */
    private static final double WEIGHT = 0.5;
    /** A match of all others is exact, or as near as Rspamd's. */
    private static final int USUAL_THRESHOLD = 17;

    private RecommendedKinds() {}

    /** Returns the use of all kinds, without a host whose Authentication-Results count. */
    public static KindOptions withoutRules() {
        return new KindOptions(all(), 1, Set.of(), Set.of());
    }

    /** Returns the use of each kind. */
    public static Map<HashKind, KindOptions.Kind> all() {
        Map<HashKind, KindOptions.Kind> kinds = new EnumMap<>(HashKind.class);
        for (HashKind kind : HashKind.beyondRspamd()) {
            kinds.put(kind, of(kind));
        }
        return kinds;
    }

    /** Returns the use of a kind. */
    public static KindOptions.Kind of(HashKind kind) {
        return new KindOptions.Kind(flagOffset(kind), WEIGHT, threshold(kind));
    }

    /** Returns what is added to the flag of a symbol for the flag of a kind, unless a rule says otherwise. */
    public static int flagOffset(HashKind kind) {
        return MOST_FLAG * switch (kind) {
            case SOURCE -> 1;
            case CHARS -> 2;
            case LINKS -> 3;
            case PICTURE -> 4;
            case SUBJECT -> 5;
            case TOKEN -> 6;
            case TEXT, SHORT_TEXT, HTML, HTML_WITH_DOMAINS, IMAGE, ARCHIVE, ATTACHMENT, CONTENT ->
                throw new IllegalArgumentException(kind + " is a kind of Rspamd");
        };
    }

    /** Returns the thresholds at which no wanted mail was hit (docs/internals/accuracy.md#campaigns). */
    private static int threshold(HashKind kind) {
        return switch (kind) {
            case SOURCE -> 13;
            case CHARS -> 10;
            case LINKS -> 9;
            default -> USUAL_THRESHOLD;
        };
    }
}
