package dev.weir.scan;

import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.hash.Skip;

/**
 * What is to be learned or forgotten.
 *
 * @param flag the list, 1 to 4294967295; empty: the one that the symbol is mapped to
 * @param symbol letter case does not matter; counts only without a flag
 * @param weight what is added to every hash, not 0; negative takes away. Of no meaning for a deletion
 * @param delete whether the hashes are taken off the list instead
 * @param skip kinds of hashes that are left out
 * @param context the envelope, for learn conditions
 * @param submitter for the {@link UpdateListener}, if there is one
 */
public record LearnRequest(OptionalLong flag, Optional<String> symbol, int weight, boolean delete, Skip skip,
        ScanContext context, Optional<Submitter> submitter) {
    /** A request of which the submitter is not known. */
    public LearnRequest(OptionalLong flag, Optional<String> symbol, int weight, boolean delete, Skip skip,
            ScanContext context) {
        this(flag, symbol, weight, delete, skip, context, Optional.empty());
    }

    /** Adds weight on a list. */
    public static LearnRequest add(long flag, int weight) {
        return new LearnRequest(OptionalLong.of(flag), Optional.empty(), weight, false, Skip.NOTHING, ScanContext.NONE);
    }

    /** Adds weight on the list that a symbol stands for. */
    public static LearnRequest add(String symbol, int weight) {
        return new LearnRequest(OptionalLong.empty(), Optional.of(symbol), weight, false, Skip.NOTHING,
                ScanContext.NONE);
    }

    /** Takes off a list. */
    public static LearnRequest delete(long flag) {
        return new LearnRequest(OptionalLong.of(flag), Optional.empty(), 0, true, Skip.NOTHING, ScanContext.NONE);
    }

    /** Takes off the list that a symbol stands for. */
    public static LearnRequest delete(String symbol) {
        return new LearnRequest(OptionalLong.empty(), Optional.of(symbol), 0, true, Skip.NOTHING, ScanContext.NONE);
    }

    /** The same, without some kinds of hashes. */
    public LearnRequest withSkip(Skip kinds) {
        return new LearnRequest(flag, symbol, weight, delete, kinds, context, submitter);
    }

    /** The same, from a known submitter. */
    public LearnRequest withSubmitter(Submitter known) {
        return new LearnRequest(flag, symbol, weight, delete, skip, context, Optional.of(known));
    }
}
