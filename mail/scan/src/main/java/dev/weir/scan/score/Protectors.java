package dev.weir.scan.score;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The flags of a rule that stand for wanted mail. A template with such a flag is protected: with the same destinations,
 * no other flag counts fully for it (docs/integrate/scanning.md#html-that-leads-elsewhere).
 */
public final class Protectors {
    /** As many as a request can name. */
    private static final int MOST = 8;

    private Protectors() {}

    /** Returns the flags whose hits lower the score of a mail, the lowest eight of them. */
    public static Set<Integer> of(ScoreOptions options, SymbolTable table) {
        Set<Integer> flags = new LinkedHashSet<>();
        options.flags().entrySet().stream()
                .filter(entry -> entry.getKey() <= Integer.MAX_VALUE && lowers(entry.getValue(), table))
                .sorted(Map.Entry.comparingByKey(Comparator.naturalOrder()))
                .limit(MOST)
                .forEach(entry -> flags.add(entry.getKey().intValue()));
        return flags;
    }

    private static boolean lowers(ScoreOptions.Mapping mapping, SymbolTable table) {
        return mapping.limit() * table.symbol(mapping.symbol()).weight() < 0;
    }
}
